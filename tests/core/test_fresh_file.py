"""A SQLite file that two processes open for the first time at once."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

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


def mode_of(tx: Connection) -> str:
    """How the file keeps what is written."""
    return str(tx.exec_driver_sql("PRAGMA journal_mode").scalar())
