"""The engine and its two kinds of transaction: reading, and writing under the one lock that orders all entries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

BUSY_TIMEOUT_MS = 30_000
_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",  # first: the next one has to wait for other processes too
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


class Database:
    """One database, SQLite or PostgreSQL, and the way to its transactions."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self._writing = asyncio.Lock()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees one state of the database throughout."""
        async with self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                await connection.execution_options(isolation_level="REPEATABLE READ")
            async with connection.begin():
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is committed when the block ends and rolled back when it raises.

        On SQLite it begins IMMEDIATE, so that what it reads cannot be overtaken by another writer; writers of this
        process queue up here instead of polling the file. On PostgreSQL the writer locks its campaign's row first.
        """
        async with self._writing, self.engine.connect() as connection:
            await connection.execution_options(begin_immediate=True)
            async with connection.begin():
                yield connection

    async def close(self) -> None:
        """Give all connections back."""
        await self.engine.dispose()


def _engine(url: str) -> AsyncEngine:
    engine = create_async_engine(url)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        sa.event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: DBAPIConnection, _record: Any) -> None:  # noqa: ANN401
    connection.isolation_level = None  # SQLAlchemy says BEGIN itself, below
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    immediate = connection.get_execution_options().get("begin_immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
