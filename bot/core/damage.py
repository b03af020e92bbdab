"""Find damaged values: SQLite accepts anything in any column."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.records import unpack
from bot.core.schema import PackedText, UtcDateTime, campaign, entry, entry_text, metadata, registered, search

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
