"""A database, its connections, the lock by which processes take turns, and rows that go after a day.

A transaction is a plain function of a connection, run whole in the connection's thread (`docs/decisions/0001-store.md`).
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, nullcontext, suppress
from copy import copy
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import aiosqlite
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import engine, transactions
from bot.core.engine import CONNECTIONS, DatabaseConnection, TransactionMode, Work
from bot.core.transactions import Statements, Value

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

P = ParamSpec("P")
T = TypeVar("T")
Transaction = Callable[Concatenate[sa.Connection, P], T]


class Database:
    """A SQLite `file` or PostgreSQL. A cancelled transaction never begins, or ends whole."""

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self.engine = engine.create_engine(url, read_only=read_only)
        self._sqlite = self.engine.dialect.name == "sqlite"
        self._connections = SqliteConnections(self.engine) if self._sqlite else engine.PostgresConnections(self.engine)
        named = self._sqlite and "uri" not in self.engine.url.query
        self.file = Path(str(self.engine.url.database)).absolute() if named else None
        self._turn = None if self.file is None else WriteTurn(self.file, engine.BUSY_TIMEOUT_MS / 1000)
        self._writer: AbstractAsyncContextManager[None] = asyncio.Lock() if self._sqlite else nullcontext()
        modes = _SQLITE_MODES if self._sqlite else _POSTGRES_MODES
        self._modes = dict.fromkeys(modes, modes["read"]) if read_only else modes

    async def read(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction on one snapshot, without locks or writes."""
        begun = transactions.OpenTransaction(transactions.current_interaction())
        act = partial(_call_with, function, args, kwargs)
        return await self._connections.run(partial(_transact, None, self._modes["read"], begun, act))

    async def write(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a transaction; roll back on an exception.

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


class StatementConnection(DatabaseConnection):
    """A SQLite connection of one thread."""

    def __init__(self, engine: sa.Engine, statements: Statements) -> None:
        super().__init__(engine)
        self._statements = statements
        self._synchronous = ""
        self.driver: Value = self.connection.driver_connection

    @contextmanager
    def transact(self, mode: TransactionMode) -> Iterator[None]:
        """Run a transaction."""
        try:
            if self._synchronous != mode.synchronous:
                self._run(f"PRAGMA synchronous = {mode.synchronous}")
                self._synchronous = mode.synchronous
            with self.begin():
                self._run(mode.begin or "BEGIN")
                yield
                if not self.driver.in_transaction:  # SQLite itself rolls back, for instance if the disk is full
                    raise sa.exc.InvalidRequestError("the transaction was rolled back")
        finally:
            if self.driver.in_transaction:  # its commit failed
                self.driver.rollback()

    def _run(self, text: str, values: Sequence[Value] = (), *, many: bool = False) -> sqlite3.Cursor:
        try:
            cursor: sqlite3.Cursor = (
                self.driver.executemany(text, values) if many else self.driver.execute(text, values)
            )
        except sqlite3.Error as error:
            about = (text, None, error, sqlite3.Error)
            raise sa.exc.DBAPIError.instance(*about, hide_parameters=True, dialect=self.dialect) from error
        return cursor

    def execute(self, statement: Value, parameters: Value = None, *, execution_options: Value = None) -> Value:
        """Execute a statement."""
        given = parameters if isinstance(parameters, list) else [parameters or {}]
        many = len(given) > 1
        prepared = self._statements.prepare(statement, given[0]) if given and not execution_options else None
        if prepared is None:
            return super().execute(statement, parameters, execution_options=execution_options)
        try:
            text = prepared.choose(given[0])
            values = [text.fill(each) for each in given] if many else text.fill(given[0])
        except (KeyError, TypeError):  # SQLAlchemy says what is wrong
            return super().execute(statement, parameters, execution_options=execution_options)
        for listen in self.dispatch.before_cursor_execute:
            listen(self, None, text.text, values, None, many)
        return prepared.read(self._run(text.text, values, many=many))

    def scalar(self, statement: Value, parameters: Value = None, *, execution_options: Value = None) -> Value:
        """Return the first column of the first row."""
        return self.execute(statement, parameters, execution_options=execution_options).scalar()


class SqliteConnections:
    """Connections to one SQLite file, opened when needed."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turns = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[_SqliteConnection] = []
        self._statements = Statements(engine.dialect)
        self._closed = False

    async def run(self, transaction: Work[T]) -> T:
        """Run a transaction on a free connection."""
        async with self._turns:
            if self._closed:
                raise RuntimeError("The database is closed.")
            # The one used last has the warmest cache.
            connection = self._idle.pop() if self._idle else _SqliteConnection(self._engine, self._statements)
            try:
                return await connection.run(transaction)
            finally:
                if connection.is_open:
                    self._idle.append(connection)

    async def close(self) -> None:
        """Wait until all are free, then close them."""
        async with AsyncExitStack() as turns:
            for _ in range(CONNECTIONS):
                await turns.enter_async_context(self._turns)
            self._closed = True
            while self._idle:
                await self._idle.pop().close()


class _SqliteConnection(aiosqlite.Connection):
    """aiosqlite's connection, running whole transactions in its thread."""

    def __init__(self, engine: sa.Engine, statements: Statements) -> None:
        super().__init__(partial(self._prepare, engine, statements), iter_chunk_size=64)
        self._thread.daemon = True  # a forgotten connection keeps no process from ending

    def _prepare(self, engine: sa.Engine, statements: Statements) -> sqlite3.Connection:
        self._prepared = StatementConnection(engine, statements)
        driver: sqlite3.Connection = self._prepared.driver
        return driver

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    async def run(self, transaction: Work[T]) -> T:
        """If cancelled, wait for the end: the thread still uses connection and lock."""
        if not self.is_open:
            await _finish(self._open())
        execute: Callable[..., Coroutine[object, None, T]] = self._execute
        try:
            return await execute(partial(transaction, self._prepared))
        except asyncio.CancelledError:
            await _finish(execute(int))  # does nothing, but in its turn
            raise

    async def _open(self) -> None:
        try:
            await self  # starts the thread
        finally:
            if not self.is_open:
                self._thread.join()  # it ends when the file cannot be opened, and speaks to the loop before that

    async def close(self) -> None:
        await super().close()
        self._thread.join()  # it has nothing left to do


async def _finish(work: Coroutine[object, None, T]) -> T:
    # Wait for the end even if cancelled, then raise the cancellation.
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled from (None if task.cancelled() else task.exception())
    return task.result()


PAUSE = 0.001
"""Seconds between two attempts to get the write lock."""

_OWNER_ONLY = 0o600


class WriteTurn:
    """A lock file by which processes take turns writing to a SQLite file.

    SQLite retries ever more rarely, so a busy process could starve others. Closing the database file would drop SQLite's own locks, so
    the lock is another file.
    """

    def __init__(self, file: Path, seconds: float) -> None:
        self._file = f"{file}-turn"
        self._seconds = seconds
        self._opened: int | None = None

    def __enter__(self) -> None:
        """Take the turn, or go on after `seconds`: SQLite's own locks keep data safe."""
        from filelock import lock_descriptor  # noqa: PLC0415 - loads with the first write

        until = time.monotonic() + self._seconds
        with suppress(OSError):
            if self._opened is None:
                self._opened = os.open(self._file, os.O_RDWR | os.O_CREAT, _OWNER_ONLY)
            while not lock_descriptor(self._opened, blocking=False) and time.monotonic() < until:
                time.sleep(PAUSE)

    def __exit__(self, *_: object) -> None:
        """Give the turn to others."""
        from filelock import unlock_descriptor  # noqa: PLC0415 - as above

        if self._opened is not None:
            with suppress(OSError):
                unlock_descriptor(self._opened)

    def close(self) -> None:
        """Close the file."""
        if self._opened is not None:
            os.close(self._opened)
            self._opened = None


KEPT_FOR = timedelta(days=1)


class Clock(Protocol):
    """Anything that knows the time, such as a ledger."""

    def now(self) -> datetime: ...  # noqa: D102


class Storage(Protocol):
    """The running bot's database and clock."""

    database: Database

    @property
    def ledger(self) -> Clock: ...  # noqa: D102


async def forget_old(
    made: sa.Column[datetime],
    client: Storage,
    only: Iterable[sa.ColumnElement[bool]] = (),
    keep: timedelta = KEPT_FOR,
) -> tuple[()]:
    """Delete rows that are too old by `made`, if `only` matches."""
    old = sa.and_(made < client.ledger.now() - keep, *only)
    if await client.database.read(Connection.scalar, sa.select(sa.exists().where(old))):
        await client.database.write(Connection.execute, sa.delete(made.table).where(old))
    return ()
