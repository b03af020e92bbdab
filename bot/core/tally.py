"""One pass over a campaign's entries: their faults, and what they add up to."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from datetime import datetime
from operator import itemgetter
from sys import intern
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import campaigns, entries, epochs, ledger, proofs, seeds, state
from bot.core.records import ERASURE, VOID, Json, Link, unpack
from bot.core.schema import PackedText, UtcDateTime, campaign, entry, entry_text, metadata, registered, search
from bot.core.state import AMENDED, AUDIENCE, VOIDED, State

BATCH = 500
_STORED = [sa.type_coerce(item, sa.types.NullType()) for item in (*entries.COLUMNS, entry.c.interaction, entry.c.step)]
_ERRORS = (AttributeError, LookupError, StopIteration, TypeError, ValueError, RecursionError)


class UnreadableError(Exception):
    """An entry can't be read."""


class Projection(Struct):
    """State and audiences from a run of entries."""

    kinds: ledger.EntryKinds
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

    def add(self, proof: proofs.Proof) -> None:
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

    def _add(self, seen: proofs.ProvenEntry) -> None:
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

    def _project(self, seen: proofs.ProvenEntry) -> Mapping[str, Json]:
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


def prove_entries(tx: Connection, campaign: campaigns.Campaign, prover: proofs.Prover) -> Iterator[proofs.Proof]:
    """Yield proofs of all a campaign's entries in order."""
    try:
        yield from prover(_list_runs(tx, campaign))
    except (sa.exc.OperationalError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableError(str(error)) from error


def _list_runs(tx: Connection, campaign: campaigns.Campaign) -> Iterator[proofs.Run]:
    link, secrets, amended = Link(campaign.uuid), epochs.list_secrets(tx, campaign.id), _find_amended(tx, campaign.id)
    query = sa.select(*_STORED).where(entry.c.campaign_id == campaign.id).order_by(entry.c.number).limit(BATCH)
    while rows := tx.execute(query.where(entry.c.number > link.number)).all():
        texts = entries.read_texts_between(tx, campaign.id, link.number + 1, rows[-1].number)
        others = [amended[row.number] for row in rows if amended.get(row.number, link.number + 1) <= link.number]
        some = tx.execute(query.where(entry.c.number.in_(others))).all() if others else ()
        of_them = _secrets_between(secrets, link.number + 1, rows[-1].number)
        yield proofs.Run(link, [tuple(row) for row in rows], texts, of_them, [tuple(row) for row in some])
        link = Link(campaign.uuid, rows[-1].number, rows[-1].hash)


def _find_amended(tx: Connection, campaign_id: int) -> dict[int, int]:
    try:
        marks = state.find_values_of_name(tx, campaign_id, VOIDED)
        return {mark["by"]: int(key.removeprefix("entry:")) for key, mark in marks.items() if mark.get(AMENDED)}
    except (*_ERRORS, sa.exc.SQLAlchemyError):
        return {}


def _secrets_between(secrets: seeds.Secrets, first: int, last: int) -> seeds.Secrets:
    begun = bisect_right(secrets, first, key=itemgetter(0)) - 1
    return secrets[max(begun, 0) : bisect_right(secrets, last, key=itemgetter(0))]


CAMPAIGN, HOUSE, UPGRADE = "campaign", "house", "upgrade"
"""Entry kinds that change settings, besides voids: a removed house file takes its tables along, a migration renamed campaigns."""


def check_settings(tx: Connection, campaign: campaigns.Campaign) -> Iterator[str]:
    """Yield settings that differ from the entries' sum, and whether unexplained texts are missing."""
    due, archived = _settings(tx, campaign.id)
    kept = campaigns.list_settings(campaign)
    away = campaigns.SERVER_FIELDS if campaign.guild_id == 0 else ()  # in a capsule nothing belongs to a server
    for name in sorted((due.keys() & kept.keys()).difference(away)):
        if kept[name] != due[name]:
            yield f"Its setting {name} is {kept[name]!r}, and the entries say {due[name]!r}."
    if archived != (campaign.archived_at is not None):
        yield f"It is {'open' if archived else 'archived'}, and the entries say {'archived' if archived else 'open'}."
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


_HASHED = (entry, entry_text)
_BATCH = 1000

Column = sa.Column[Any]
Element = sa.ColumnElement[Any]


class Damage(Struct, frozen=True):
    """A damaged value, or a row of no campaign (None)."""

    campaign_id: int | None
    table: sa.Table
    fault: str


def find_damage(tx: Connection) -> list[Damage]:
    """Return damaged values outside entries; PostgreSQL has none."""
    if tx.dialect.name != "sqlite":
        return []
    known = set(tx.scalars(sa.select(campaign.c.id)))
    tables = [table for table in metadata.sorted_tables if not _is_sound(tx, table)]
    return [damage for table in tables for damage in _in_table(tx, table, known)]


def find_damage_of_entries(tx: Connection, campaign_id: int) -> list[Damage]:
    """Return damaged values of a campaign's entries and texts."""
    tables = [(table, table.c.campaign_id == campaign_id) for table in _HASHED]
    return [damage for table, mine in tables for damage in _in_table(tx, table, {campaign_id}, mine)]


def _owner(table: sa.Table) -> sa.Column[int] | None:
    return None if table is registered else table.c.id if table is campaign else table.c.campaign_id


def _is_sound(tx: Connection, table: sa.Table) -> bool:
    owner = _owner(table)
    # Proving the chain reads all columns of entries but the campaign.
    fit = [_fits(column) for column in ((table.c.campaign_id,) if table is entry else table.c)]
    owned = [] if owner is None else [owner.in_(sa.select(campaign.c.id))]
    strange = sa.select(sa.literal(1)).where(~sa.and_(*fit, *owned))
    if tx.scalar(strange.limit(1)) is not None:
        return False
    columns = [] if table in {*_HASHED, search} else [item for item in table.c if not isinstance(item.type, sa.Integer)]
    try:
        for rows in tx.execute(sa.select(*map(_raw, columns))).partitions(_BATCH) if columns else ():
            for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                fits = _kind_of(column).fits  # once for many values: to look it up takes longer than to look at one
                if not all(column.nullable if value is None else fits(value) for value in set(values)):
                    return False
    except sa.exc.OperationalError:  # text that is none
        return False
    return True


def _fits(column: Column) -> sa.ColumnElement[bool]:
    fits = sa.func.typeof(column).in_(_kind_of(column).kinds)
    return fits | column.is_(sa.null()) if column.nullable else fits


def _raw(column: Column) -> Element:
    return sa.type_coerce(column, sa.types.NullType()).label(column.name)


def _in_table(
    tx: Connection, table: sa.Table, known: Collection[int], which: sa.ColumnElement[bool] | None = None
) -> Iterator[Damage]:
    owner = _owner(table)
    asked = _select_values(tx, table)
    query = sa.select(*(item for pair in asked.values() for item in pair))
    for row in tx.execute(query if which is None else query.where(which)):
        values = {column: _value(*row[2 * place : 2 * place + 2]) for place, column in enumerate(asked)}
        keys = [str(values[column]) for column in table.primary_key if column is not owner or table is campaign]
        name = f"{table.name.replace('_', ' ').capitalize()} {' '.join(keys)}"
        mine = None if owner is None or values[owner] not in known else values[owner]
        if mine is None and owner is not None:
            yield Damage(None, table, f"{name}: it doesn't belong to a campaign.")
        for column, value in values.items():
            kind = _kind_of(column)
            if value is None and not column.nullable:
                yield Damage(mine, table, f"{name}: {column.name} is missing.")
            elif value is not None and not kind.fits(value):
                yield Damage(mine, table, f"{name}: {column.name} isn't a {kind.noun}.")


def _select_values(tx: Connection, table: sa.Table) -> dict[Column, tuple[sa.ColumnElement[str], Element]]:
    if tx.dialect.name == "sqlite":
        return {column: (sa.func.typeof(column), sa.cast(column, sa.LargeBinary)) for column in table.c}
    columns = [column for column in table.c if column.primary_key or isinstance(column.type, PackedText)]
    return {column: (sa.literal("blob"), _raw(column)) for column in columns}


def _value(kind: str, raw: bytes | None) -> Any:  # noqa: ANN401 - what SQLite can keep
    if raw is None or kind == "blob":
        return raw
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return raw
    return {"integer": int, "real": float}.get(kind, str)(text)


def _kind_of(column: Column) -> _ValueKind:
    return next(reader for kind, reader in _VALUE_KINDS.items() if isinstance(column.type, kind))


def _is_time(value: object) -> bool:
    try:
        return datetime.fromisoformat(str(value)).year > 1 and isinstance(value, str)
    except ValueError:
        return False


def _is_json(value: object) -> bool:
    if isinstance(value, int | float):  # SQLite turns the text of a number into one
        return True
    try:
        json.loads(value if isinstance(value, str) else "")
    except (ValueError, RecursionError):
        return False
    return True


def _is_packed(value: object) -> bool:
    try:
        unpack(value)
    except ValueError:
        return False
    return True


class _ValueKind(NamedTuple):
    """A type's SQLite kinds, its test, and its noun."""

    kinds: tuple[str, ...]
    fits: Callable[[object], bool]
    noun: str


_VALUE_KINDS: dict[type, _ValueKind] = {
    sa.Boolean: _ValueKind(("integer",), lambda value: value in {0, 1}, "yes or no"),
    sa.Integer: _ValueKind(("integer",), lambda value: isinstance(value, int), "whole number"),
    UtcDateTime: _ValueKind(("text",), _is_time, "time"),
    PackedText: _ValueKind(("blob",), _is_packed, "text"),
    sa.JSON: _ValueKind(("text", "integer", "real"), _is_json, "JSON"),
    sa.String: _ValueKind(("text",), lambda value: isinstance(value, str), "text"),
}


def entry_columns() -> list[Column]:
    """Return all columns that name an entry."""
    columns = [column for table in metadata.sorted_tables for column in table.c]
    named = {"entry", "entry_number"}
    keys = {column for column in columns if any(key.column is entry.c.number for key in column.foreign_keys)}
    return [column for column in columns if column.name in named or column in keys]
