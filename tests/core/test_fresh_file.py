"""A SQLite file that is opened for the first time, by two at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import aiosqlite
import pytest
from sqlalchemy import Connection

from bot.core.database import Database


async def test_a_fresh_file_that_another_process_prepares_is_waited_for(tmp_path: Path) -> None:
    """SQLite refuses at once to switch a file to WAL that somebody writes to; the database tries again until it may."""
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
    """At each step of the loop after the opening, a second transaction finds a connection and the first keeps its own."""
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
    """How the file keeps what is written."""
    return str(tx.exec_driver_sql("PRAGMA journal_mode").scalar())
