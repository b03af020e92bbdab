"""A database's connections, each with a thread, and the lock by which processes take turns.

SQLite's compile each statement once, since SQLAlchemy takes longer than the statement. What they don't understand is left to it.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import aiosqlite
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.sql.compiler import SQLCompiler

from bot.core.transactions import DatabaseConnection, TransactionMode

Value = Any
"""A parameter or a result."""

Convert = Callable[[Value], Value]
Given = Mapping[str, Value]
_KINDS = (sa.Select, sa.CompoundSelect, sa.Insert, sa.Update, sa.Delete, sa.TextClause)
_WRITES = ("INSERT", "UPDATE", "DELETE")
_STATEMENTS, _TEXTS = 1000, 50
"""How many statements are kept, and of one with lists how many texts, as each has lists of other lengths."""


class _Bind(Struct, frozen=True):
    name: str
    value: object
    required: bool
    convert: Convert | None

    def of(self, given: Given) -> Value:
        return given[self.name] if self.required else given.get(self.name, self.value)


class _Text(Struct, frozen=True):
    """Each parameter is a bind's value, or one of its list."""

    text: str
    parameters: Sequence[tuple[_Bind, int | None]]

    def fill(self, given: Given) -> tuple[object, ...]:
        values = []
        for bind, place in self.parameters:
            value = bind.of(given) if place is None else bind.of(given)[place]
            values.append(value if bind.convert is None else bind.convert(value))
        return tuple(values)


class _Rows(IteratorResult[Value]):
    def __init__(self, columns: SimpleResultMetaData, found: list[Value]) -> None:
        super().__init__(columns, iter(found))
        about = (columns, columns._processors, columns._key_to_index)  # noqa: SLF001 - as SQLAlchemy makes rows
        self._made: list[Value] = [sa.Row(*about, row) for row in found]

    def all(self) -> Sequence[Value]:
        return self._made if self._unique_filter_state is None else super().all()

    def first(self) -> Value:
        return self._made[0] if self._made else None

    def scalar(self) -> Value:
        return self._made[0][0] if self._made else None

    def __iter__(self) -> Iterator[Value]:
        return iter(self._made)


class _Written(Struct, frozen=True):
    """What SQLAlchemy calls it."""

    rowcount: int
    inserted_primary_key: Sequence[object]


class _Prepared:
    def __init__(self, compiled: SQLCompiler) -> None:
        dialect = compiled.dialect
        self._compiled = compiled
        self._binds = {
            name: _Bind(
                bind.key, bind.effective_value, bind.required, bind.type.dialect_impl(dialect).bind_processor(dialect)
            )
            for name, bind in compiled.binds.items()
        }
        self._lists = [self._binds[bind.key] for bind in compiled.post_compile_params]
        self._texts: dict[tuple[int, ...], _Text] = {}
        columns = compiled._result_columns  # noqa: SLF001 - nothing else has their types
        converts = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        names = [column.keyname for column in columns]
        self._columns = SimpleResultMetaData(names, _processors=converts) if names else None

    def choose(self, given: Given) -> _Text:
        lengths = tuple([len(bind.of(given)) for bind in self._lists])
        found = self._texts.get(lengths)
        if found is None:
            if len(self._texts) >= _TEXTS:
                self._texts.clear()
            found = self._texts[lengths] = self._write(given)
        return found

    def _write(self, given: Given) -> _Text:
        text, order = self._compiled.string, list(self._compiled.positiontup or ())
        places: dict[str, tuple[_Bind, int | None]] = {name: (bind, None) for name, bind in self._binds.items()}
        if self._lists:
            state = self._compiled.construct_expanded_state(dict(given), escape_names=False)
            text, order = state.statement, list(state.positiontup or ())
            for name, parts in state.parameter_expansion.items():
                places |= {part: (self._binds[name], place) for place, part in enumerate(parts)}
        return _Text(text, [places[name] for name in order])

    def read(self, cursor: sqlite3.Cursor) -> Value:
        if self._columns is None:
            return _Written(cursor.rowcount, (cursor.lastrowid,))
        return _Rows(self._columns, cursor.fetchall())


class Statements:
    """A database's compiled statements, from their second use on."""

    def __init__(self, dialect: sa.Dialect) -> None:
        self._dialect = dialect
        self._seen: WeakSet[sa.ClauseElement] = WeakSet()
        self._prepared: dict[tuple[object, ...], _Prepared | None] = {}

    def prepare(self, statement: Value, given: Given) -> _Prepared | None:
        """Return a compiled statement for these parameters' names, if it's understood."""
        key = (statement, *given)
        found = self._prepared.get(key)
        if found is None and key not in self._prepared and isinstance(statement, _KINDS):
            if statement not in self._seen:
                self._seen.add(statement)
                return None
            if len(self._prepared) >= _STATEMENTS:
                self._prepared.clear()
            found = self._prepared[key] = self._compile(statement, given)
        return found

    def _compile(self, statement: Value, given: Given) -> _Prepared | None:
        compiled = statement.compile(dialect=self._dialect, column_keys=[*given])
        if not isinstance(compiled, SQLCompiler) or statement.get_execution_options():
            return None
        special = compiled.literal_execute_params or any(bind.callable for bind in compiled.binds.values())
        special = special or any(bind.type._is_tuple_type for bind in compiled.post_compile_params)  # noqa: SLF001
        if isinstance(statement, sa.Select | sa.CompoundSelect):
            return None if special else _Prepared(compiled)
        defaults = compiled.insert_prefetch or compiled.update_prefetch or compiled.implicit_returning
        text = compiled.string.upper()
        returns = compiled._result_columns or "RETURNING" in text or not text.lstrip().startswith(_WRITES)  # noqa: SLF001
        return None if special or defaults or returns else _Prepared(compiled)


class StatementConnection(DatabaseConnection):
    """A SQLite connection of one thread."""

    def __init__(self, engine: sa.Engine, statements: Statements) -> None:
        super().__init__(engine)
        self._statements = statements
        self._synchronous = ""
        self.driver: Value = self.connection.driver_connection

    @contextmanager
    def transact(self, mode: TransactionMode) -> Iterator[None]:
        """As above."""
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


CONNECTIONS = 4
T = TypeVar("T")
Work = Callable[[DatabaseConnection], T]


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


async def _finish(work: Coroutine[object, None, T]) -> T:
    """Wait for the end even if cancelled, then raise the cancellation."""
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


def _run_with_retry(engine: sa.Engine, transaction: Work[T]) -> T:
    """Run a transaction; retry once if the server had closed the connection.

    A failed statement committed nothing. A failed commit may have: no retry.
    """
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
