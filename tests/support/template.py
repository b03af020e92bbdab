"""An empty database that is migrated once per process and copied for each test."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.core.database import Database
from bot.core.migrate import upgrade


def copy_to(file: Path) -> None:
    """Make a SQLite file as the newest migration leaves an empty database; a file that is there stays as it is."""
    if not file.exists():
        file.write_bytes(_migrated())


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as thread:
        file = Path(folder) / "adjutant.db"
        thread.submit(asyncio.run, _migrate(file)).result()  # a thread, as the test has an event loop that runs
        return file.read_bytes()


async def _migrate(file: Path) -> None:
    database = Database(f"sqlite:///{file}")
    await upgrade(database)
    await database.close()
