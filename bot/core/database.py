"""The engine and its two kinds of transaction: reading, and writing under the one lock that orders all entries.

A transaction is a plain function of a connection, run as a whole in a thread: the event loop never waits for a disk or a
lock, and a transaction costs one change of threads, however many statements it has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

BUSY_TIMEOUT_MS = 30_000
THREADS = 4
_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",  # first: the next one has to wait for other processes too
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)
_DRIVERS = {
    "sqlite+aiosqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+asyncpg": "postgresql+psycopg",
}

T = TypeVar("T")
Work = Callable[[sa.Connection], T]


class Database:
    """One database, SQLite or PostgreSQL, and the way to its transactions."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        postgresql = self.engine.dialect.name == "postgresql"
        self._reading: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if postgresql else {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="database")
        self._writing = asyncio.Lock()

    async def read(self, work: Work[T]) -> T:
        """Run a transaction that sees one state of the database throughout."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, work, False)  # noqa: FBT003

    async def write(self, work: Work[T]) -> T:
        """Run a transaction that is committed when the work returns and rolled back when it raises.

        On SQLite it begins IMMEDIATE, so that what it reads cannot be overtaken by another writer; writers of this
        process queue up here instead of polling the file. On PostgreSQL the writer locks its campaign's row first.
        """
        async with self._writing:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, work, True)  # noqa: FBT003

    async def reshape(self, work: Work[T]) -> T:
        """Run a write transaction that changes the schema.

        SQLite changes a table by making a new one and dropping the old, which would take along all rows that refer to
        it; foreign keys rest meanwhile and are checked before the commit.

        Raises:
            IntegrityError: afterwards a row refers to one that is not there.

        """
        async with self._writing:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._reshape, work)

    async def close(self) -> None:
        """Give all connections back and end the threads."""
        await asyncio.to_thread(self._threads.shutdown)
        self.engine.dispose()

    def _reshape(self, work: Work[T]) -> T:
        if self.engine.dialect.name != "sqlite":
            return self._run(work, immediate=True)
        with self.engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            driver.execute("PRAGMA foreign_keys = OFF")  # does nothing within a transaction
            try:
                connection.execution_options(begin_immediate=True)
                with connection.begin():
                    done = work(connection)
                    if lost := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall():
                        raise sa.exc.IntegrityError("PRAGMA foreign_key_check", None, ValueError(lost))
            finally:
                driver.execute("PRAGMA foreign_keys = ON")
        return done

    def _run(self, work: Work[T], immediate: bool) -> T:  # noqa: FBT001 - run_in_executor takes no names
        with self.engine.connect() as connection:
            options = {"begin_immediate": True} if immediate else self._reading
            connection.execution_options(**options)
            with connection.begin():
                return work(connection)


def driven(url: str) -> sa.URL:
    """The address with the driver that Adjutant uses, whichever it names."""
    parsed = sa.make_url(url)
    return parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))


def _engine(url: str) -> sa.Engine:
    engine = sa.create_engine(driven(url))
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
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
