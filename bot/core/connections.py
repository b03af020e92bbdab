"""A database's connections, each with a thread, and the lock by which processes take turns."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import aiosqlite
import sqlalchemy as sa

from bot.core.statements import DatabaseConnection, StatementConnection, Statements

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
