"""Processes that share a SQLite file."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiosqlite
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.database import Database, WriteTurn


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A file with an empty purse."""
    made = Database(f"sqlite:///{tmp_path / 'adjutant.db'}")
    await made.write(lambda tx: tx.exec_driver_sql("CREATE TABLE purse (coins INTEGER)"))
    yield made
    await made.close()


@pytest.fixture
def turn(database: Database) -> Iterator[int]:
    """The lock file, for another process."""
    opened = os.open(f"{database.engine.url.database}-turn", os.O_RDWR)
    yield opened
    os.close(opened)


def put(tx: sa.Connection) -> int:
    """Put a coin in; return the sum."""
    tx.exec_driver_sql("INSERT INTO purse VALUES (1)")
    return count(tx)


def count(tx: sa.Connection) -> int:
    """The coins."""
    return int(tx.exec_driver_sql("SELECT count(*) FROM purse").scalar_one())


async def test_a_writer_waits_for_its_turn_and_a_reader_does_not(database: Database, turn: int) -> None:
    """Committed data stays readable."""
    fcntl.flock(turn, fcntl.LOCK_EX)
    writing = asyncio.ensure_future(database.write(put))
    done, _ = await asyncio.wait([writing], timeout=0.2)
    assert not done
    assert await database.read(count) == 0
    fcntl.flock(turn, fcntl.LOCK_UN)
    assert await writing == 1


async def test_a_transaction_that_fails_gives_its_turn_back(database: Database, turn: int) -> None:
    """After a rollback too."""
    with pytest.raises(sa.exc.OperationalError):
        await database.write(lambda tx: tx.exec_driver_sql("no statement"))
    fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(turn, fcntl.LOCK_UN)
    assert await database.write(put) == 1


def test_a_process_that_keeps_its_turn_delays_another_only_for_so_long(database: Database, turn: int) -> None:
    """Up to the limit."""
    fcntl.flock(turn, fcntl.LOCK_EX)
    with WriteTurn(database.file or Path(), 0.05):
        fcntl.flock(turn, fcntl.LOCK_UN)
    with WriteTurn(database.file or Path(), 0.05), pytest.raises(BlockingIOError):
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_where_a_file_cannot_be_locked_the_write_goes_on(tmp_path: Path) -> None:
    """Without delay."""
    (tmp_path / "adjutant.db-turn").mkdir()
    written = []
    with WriteTurn(tmp_path / "adjutant.db", 30):
        written.append("row")
    assert written == ["row"]


async def test_a_fresh_file_that_another_process_prepares_is_waited_for(tmp_path: Path) -> None:
    """Switching to WAL is retried."""
    file = tmp_path / "fresh.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE seen (number INTEGER)")
    other.execute("BEGIN IMMEDIATE")
    database = Database(f"sqlite:///{file}")
    try:
        reading = asyncio.ensure_future(database.read(mode_of))
        done, _ = await asyncio.wait([reading], timeout=0.2)
        assert not done
        other.execute("COMMIT")
        assert await reading == "wal"
    finally:
        other.close()
        await database.close()


@pytest.mark.parametrize("steps", range(6))
async def test_whoever_comes_while_a_connection_is_opened_takes_it_from_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Each transaction has its connection."""
    opened, connect = asyncio.Event(), aiosqlite.Connection._connect

    async def connect_and_tell(connection: aiosqlite.Connection) -> aiosqlite.Connection:
        await connect(connection)
        opened.set()
        return connection

    monkeypatch.setattr(aiosqlite.Connection, "_connect", connect_and_tell)
    database = Database(f"sqlite:///{tmp_path / 'fresh.db'}")
    first = asyncio.ensure_future(database.read(mode_of))
    await opened.wait()
    for _ in range(steps):
        await asyncio.sleep(0)
    second = asyncio.ensure_future(database.read(mode_of))
    answers = list(await asyncio.gather(first, second))
    assert answers == ["wal", "wal"]
    await database.close()


def mode_of(tx: Connection) -> str:
    """A file's journal mode."""
    return str(tx.exec_driver_sql("PRAGMA journal_mode").scalar())
