"""Opens a database: its address, its engine, and the threads of PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import sqlalchemy as sa
from msgspec import Struct

from bot.core import errors, transactions

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection

CONNECTIONS = 4
T = TypeVar("T")


class TransactionMode(Struct, frozen=True):
    """How a transaction begins: a statement, SQLAlchemy's execution options, and SQLite's `synchronous`."""

    begin: str | None = None
    options: Mapping[str, Any] | None = None
    synchronous: str = "FULL"


class DatabaseConnection(sa.Connection):
    """`running` is what its transaction carries."""

    running: transactions.OpenTransaction | None = None

    @contextmanager
    def transact(self, mode: TransactionMode) -> Iterator[None]:
        """Commit what is done within, or roll it back."""
        self.execution_options(**(mode.options or {}))
        with self.begin():
            if mode.begin is not None:
                self.exec_driver_sql(mode.begin)
            yield


Work = Callable[[DatabaseConnection], T]
BUSY_TIMEOUT_MS = 30_000
RETRY_LOCKED = 0.02
_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",  # first: the next one has to wait for other processes too
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what is erased is overwritten in the file; some builds of SQLite do so by default
)
_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+aiosqlite": "sqlite",  # aiosqlite sends transactions to its threads; within them the engine is synchronous
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+asyncpg": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_ADDRESSES = "Write sqlite:///adjutant.db for a file, or postgresql://user:password@host/name for a server."
_OWNER_ONLY = 0o600


def add_driver(url: str) -> sa.URL:
    """Return the address with our driver; errors never repeat it."""
    try:
        parsed = sa.make_url(url)
    except (ValueError, sa.exc.ArgumentError):
        raise errors.StartError(f"DATABASE_URL isn't a database address. {_ADDRESSES}") from None
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise errors.StartError(f"Adjutant can't use the kind of database in DATABASE_URL. {_ADDRESSES}")
    if driver == "sqlite" and (parsed.host or not parsed.database):
        raise errors.StartError(f"DATABASE_URL names no file. {_ADDRESSES} A full path has four slashes.")
    return parsed.set(drivername=driver)


def create_engine(url: str, *, read_only: bool = False) -> sa.Engine:
    """Return the engine of an address."""
    address = add_driver(url)
    if address.get_backend_name() != "sqlite":
        try:
            engine = sa.create_engine(address, json_deserializer=transactions.decode_json, hide_parameters=True)
        except ModuleNotFoundError as error:
            raise errors.StartError("PostgreSQL needs psycopg: pip install 'adjutant[postgres]'") from error
        sa.event.listen(engine, "handle_error", _hide_details)
        return engine
    pool = {"poolclass": sa.SingletonThreadPool, "pool_size": CONNECTIONS}
    codec = {"json_serializer": transactions.encode_json, "json_deserializer": transactions.decode_json}
    engine = sa.create_engine(address, **pool, **codec, hide_parameters=True)
    if not read_only:
        sa.event.listen(engine, "do_connect", _create_private)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    if read_only:
        sa.event.listen(engine, "connect", _forbid_writes)
    return engine


def _create_private(_dialect: sa.Dialect, _record: object, args: Sequence[str], options: Mapping[str, object]) -> None:
    # Create the file for its owner. An existing one isn't opened: closing it would drop locks.
    with suppress(OSError):  # it exists, or SQLite says what is wrong with the path when it opens the file
        if "uri" not in options:
            os.close(os.open(args[0], os.O_CREAT | os.O_EXCL | os.O_RDWR, _OWNER_ONLY))


def _hide_details(context: sa.engine.ExceptionContext) -> None:
    original: Any = context.original_exception
    summary = original.diag.message_primary if hasattr(original, "diag") else None
    if summary:
        for error in filter(None, (original, context.sqlalchemy_exception)):
            error.args = (summary,)


def _prepare_sqlite(connection: DBAPIConnection, _record: object) -> None:
    connection.isolation_level = None  # transactions say BEGIN themselves
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        _persist(partial(cursor.execute, pragma))
    files = [str(row[2]) for row in cursor.execute("PRAGMA database_list").fetchall() if row[2]]
    cursor.close()
    for file in (name + suffix for name in files for suffix in ("", "-wal", "-shm")):
        with suppress(OSError):  # it isn't there, or another user's
            Path(file).chmod(_OWNER_ONLY)  # an older version left it readable for all


def _forbid_writes(connection: DBAPIConnection, _record: object) -> None:
    connection.cursor().execute("PRAGMA query_only = ON")


def _persist(execute: Callable[[], object]) -> None:
    # Retry while locked: SQLite doesn't wait when two processes switch to WAL.
    tried_until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            execute()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > tried_until:
                raise
            time.sleep(RETRY_LOCKED)
        else:
            return


class PostgresConnections:
    """Threads for transactions on PostgreSQL; SQLAlchemy keeps the connections."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="database")

    async def run(self, transaction: Work[T]) -> T:
        """Run a transaction in a free thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _run_with_retry, self._engine, transaction)

    async def close(self) -> None:
        """Wait for running transactions and end the threads."""
        await asyncio.to_thread(self._threads.shutdown)


def _run_with_retry(engine: sa.Engine, transaction: Work[T]) -> T:
    # A failed statement committed nothing. A failed commit may have: no retry.
    try:
        return _run_once(engine, transaction)
    except sa.exc.DBAPIError as error:
        if not error.connection_invalidated or error.statement is None:
            raise
    return _run_once(engine, transaction)


def _run_once(engine: sa.Engine, transaction: Work[T]) -> T:
    connection = DatabaseConnection(engine)
    with connection:
        return transaction(connection)
