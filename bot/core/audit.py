"""Check and rebuild: whether the chain is whole, and the campaign's state equals the sum of its entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from sqlalchemy import Connection

from bot.core import campaigns, entries, house_files, state
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.ledger import pseudonym, verify
from bot.core.records import Entry
from bot.core.state import State


@dataclass(slots=True)
class Projection:
    """What a run of entries adds up to: the state, and the audience of each entry."""

    kinds: EntryKinds
    state: State = field(default_factory=dict)
    audiences: dict[int, str] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Add the next entry."""
        body = entry.content()
        self.audiences[entry.number] = self.kinds.audience(entry.kind, body, self.audiences)
        if entry.kind == "publication":
            self.audiences[body["entry"]] = "results"
        for change in body["changes"]:
            key = (change["subject"], change["name"])
            if change["after"] is None:
                self.state.pop(key, None)
            else:
                self.state[key] = change["after"]


@dataclass(frozen=True, slots=True)
class Audit:
    """The result for one campaign: the number of entries, every fault in words, and whether the chain itself is whole."""

    campaign: Campaign
    entries: int
    faults: tuple[str, ...]
    whole: bool = True


async def check(database: Database, kinds: EntryKinds) -> list[Audit]:
    """Check every campaign's chain and projections; nothing is changed."""
    return await database.read(_check, kinds)


async def rebuild(database: Database, kinds: EntryKinds) -> list[Audit]:
    """Rebuild every campaign's projections from its entries; return what was wrong with them before.

    A campaign whose chain is broken is left as it is: nobody knows what its entries once said.
    """
    return await database.write(_rebuild, kinds)


def _check(tx: Connection, kinds: EntryKinds) -> list[Audit]:
    return [_audit(tx, campaign, kinds) for campaign in campaigns.everywhere(tx)]


def _rebuild(tx: Connection, kinds: EntryKinds) -> list[Audit]:
    audits = []
    for campaign in campaigns.everywhere(tx):
        campaigns.get(tx, campaign.id, lock=True)  # no entry may be added while they are summed up
        audits.append(_audit(tx, campaign, kinds))
    for audit in audits:
        if audit.whole and audit.faults:
            _repair(tx, audit.campaign, kinds)
    return audits


def _repair(tx: Connection, campaign: Campaign, kinds: EntryKinds) -> None:
    projection = _projection(list(entries.walk(tx, campaign.id)), kinds)
    state.replace(tx, campaign.id, projection.state)
    for number, audience in projection.audiences.items():
        entries.set_audience(tx, campaign.id, number, audience)


def _audit(tx: Connection, campaign: Campaign, kinds: EntryKinds) -> Audit:
    history = list(entries.walk(tx, campaign.id))
    broken = (*verify(campaign.uuid, history), *_altered_records(tx, campaign))
    faults = broken or tuple(_differences(tx, campaign, history, _projection(history, kinds)))
    return Audit(campaign, len(history), faults, whole=not broken)


def _altered_records(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield what does not match the chain: people behind pseudonyms, books and files behind fingerprints."""
    for user_id, salt, name in entries.actors(tx, campaign.id):
        if pseudonym(salt, user_id) != name:
            yield f"Person {user_id} is not the one behind pseudonym {name[:12]}."
    for fingerprint, content in entries.books(tx, campaign.id):
        if sha256(content.encode()).hexdigest() != fingerprint:
            yield f"The kept tables of book {fingerprint[:12]} do not match their fingerprint."
    for file in house_files.every(tx, campaign.id):
        if house_files.fingerprint(file.text) != file.fingerprint:
            yield f"The kept file of house rules {file.fingerprint[:12]} does not match its fingerprint."


def _missing_files(tx: Connection, campaign: Campaign, history: list[Entry]) -> Iterator[str]:
    """Yield a fault for each entry that switched house rules on or off whose file is missing."""
    stored = {file.fingerprint for file in house_files.every(tx, campaign.id) if file.kept}
    for entry in history:
        if entry.kind == "house" and entry.content()["fingerprint"] not in stored:
            yield f"Entry {entry.number}: its file of house rules is not kept."


def _projection(history: list[Entry], kinds: EntryKinds) -> Projection:
    projection = Projection(kinds)
    for entry in history:
        projection.add(entry)
    return projection


def _differences(tx: Connection, campaign: Campaign, history: list[Entry], projection: Projection) -> list[str]:
    stored = state.everything(tx, campaign.id)
    return [
        *_state_faults(stored, projection.state),
        *_missing_files(tx, campaign, history),
        *(
            f"Entry {entry.number}: its audience is {entry.audience}, not {projection.audiences[entry.number]}."
            for entry in history
            if entry.audience != projection.audiences[entry.number]
        ),
    ]


def _state_faults(stored: State, computed: State) -> Iterator[str]:
    for subject, name in sorted(stored.keys() | computed.keys()):
        actual, expected = stored.get((subject, name)), computed.get((subject, name))
        if actual != expected:
            yield f"State {subject!r} {name!r}: it is {actual!r}, and the entries add up to {expected!r}."
