"""The engine, its transactions, and chores.

A transaction is a plain function of a connection, run whole in the connection's thread (`docs/decisions/0001-store.md`).
Chores run one by one, so one failure doesn't stop the others.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from copy import copy
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import errors, transactions
from bot.core.connections import (
    CONNECTIONS,
    PostgresConnections,
    SqliteConnections,
    Work,
    WriteTurn,
)
from bot.core.transactions import DatabaseConnection, TransactionMode

if TYPE_CHECKING:
    from sqlalchemy.engine.interfaces import DBAPIConnection


BUSY_TIMEOUT_MS = 30_000
RETRY_LOCKED = 0.02
_SQLITE_MODES = {
    "read": TransactionMode("BEGIN"),
    "write": TransactionMode("BEGIN IMMEDIATE"),
    "minor": TransactionMode("BEGIN IMMEDIATE", synchronous="NORMAL"),
}
_POSTGRES_MODES = {
    "read": TransactionMode(options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}),
    "write": TransactionMode(),
    "minor": TransactionMode("SET LOCAL synchronous_commit = off"),
}
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

P = ParamSpec("P")
T = TypeVar("T")
Transaction = Callable[Concatenate[sa.Connection, P], T]


class Database:
    """A SQLite `file` or PostgreSQL. A cancelled transaction never begins, or ends whole."""

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self._sqlite = self.engine.dialect.name == "sqlite"
        self._connections = SqliteConnections(self.engine) if self._sqlite else PostgresConnections(self.engine)
        named = self._sqlite and "uri" not in self.engine.url.query
        self.file = Path(str(self.engine.url.database)).absolute() if named else None
        self._turn = None if self.file is None else WriteTurn(self.file, BUSY_TIMEOUT_MS / 1000)
        self._writer: AbstractAsyncContextManager[None] = asyncio.Lock() if self._sqlite else nullcontext()
        self._modes = _SQLITE_MODES if self._sqlite else _POSTGRES_MODES

    async def read(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction on one snapshot, without locks or writes."""
        begun = transactions.OpenTransaction(transactions.current_interaction())
        act = partial(_call_with, function, args, kwargs)
        return await self._connections.run(partial(_transact, None, self._modes["read"], begun, act))

    async def write(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction: committed on return, rolled back on an exception.

        On SQLite it begins IMMEDIATE, so no writer overtakes its reads; writers queue here, processes take turns. On PostgreSQL it locks its
        campaign's row first; without one, two may insert the same row, and the second runs again. It also runs again after an `OutsideStep`,
        holding no lock meanwhile.
        """
        return await self._write("write", partial(_call_with, function, args, kwargs))

    async def write_minor(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Like `write`, but a crash of the computer soon after may undo it."""
        return await self._write("minor", partial(_call_with, function, args, kwargs))

    async def _write(self, mode: str, act: Callable[[Connection], T]) -> T:
        begun = transactions.OpenTransaction(transactions.current_interaction())
        work = partial(_transact, self._turn, self._modes[mode], begun, act)
        while True:
            try:
                return await self._run_write(work)
            except transactions.OutsideStep as step:
                came = await step.run(self.write)
                if came is not None:
                    begun.answers = [came]
            except sa.exc.IntegrityError as error:
                if transactions.is_taken(error):
                    raise transactions.Taken from error
                raise

    async def _run_write(self, work: Work[T]) -> T:
        async with self._writer:
            try:
                return await self._connections.run(work)
            except sa.exc.IntegrityError as error:
                if self._sqlite or transactions.is_taken(error):
                    raise
            return await self._connections.run(work)

    async def alter_schema(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a schema change; SQLite checks foreign keys before the commit."""
        if not self._sqlite:
            return await self.write(function, *args, **kwargs)
        async with self._writer:
            act = partial(_call_with, function, args, kwargs)
            return await self._connections.run(partial(_alter_sqlite, self._turn, act))

    async def close(self) -> None:
        """Wait for all transactions and close the connections."""
        async with self._writer:
            await self._connections.close()
        if self._turn is not None:
            self._turn.close()
        self.engine.dispose()


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


def _engine(url: str) -> sa.Engine:
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
    sa.event.listen(engine, "do_connect", _create_private)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _call_with(
    function: Transaction[..., T], args: Sequence[object], kwargs: Mapping[str, object], tx: Connection
) -> T:
    return function(tx, *args, **kwargs)


def _transact(
    turn: WriteTurn | None,
    mode: TransactionMode,
    begun: transactions.OpenTransaction,
    act: Callable[[Connection], T],
    connection: DatabaseConnection,
) -> T:
    with turn or nullcontext():
        carried, tried = begun.interaction, copy(begun.interaction)  # what is rolled back was not written
        running = transactions.OpenTransaction(tried, copy(begun.answers))
        connection.running = running
        try:
            with connection.transact(mode):
                result = act(connection)
        finally:
            connection.running = None
            if carried is not None and tried is not None:
                carried.campaign = tried.campaign  # what is refused is about it too
        if (
            carried and tried and tried.entries > carried.entries
        ):  # one that only reads may end after one that has written
            carried.entries, carried.entry = tried.entries, tried.entry
        for do in running.following:
            do()
        return result


def _alter_sqlite(turn: WriteTurn | None, act: Callable[[Connection], T], connection: DatabaseConnection) -> T:
    with turn or nullcontext():
        driver: Any = connection.connection.dbapi_connection
        driver.execute("PRAGMA foreign_keys = OFF")  # does nothing within a transaction
        try:
            with connection.transact(_SQLITE_MODES["write"]):
                result = act(connection)
                if lost := connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall():
                    raise sa.exc.IntegrityError("PRAGMA foreign_key_check", None, ValueError(lost))
        finally:
            driver.execute("PRAGMA foreign_keys = ON")
    return result


def _create_private(_dialect: sa.Dialect, _record: object, args: Sequence[str], options: Mapping[str, object]) -> None:
    """Create the file for its owner. An existing one isn't opened: closing it would drop locks."""
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


def _persist(execute: Callable[[], object]) -> None:
    """Retry while locked: SQLite doesn't wait when two processes switch to WAL."""
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


BUSY: Final = "The database is busy."
FULL: Final = "The database's disk is full."
GONE: Final = "The database doesn't answer."
UNWRITTEN: Final = "Nothing was rolled or saved. Try again in a minute. If that doesn't help, ask the bot's host."
IN_DOUBT: Final = "It may have been saved anyway: check /ledger before you try again."

_SQLITE: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: GONE,
    sqlite3.SQLITE_CANTOPEN: GONE,
    sqlite3.SQLITE_READONLY: GONE,
}
_PRIMARY = 0xFF
_POSTGRES: Mapping[str, str] = {
    "53100": FULL,
    "55P03": BUSY,  # a lock that could not be had
    "40001": BUSY,  # two transactions that could not be put in an order
    "40P01": BUSY,  # a deadlock
    "25006": GONE,  # a server that only reads, such as a copy that has not taken over yet
    "53": GONE,  # no memory or connection left
    "57P": GONE,  # stopped, or just starting
    "58": GONE,  # trouble of its system
    "08": GONE,  # a connection that broke
}
"""Meaning of PostgreSQL's error codes, or their beginnings."""


def describe_outage(error: BaseException) -> tuple[str, str] | None:
    """Return problem and remedy in words, if it's an outage."""
    wrapped = error if isinstance(error, sa.exc.DBAPIError) else None
    problem = _describe_error(error if wrapped is None else wrapped.orig)
    if problem is None:
        return None
    cut_off = wrapped is not None and wrapped.connection_invalidated and wrapped.statement is None  # within the commit
    return problem, IN_DOUBT if cut_off else UNWRITTEN


def _describe_error(error: BaseException | None) -> str | None:
    if isinstance(error, sqlite3.Error):
        return _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & _PRIMARY)
    if not type(error).__module__.startswith("psycopg"):
        return None
    code = getattr(error, "sqlstate", None)
    if code is None:
        return GONE if type(error).__name__ == "OperationalError" else None
    return next((problem for start, problem in _POSTGRES.items() if code.startswith(start)), None)


KEPT_FOR = timedelta(days=1)

log = logging.getLogger(__name__)


class Clock(Protocol):
    """Anything that knows the time, such as a ledger."""

    def now(self) -> datetime: ...  # noqa: D102


class Storage(Protocol):
    """The running bot's database and clock."""

    database: Database

    @property
    def ledger(self) -> Clock: ...  # noqa: D102


async def forget_old(
    made: sa.Column[datetime], client: Storage, only: Iterable[sa.ColumnElement[bool]] = ()
) -> tuple[()]:
    """Delete rows older than a day by `made`, if `only` matches."""
    old = sa.and_(made < client.ledger.now() - KEPT_FOR, *only)
    if await client.database.read(Connection.scalar, sa.select(sa.exists().where(old))):
        await client.database.write(Connection.execute, sa.delete(made.table).where(old))
    return ()


async def do_each(work: Iterable[Awaitable[Sequence[T]]], fault: str) -> list[T]:
    """Run all at once; return their results in one list, and log failures as `fault`."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for error in done:
        if isinstance(error, BaseException):
            log_fault(fault, error)
    return [each for item in done if not isinstance(item, BaseException) for each in item]


def log_fault(fault: str, error: BaseException, **fields: object) -> None:
    """Log why a chore failed: bugs with a traceback, outages in one line."""
    outage = describe_outage(error)
    if outage is None:
        log.error(fault, extra=fields, exc_info=error)
    else:
        log.warning(
            "chore.outage", extra={**fields, "fault": outage[0]}
        )  # in one line: it comes again with every round
