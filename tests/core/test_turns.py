"""Processes that write to one SQLite file: they take turns, and nobody waits without end."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core.connections import WriteTurn
from bot.core.database import Database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A file with an empty purse."""
    made = Database(f"sqlite:///{tmp_path / 'adjutant.db'}")
    await made.write(lambda tx: tx.exec_driver_sql("CREATE TABLE purse (coins INTEGER)"))
    yield made
    await made.close()


@pytest.fixture
def turn(database: Database) -> Iterator[int]:
    """The file on which processes take turns, as another process opens it."""
    opened = os.open(f"{database.engine.url.database}-turn", os.O_RDWR)
    yield opened
    os.close(opened)


def put(tx: sa.Connection) -> int:
    """Put a coin into the purse; gives how many there are."""
    tx.exec_driver_sql("INSERT INTO purse VALUES (1)")
    return count(tx)


def count(tx: sa.Connection) -> int:
    """How many coins there are."""
    return int(tx.exec_driver_sql("SELECT count(*) FROM purse").scalar_one())


async def test_a_writer_waits_for_its_turn_and_a_reader_does_not(database: Database, turn: int) -> None:
    """While another process writes, what is committed can be read; the write comes when that one is done."""
    fcntl.flock(turn, fcntl.LOCK_EX)
    writing = asyncio.ensure_future(database.write(put))
    done, _ = await asyncio.wait([writing], timeout=0.2)
    assert not done
    assert await database.read(count) == 0
    fcntl.flock(turn, fcntl.LOCK_UN)
    assert await writing == 1


async def test_a_transaction_that_fails_gives_its_turn_back(database: Database, turn: int) -> None:
    """Nobody waits for one that was rolled back."""
    with pytest.raises(sa.exc.OperationalError):
        await database.write(lambda tx: tx.exec_driver_sql("no statement"))
    fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(turn, fcntl.LOCK_UN)
    assert await database.write(put) == 1


def test_a_process_that_keeps_its_turn_delays_another_only_for_so_long(database: Database, turn: int) -> None:
    """A process that holds its turn and does nothing delays another up to the limit; then that one goes on without."""
    fcntl.flock(turn, fcntl.LOCK_EX)
    with WriteTurn(database.file or Path(), 0.05)():
        fcntl.flock(turn, fcntl.LOCK_UN)
    with WriteTurn(database.file or Path(), 0.05)(), pytest.raises(BlockingIOError):
        fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_where_a_file_cannot_be_locked_the_write_goes_on(tmp_path: Path) -> None:
    """A lock file that can't be opened doesn't delay or stop a write."""
    (tmp_path / "adjutant.db-turn").mkdir()
    written = []
    with WriteTurn(tmp_path / "adjutant.db", 30)():
        written.append("row")
    assert written == ["row"]
