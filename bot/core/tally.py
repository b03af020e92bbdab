"""One pass over a campaign's entries: their faults, and what they add up to."""

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
from bot.core.ledger import EntryKinds
from bot.core.proofs import Proof, ProvenEntry, Prover, Run
from bot.core.records import ERASURE, VOID, Json, Link
from bot.core.schema import entry, entry_text
from bot.core.seeds import Secrets
from bot.core.state import AMENDED, AUDIENCE, VOIDED, State

BATCH = 500
_STORED = [sa.type_coerce(item, sa.types.NullType()) for item in (*entries.COLUMNS, entry.c.interaction, entry.c.step)]
_ERRORS = (AttributeError, LookupError, StopIteration, TypeError, ValueError, RecursionError)


class UnreadableError(Exception):
    """An entry can't be read."""


class Projection(Struct):
    """State and audiences from a run of entries."""

    kinds: EntryKinds
    state: State = field(default_factory=dict)
    audiences: list[str] = field(default_factory=lambda: [""])

    def add(self, kind: str, body: Mapping[str, Json]) -> None:
        """Add the next entry, completely or not at all."""
        audience = self.kinds.audience(kind, body, self.audiences)
        changes = {(item["subject"], item["name"]): item["after"] for item in body["changes"]}
        if kind == "publication":
            self.audiences[body["entry"]] = "results"
        elif kind == VOID:  # of a publication: the result has its former audience
            for (subject, name), before in changes.items():
                if name == AUDIENCE:
                    self.audiences[int(subject.removeprefix("entry:"))] = before
        self.audiences.append(intern(audience))
        for key, after in changes.items():
            if after is None:
                self.state.pop(key, None)
            else:
                self.state[key] = after


class LedgerTally(Struct):
    """Faults, and the entries' sum while there are none.

    `whole` reads a full body. `books` and `files` are kept fingerprints, `missing` those that entries name without. `roots` are by secret,
    `named` first entries by epoch.
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
        """Add the next run's proof."""
        self.faults += proof.faults
        self.roots |= proof.roots
        self.named = {**proof.named, **self.named}
        for seen in proof.seen:
            self.entries, self.newest = self.entries + 1, seen.number
            if not self.faults and self.unread is None:
                self._add(seen)

    @property
    def audiences(self) -> Iterator[tuple[int, str, str]]:
        """Entries with a wrong audience: number, stored, due."""
        both = zip(self.stored, self.projection.audiences, strict=True)
        return ((number, kept, due) for number, (kept, due) in enumerate(both) if kept != due)

    def _add(self, seen: ProvenEntry) -> None:
        self.stored.append(intern(seen.audience))
        try:
            body = self._project(seen)
        except _ERRORS as error:
            self.unread = f"Entry {seen.number}: its body can't be read: {error!r}."
            return
        if seen.book is not None and seen.book not in self.books:
            what = f"the book that it was rolled by is not kept ({seen.book[:12]})"
            self.missing_books.append(f"Entry {seen.number}: {what}.")
        if seen.kind == "house" and body.get("fingerprint") not in self.files:
            self.missing_files.append(f"Entry {seen.number}: its file of house rules is not kept.")

    def _project(self, seen: ProvenEntry) -> Mapping[str, Json]:
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


class EveryKey:
    """Contains every key: used where kept books or files can't be compared."""

    def __contains__(self, item: object) -> bool:
        return True


def prove_entries(tx: Connection, campaign: Campaign, prover: Prover) -> Iterator[Proof]:
    """Yield proofs of all a campaign's entries in order."""
    try:
        yield from prover(_list_runs(tx, campaign))
    except (sa.exc.OperationalError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableError(str(error)) from error


def _list_runs(tx: Connection, campaign: Campaign) -> Iterator[Run]:
    link, secrets, amended = Link(campaign.uuid), epochs.list_secrets(tx, campaign.id), _find_amended(tx, campaign.id)
    query = sa.select(*_STORED).where(entry.c.campaign_id == campaign.id).order_by(entry.c.number).limit(BATCH)
    while rows := tx.execute(query.where(entry.c.number > link.number)).all():
        texts = entries.read_texts_between(tx, campaign.id, link.number + 1, rows[-1].number)
        others = [amended[row.number] for row in rows if amended.get(row.number, link.number + 1) <= link.number]
        some = tx.execute(query.where(entry.c.number.in_(others))).all() if others else ()
        of_them = _secrets_between(secrets, link.number + 1, rows[-1].number)
        yield Run(link, [tuple(row) for row in rows], texts, of_them, [tuple(row) for row in some])
        link = Link(campaign.uuid, rows[-1].number, rows[-1].hash)


def _find_amended(tx: Connection, campaign_id: int) -> dict[int, int]:
    try:
        marks = state.find_values_of_name(tx, campaign_id, VOIDED)
        return {mark["by"]: int(key.removeprefix("entry:")) for key, mark in marks.items() if mark.get(AMENDED)}
    except (*_ERRORS, sa.exc.SQLAlchemyError):
        return {}


def _secrets_between(secrets: Secrets, first: int, last: int) -> Secrets:
    begun = bisect_right(secrets, first, key=itemgetter(0)) - 1
    return secrets[max(begun, 0) : bisect_right(secrets, last, key=itemgetter(0))]


CAMPAIGN, HOUSE, UPGRADE = "campaign", "house", "upgrade"
"""Entry kinds that change settings, besides voids: a removed house file takes its tables along, a migration renamed campaigns."""


def check_settings(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield settings that differ from the entries' sum."""
    due, archived = _settings(tx, campaign.id)
    kept = list_settings(campaign)
    away = SERVER_FIELDS if campaign.guild_id == 0 else ()  # in a capsule nothing belongs to a server
    for name in sorted((due.keys() & kept.keys()).difference(away)):
        if kept[name] != due[name]:
            yield f"Its setting {name} is {kept[name]!r}, and the entries say {due[name]!r}."
    if archived != (campaign.archived_at is not None):
        yield f"It is {'open' if archived else 'archived'}, and the entries say {'archived' if archived else 'open'}."


def check_erased_texts(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield a fault if unexplained texts are missing."""
    mine = (entry_text.c.campaign_id == campaign.id, entry_text.c.text.is_(None), entry_text.c.salt.is_(None))
    gone = tx.scalar(sa.select(sa.func.count()).where(*mine)) or 0
    erased = sum(int(item.content()["erased"]) for item in entries.walk_back(tx, campaign.id, ERASURE)) if gone else 0
    if gone > erased:
        yield f"{gone} texts are gone, and the entries of erasures account for {erased}."


def _settings(tx: Connection, campaign_id: int) -> tuple[dict[str, Json], bool]:
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
