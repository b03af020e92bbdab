"""Values that cannot be what they should: SQLite takes anything in any column, and a damaged file hands out anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.packing import unpack
from bot.core.schema import PackedText, UtcDateTime, campaign, entry, metadata


class Damage(Struct, frozen=True):
    """A value that cannot be read, or a row of no campaign (None): in which table, and what is wrong in words."""

    campaign_id: int | None
    table: sa.Table
    fault: str


def find(tx: Connection) -> list[Damage]:
    """Return every damaged value of the database; PostgreSQL refuses such values by itself."""
    if tx.dialect.name != "sqlite":
        return []
    known = set(tx.scalars(sa.select(campaign.c.id)))
    return [damage for table in metadata.sorted_tables for damage in _in_table(tx, table, known)]


def _in_table(tx: Connection, table: sa.Table, known: set[int]) -> Iterator[Damage]:
    """Yield what is wrong with a table; its values are read as bytes, which nothing can keep from being read."""
    owner = table.c.id if table is campaign else table.c.campaign_id
    asked = [item for column in table.c for item in (sa.func.typeof(column), sa.cast(column, sa.LargeBinary))]
    for row in tx.execute(sa.select(*asked)):
        values = {column: _value(*row[2 * place : 2 * place + 2]) for place, column in enumerate(table.c)}
        keys = [str(values[column]) for column in table.primary_key if column is not owner or table is campaign]
        name = f"{table.name.replace('_', ' ').capitalize()} {' '.join(keys)}"
        mine = values[owner] if values[owner] in known else None
        if mine is None:
            yield Damage(None, table, f"{name}: it belongs to no campaign.")
        for column, value in values.items():
            what = _fault(column, value)
            if what is not None:
                yield Damage(mine, table, f"{name}: {column.name} {what}.")


def _value(kind: str, raw: bytes | None) -> Any:  # noqa: ANN401 - what SQLite can keep
    """Return a value as it is stored; text that is none stays bytes."""
    if raw is None or kind == "blob":
        return raw
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return raw
    return {"integer": int, "real": float}.get(kind, str)(text)


def _fault(column: sa.Column[Any], value: object) -> str | None:
    """Return what is wrong with a value as it is stored."""
    if value is None:
        return None if column.nullable else "is missing"
    fits, noun = next(reader for kind, reader in _READERS.items() if isinstance(column.type, kind))
    return None if fits(value) else f"is no {noun}"


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


_READERS: dict[type, tuple[Callable[[object], bool], str]] = {
    sa.Boolean: (lambda value: value in {0, 1}, "yes or no"),
    sa.Integer: (lambda value: isinstance(value, int), "whole number"),
    UtcDateTime: (_is_time, "time"),
    PackedText: (_is_packed, "text"),
    sa.JSON: (_is_json, "JSON"),
    sa.String: (lambda value: isinstance(value, str), "text"),
}


def entry_columns() -> list[sa.Column[Any]]:
    """Return the columns of all tables that name an entry by its number."""
    columns = [column for table in metadata.sorted_tables for column in table.c]
    return [
        column
        for column in columns
        if column.name in {"entry", "entry_number"} or any(key.column is entry.c.number for key in column.foreign_keys)
    ]
