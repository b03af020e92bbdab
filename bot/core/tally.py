"""One pass over a campaign's entries: what is wrong with them, and what they add up to: state, audiences, settings, erased texts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Mapping
from operator import itemgetter
from sys import intern

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import entries, epochs, state
from bot.core.campaigns import SERVER_FIELDS, Campaign, list_settings
from bot.core.encoding import Json
from bot.core.entry_kinds import EntryKinds
from bot.core.proofs import Proof, Prover, Run, Seen
from bot.core.records import ERASURE, VOID, Link
from bot.core.schema import entry, entry_text
from bot.core.seeds import Secrets
from bot.core.state import AMENDED, AUDIENCE, VOIDED, State

BATCH = 500
"""How many entries are read at once."""

_STORED = [sa.type_coerce(item, sa.types.NullType()) for item in (*entries.COLUMNS, entry.c.interaction, entry.c.step)]
_ERRORS = (AttributeError, LookupError, StopIteration, TypeError, ValueError, RecursionError)


class UnreadableError(Exception):
    """Something of a campaign's entries can't be read."""


class Projection(Struct):
    """What a run of entries adds up to: the state, and the audience of each entry by number; nothing has the number 0."""

    kinds: EntryKinds
    state: State = field(default_factory=dict)
    audiences: list[str] = field(default_factory=lambda: [""])

    def add(self, kind: str, body: Mapping[str, Json]) -> None:
        """Add the next entry, whole or not at all."""
        audience = self.kinds.audience(kind, body, self.audiences)
        changes = {(item["subject"], item["name"]): item["after"] for item in body["changes"]}
        if kind == "publication":
            self.audiences[body["entry"]] = "results"
        elif kind == VOID:  # of a publication: the result is for whom it was before
            back = (change for change in changes.items() if change[0][1] == AUDIENCE)
            for (subject, _), before in back:
                self.audiences[int(subject.removeprefix("entry:"))] = before
        self.audiences.append(intern(audience))
        for key, after in changes.items():
            if after is None:
                self.state.pop(key, None)
            else:
                self.state[key] = after


class LedgerTally(Struct):
    """What a pass has found: the entries' faults in words, and what they add up to as long as there are none.

    `whole` reads the body of an entry whose gist says too little. `books` and `files` are the fingerprints of what is kept;
    entries that name others are `missing` them, as faults in words. `stored` are the audiences as they are kept, `roots` the
    Merkle roots of the secrets of epochs; `named` are the epochs that records of dice name, each with the first entry that does.
    """

    projection: Projection
    whole: Callable[[int], Mapping[str, Json]]
    books: Container[str]
    files: Container[str]
    entries: int = 0
    newest: int = 0
    faults: list[str] = field(default_factory=list)
    unread: str | None = None
    stored: list[str] = field(default_factory=lambda: [""])
    roots: dict[str, str] = field(default_factory=dict)
    named: Mapping[int, int] = field(default_factory=dict)
    missing_books: list[str] = field(default_factory=list)
    missing_files: list[str] = field(default_factory=list)

    def add(self, proof: Proof) -> None:
        """Add the proof of the next run."""
        self.faults += proof.faults
        self.roots |= proof.roots
        self.named = {**proof.named, **self.named}
        for seen in proof.seen:
            self.entries, self.newest = self.entries + 1, seen.number
            if not self.faults and self.unread is None:
                self._add(seen)

    @property
    def audiences(self) -> Iterator[tuple[int, str, str]]:
        """The entries whose audience is not what it should be: number, what is kept, what the entries say."""
        both = zip(self.stored, self.projection.audiences, strict=True)
        return ((number, kept, due) for number, (kept, due) in enumerate(both) if kept != due)

    def _add(self, seen: Seen) -> None:
        self.stored.append(intern(seen.audience))
        try:
            body = self._project(seen)
        except _ERRORS as error:
            self.unread = f"Entry {seen.number}: its body can't be read: {error!r}."
            return
        if seen.book is not None and seen.book not in self.books:
            self.missing_books.append(
                f"Entry {seen.number}: the book that it was rolled by is not kept ({seen.book[:12]})."
            )
        if seen.kind == "house" and body.get("fingerprint") not in self.files:
            self.missing_files.append(f"Entry {seen.number}: its file of house rules is not kept.")

    def _project(self, seen: Seen) -> Mapping[str, Json]:
        """Add an entry to the projection and return its body, or its gist where that was enough."""
        if seen.gist is not None:
            try:
                self.projection.add(seen.kind, seen.gist)
            except _ERRORS:
                pass
            else:
                return seen.gist
        body = self.whole(seen.number)
        self.projection.add(seen.kind, body)
        return body


class Everything:
    """A collection in which everything is: for what cannot be looked up."""

    def __contains__(self, item: object) -> bool:
        return True


def prove_entries(tx: Connection, campaign: Campaign, prover: Prover) -> Iterator[Proof]:
    """Yield the proofs of all of a campaign's entries, in their order."""
    try:
        yield from prover(_runs(tx, campaign))
    except (sa.exc.OperationalError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableError(str(error)) from error


def _runs(tx: Connection, campaign: Campaign) -> Iterator[Run]:
    link, secrets, amended = Link(campaign.uuid), epochs.list_secrets(tx, campaign.id), _amended(tx, campaign.id)
    query = sa.select(*_STORED).where(entry.c.campaign_id == campaign.id).order_by(entry.c.number).limit(BATCH)
    while rows := tx.execute(query.where(entry.c.number > link.number)).all():
        texts = entries.read_texts_between(tx, campaign.id, link.number + 1, rows[-1].number)
        others = [amended[row.number] for row in rows if amended.get(row.number, link.number + 1) <= link.number]
        some = tx.execute(query.where(entry.c.number.in_(others))).all() if others else ()
        of_them = _secrets_between(secrets, link.number + 1, rows[-1].number)
        yield Run(link, [tuple(row) for row in rows], texts, of_them, [tuple(row) for row in some])
        link = Link(campaign.uuid, rows[-1].number, rows[-1].hash)


def _amended(tx: Connection, campaign_id: int) -> dict[int, int]:
    """Return the entries that were amended, by the number of the one that amends each; none where the state can't be read."""
    try:
        marks = state.find_values_of_name(tx, campaign_id, VOIDED)
        return {mark["by"]: int(key.removeprefix("entry:")) for key, mark in marks.items() if mark.get(AMENDED)}
    except (*_ERRORS, sa.exc.SQLAlchemyError):
        return {}


def _secrets_between(secrets: Secrets, first: int, last: int) -> Secrets:
    """Return the secrets of the epochs that entries from the first to the last belong to."""
    begun = bisect_right(secrets, first, key=itemgetter(0)) - 1
    return secrets[max(begun, 0) : bisect_right(secrets, last, key=itemgetter(0))]


CAMPAIGN, HOUSE, UPGRADE = "campaign", "house", "upgrade"
"""The kinds of the entries that change settings, beside voids: a file of house rules that goes takes its tables along, and a migration has renamed campaigns."""


def check_settings(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield what of a campaign's row, such as roles, books or whether it is archived, isn't what its entries have made of it.

    A setting that no entry names was made by a version without it, and isn't compared.
    """
    due, archived = _settings(tx, campaign.id)
    kept = list_settings(campaign)
    away = SERVER_FIELDS if campaign.guild_id == 0 else ()  # in a capsule nothing belongs to a server
    for name in sorted((due.keys() & kept.keys()).difference(away)):
        if kept[name] != due[name]:
            yield f"Its setting {name} is {kept[name]!r}, and the entries say {due[name]!r}."
    if archived != (campaign.archived_at is not None):
        yield f"It is {'open' if archived else 'archived'}, and the entries say {'archived' if archived else 'open'}."


def check_erased_texts(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield a fault where more texts are gone than the entries of erasures account for."""
    mine = (entry_text.c.campaign_id == campaign.id, entry_text.c.text.is_(None), entry_text.c.salt.is_(None))
    gone = tx.scalar(sa.select(sa.func.count()).where(*mine)) or 0
    erased = sum(int(item.content()["erased"]) for item in entries.walk_back(tx, campaign.id, ERASURE)) if gone else 0
    if gone > erased:
        yield f"{gone} texts are gone, and the entries of erasures account for {erased}."


def _settings(tx: Connection, campaign_id: int) -> tuple[dict[str, Json], bool]:
    """Return the settings that the entries add up to, as far as they name them, and whether the campaign is archived."""
    due: dict[str, Json] = {}
    archived = False
    for item in entries.walk_kinds(tx, campaign_id, (CAMPAIGN, HOUSE, UPGRADE, VOID)):
        body = item.content()
        due |= body.get("created") or body.get("imported") or {}
        edited = ((name, change) for name, change in body.get("edited", {}).items() if isinstance(change, dict))
        due |= {name: change["after"] for name, change in edited}
        if due.get("name") in body.get("renamed", {}):
            due["name"] = body["renamed"][due["name"]]
        archived = body.get("archived", archived) is True
    return due, archived
