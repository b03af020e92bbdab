"""Statements that are compiled once do what SQLAlchemy does, and a transaction is all or nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.core.database import Database
from bot.core.engine import CONNECTIONS
from tests.support.shortcuts import MODES

METADATA = sa.MetaData()
THING = sa.Table(
    "thing",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(2000)),
    sa.Column("value", sa.JSON),
    sa.Column("is_open", sa.Boolean),
    sa.Column("at", sa.DateTime(timezone=True)),
)
ADD = THING.insert()
SOME = (
    sa.select(THING.c.name, THING.c.value, THING.c.is_open, THING.c.at, sa.literal("x").label("x"))
    .where(THING.c.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(THING.c.id)
    .limit(sa.bindparam("most"))
)
RENAME = THING.update().where(THING.c.id == sa.bindparam("number")).values(name=sa.bindparam("name"))
ROWS: list[dict[str, Any]] = [
    {"name": None, "value": None, "is_open": None, "at": None},
    {
        "name": "ö'\ud83d\ude80".encode("utf-16", "surrogatepass").decode("utf-16"),
        "value": {"a": [1, None]},
        "is_open": True,
        "at": datetime(2026, 3, 1, tzinfo=UTC),
    },
    {"name": "", "value": [], "is_open": False, "at": datetime(1999, 1, 2, 3, 4, 5, 6, tzinfo=UTC)},
]


@pytest.fixture
async def things(tmp_path: Path) -> AsyncIterator[Database]:
    """A file with a table."""
    made = Database(f"sqlite:///{tmp_path / 'things.db'}")
    await made.write(METADATA.create_all)
    yield made
    await made.close()


def use(tx: sa.Connection) -> list[object]:
    """Add, change and read in every way; return all that came back."""
    keys = [tuple(tx.execute(ADD, row).inserted_primary_key or ()) for row in ROWS]
    tx.execute(ADD, ROWS)
    lists: list[list[int]] = [[], [1], [1, 2, 3], [2, 2], [*range(1, 9)]]
    found = [[tuple(row) for row in tx.execute(SOME, {"ids": ids, "most": 5})] for ids in lists]
    counts = [tx.execute(RENAME, {"number": number, "name": "new"}).rowcount for number in (1, 99)]
    first = tx.execute(SOME, {"ids": [2], "most": 1}).first()
    one = tx.execute(SOME, {"ids": [2], "most": 1}).one()
    assert first is not None
    return [keys, found, counts, tuple(first), first._mapping, tuple(one), tx.scalar(SOME, {"ids": [3], "most": 1})]


async def test_a_statement_says_the_same_each_time_it_is_used(things: Database) -> None:
    """The first time SQLAlchemy runs it, then it is compiled."""

    def emptied(tx: sa.Connection) -> list[object]:
        tx.execute(THING.delete())
        return use(tx)

    said = [await things.write(emptied) for _ in range(3)]
    assert said[0] == said[1] == said[2]


async def test_what_is_wrong_is_told_as_sqlalchemy_does(things: Database) -> None:
    """Missing parameters, and rows that exist."""
    row = {"id": 1, **ROWS[1]}
    await things.write(lambda tx: tx.execute(ADD, row))
    for _ in range(3):
        with pytest.raises(sa.exc.IntegrityError):
            await things.write(lambda tx: tx.execute(ADD, row))
        with pytest.raises(sa.exc.SQLAlchemyError):
            await things.read(lambda tx: tx.execute(SOME, {"ids": [1]}))


async def test_a_disk_that_is_full_keeps_nothing_of_a_transaction(things: Database) -> None:
    """SQLite rolls back by itself then; nothing goes on."""

    def fill(tx: sa.Connection, rows: int) -> None:
        for number in range(rows):
            tx.execute(ADD, {**ROWS[0], "name": "n" * 2000, "value": number})

    await things.write(fill, 3)

    def overflow(tx: sa.Connection) -> None:
        tx.exec_driver_sql("PRAGMA max_page_count = 20")
        tx.exec_driver_sql("PRAGMA cache_size = 2")
        fill(tx, 200)

    with pytest.raises(sa.exc.OperationalError, match="full"):
        await things.write(overflow)
    assert await things.read(lambda tx: tx.scalar(sa.select(sa.func.count()).select_from(THING))) == 3
    await things.write(lambda tx: tx.exec_driver_sql("PRAGMA max_page_count = 100000"))
    await things.write(fill, 1)


async def test_a_commit_that_fails_leaves_the_connection_usable(things: Database) -> None:
    """Its transaction is rolled back."""
    owns = "CREATE TABLE part (of INTEGER REFERENCES thing (id) DEFERRABLE INITIALLY DEFERRED)"
    await things.write(lambda tx: tx.exec_driver_sql(owns))
    for write in (things.write_minor, things.write):
        with pytest.raises(sa.exc.IntegrityError):
            await write(lambda tx: tx.exec_driver_sql("INSERT INTO part VALUES (99)"))
        assert await things.write(lambda tx: tx.exec_driver_sql("SELECT count(*) FROM part").scalar_one()) == 0


async def test_only_minor_writes_do_not_wait_for_the_disk(things: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every connection, whatever it did before."""
    monkeypatch.setattr(things, "_modes", MODES)
    full, normal = 2, 1
    for _ in range(CONNECTIONS):
        assert await things.write_minor(how) == normal
        assert await things.write(how) == full


def how(tx: sa.Connection) -> int:
    """SQLite's `synchronous`."""
    return int(tx.exec_driver_sql("PRAGMA synchronous").scalar_one())
