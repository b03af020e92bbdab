"""Check and rebuild: whether the chain is whole, and the campaign's state equals the sum of its entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import sha256

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import campaigns, damage, entries, house_files, state
from bot.core.campaigns import Campaign
from bot.core.damage import Damage, entry_columns
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.ledger import pseudonym, verify
from bot.core.records import Entry
from bot.core.schema import actor, book_version, document, entry, entry_text, subject
from bot.core.schema import campaign as campaign_row
from bot.core.schema import state as state_row
from bot.core.state import State
from rules.subjects import name_key

_CHAIN: frozenset[sa.Table] = frozenset({campaign_row, entry, entry_text})
_PROJECTED: frozenset[sa.Table] = frozenset({state_row, subject})


class Projection(Struct):
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


class Audit(Struct, frozen=True):
    """The result for one campaign: its name, the number of entries, and every fault in words.

    When `whole`, its ledger still says all that it ever said, so that the state can be made from it. What belongs to no
    campaign is under `campaign_id` None.
    """

    campaign_id: int | None
    campaign: str
    entries: int
    faults: tuple[str, ...]
    whole: bool = True


async def check(database: Database, kinds: EntryKinds) -> list[Audit]:
    """Check every campaign's chain and projections; nothing is changed, and no value that stands there makes this raise."""
    return await database.read(_check, kinds)


async def rebuild(database: Database, kinds: EntryKinds) -> list[Audit]:
    """Rebuild every campaign's projections from its entries; return what was wrong with them before.

    A campaign whose ledger is not whole is left as it is: nobody knows what its entries once said.
    """
    return await database.write(_rebuild, kinds)


def _check(tx: Connection, kinds: EntryKinds) -> list[Audit]:
    damaged: dict[int | None, list[Damage]] = {}
    for item in damage.find(tx):
        damaged.setdefault(item.campaign_id, []).append(item)
    audits = [_audit(tx, number, kinds, damaged.get(number, [])) for number in campaigns.numbers(tx)]
    strays = tuple(item.fault for item in damaged.get(None, []))
    return [*audits, Audit(None, "No campaign", 0, strays, whole=False)] if strays else audits


def _rebuild(tx: Connection, kinds: EntryKinds) -> list[Audit]:
    campaigns.numbers(tx, lock=True)  # no entry may be added while they are summed up
    audits = _check(tx, kinds)
    for audit in audits:
        if audit.campaign_id is not None and audit.whole and audit.faults:
            _repair(tx, audit.campaign_id, kinds)
    return audits


def _repair(tx: Connection, campaign_id: int, kinds: EntryKinds) -> None:
    projection = Projection(kinds)
    for item in entries.walk(tx, campaign_id):
        projection.add(item)
    state.replace(tx, campaign_id, projection.state)
    for number, audience in projection.audiences.items():
        entries.set_audience(tx, campaign_id, number, audience)


class _Ledger(Struct, frozen=True):
    """A campaign's entries, and the tables in which something of the campaign cannot be read: those are left out."""

    tx: Connection
    campaign: Campaign
    history: list[Entry]
    projection: Projection
    unreadable: frozenset[sa.Table]


def _audit(tx: Connection, campaign_id: int, kinds: EntryKinds, damaged: Collection[Damage]) -> Audit:
    told, tables = [item.fault for item in damaged], frozenset(item.table for item in damaged)
    found = None
    if tables.isdisjoint(_CHAIN):
        try:
            found = campaigns.get(tx, campaign_id)
        except (TypeError, ValueError) as error:
            told.append(f"Its settings cannot be read: {error}.")
    if found is None:
        return Audit(campaign_id, f"Campaign {campaign_id}", 0, tuple(told), whole=False)
    ledger = _Ledger(tx, found, list(entries.walk(tx, campaign_id)), Projection(kinds), tables)
    broken = list(_broken(ledger))
    faults = broken or list(_differences(ledger))
    whole = not broken and tables.isdisjoint(_ALTERED)
    return Audit(campaign_id, found.name, len(ledger.history), (*told, *faults), whole=whole)


def _broken(ledger: _Ledger) -> Iterator[str]:
    """Yield what no rebuild can mend: a chain that is not whole, and people, books or files that are not those of their hashes."""
    chain = [*verify(ledger.campaign.uuid, ledger.history), *_cut_off(ledger)]
    yield from chain
    for table, look in _ALTERED.items():
        if table not in ledger.unreadable:
            yield from look(ledger)
    if chain:
        return
    for item in ledger.history:
        try:
            ledger.projection.add(item)
        except (AttributeError, LookupError, StopIteration, TypeError, ValueError, RecursionError) as error:
            yield f"Entry {item.number}: its body cannot be read: {error!r}."
            return


def _cut_off(ledger: _Ledger) -> Iterator[str]:
    """Yield a fault for whatever names an entry after the newest: the end of the ledger is missing."""
    newest = ledger.history[-1].number if ledger.history else 0
    if not newest:
        yield "There are no entries, and a campaign begins with one."
    named: dict[str, int] = {}
    for column in entry_columns():
        if column.table not in ledger.unreadable:
            highest = sa.select(sa.func.max(column)).where(column.table.c.campaign_id == ledger.campaign.id)
            named[f"the table {column.table.name}"] = ledger.tx.scalar(highest) or 0
    if ledger.unreadable.isdisjoint(_PROJECTED):
        named["the state"] = max(map(_entry_named, state.everything(ledger.tx, ledger.campaign.id).values()), default=0)
    for where, number in named.items():
        if number > newest:
            yield f"The newest entry is {newest}, and {where} names entry {number}: the end of the ledger is missing."


def _entry_named(value: object) -> int:
    """Return the number of the entry from which a value of the state comes; 0 where it keeps none."""
    number = value.get("entry") if isinstance(value, dict) else None
    return number if isinstance(number, int) else 0


def _altered_people(ledger: _Ledger) -> Iterator[str]:
    for user_id, salt, name in entries.actors(ledger.tx, ledger.campaign.id):
        if not _is_hex(salt) or pseudonym(salt, user_id) != name:
            yield f"Person {user_id} is not the one behind pseudonym {name[:12]}."


def _altered_books(ledger: _Ledger) -> Iterator[str]:
    for fingerprint, book, content in entries.books(ledger.tx, ledger.campaign.id):
        if sha256(content.encode()).hexdigest() != fingerprint:
            yield f"The kept tables of book {fingerprint[:12]} do not match their fingerprint."
        elif json.loads(content)["id"] != book:
            yield f"The kept tables of book {fingerprint[:12]} are not of {book!r}."


def _altered_files(ledger: _Ledger) -> Iterator[str]:
    for file in house_files.every(ledger.tx, ledger.campaign.id):
        if house_files.fingerprint(file.text) != file.fingerprint:
            yield f"The kept file of house rules {file.fingerprint[:12]} does not match its fingerprint."


_ALTERED: Mapping[sa.Table, Callable[[_Ledger], Iterator[str]]] = {
    actor: _altered_people,
    book_version: _altered_books,
    document: _altered_files,
}
"""What does not match the chain, by table: people behind pseudonyms, books and files behind fingerprints."""


def _is_hex(salt: str) -> bool:
    try:
        return bool(bytes.fromhex(salt))
    except ValueError:
        return False


def _differences(ledger: _Ledger) -> Iterator[str]:
    """Yield what differs from what the entries say, in what is made from them and in what they name."""
    if ledger.unreadable.isdisjoint(_PROJECTED):
        yield from _state_faults(state.everything(ledger.tx, ledger.campaign.id), ledger.projection.state)
        yield from _name_faults(ledger)
    if book_version not in ledger.unreadable:
        kept = {fingerprint for fingerprint, _, _ in entries.books(ledger.tx, ledger.campaign.id)}
        for item in ledger.history:
            if item.book is not None and item.book not in kept:
                yield f"Entry {item.number}: the book that it was rolled by is not kept ({item.book[:12]})."
    if document not in ledger.unreadable:
        yield from _missing_files(ledger)
    for item in ledger.history:
        if item.audience != (audience := ledger.projection.audiences[item.number]):
            yield f"Entry {item.number}: its audience is {item.audience}, not {audience}."


def _missing_files(ledger: _Ledger) -> Iterator[str]:
    """Yield a fault for each entry that switched house rules on or off whose file is missing."""
    kept = {file.fingerprint for file in house_files.every(ledger.tx, ledger.campaign.id) if file.kept}
    for item in ledger.history:
        if item.kind == "house" and item.content()["fingerprint"] not in kept:
            yield f"Entry {item.number}: its file of house rules is not kept."


def _name_faults(ledger: _Ledger) -> Iterator[str]:
    """Yield a fault for each subject that is looked up under another name than it bears."""
    rows = ledger.tx.execute(sa.select(subject).where(subject.c.campaign_id == ledger.campaign.id))
    for row in rows:
        if row.name_key != name_key(row.name):
            yield f"Subject {row.id}: it is called {row.name!r}, and looked up as {row.name_key!r}."


def _state_faults(stored: State, computed: State) -> Iterator[str]:
    for subject_name, name in sorted(stored.keys() | computed.keys()):
        actual, expected = stored.get((subject_name, name)), computed.get((subject_name, name))
        if actual != expected:
            yield f"State {subject_name!r} {name!r}: it is {actual!r}, and the entries add up to {expected!r}."
