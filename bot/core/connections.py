"""The connections on which transactions run: each a whole in a thread, so that the event loop waits for no disk and no server."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import aiosqlite
import sqlalchemy as sa

if TYPE_CHECKING:
    from filelock import BaseFileLock


CONNECTIONS = 4
"""How many transactions run at once; a process opens no more connections to a SQLite file."""

T = TypeVar("T")


class SqliteConnections:
    """A handful of connections to one SQLite file; one more is opened when all others are in use."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turns = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[_SqliteConnection] = []
        self._closed = False

    async def run(self, transaction: Callable[[], T]) -> T:
        """Run a transaction on a connection that is not in use."""
        async with self._turns:
            if self._closed:
                raise RuntimeError("The database is closed.")
            # The one used last has the warmest cache.
            connection = self._idle.pop() if self._idle else _SqliteConnection(self._engine)
            try:
                return await connection.run(transaction)
            finally:
                if connection.opened:
                    self._idle.append(connection)

    async def close(self) -> None:
        """Close all connections when none is in use any more."""
        async with AsyncExitStack() as turns:
            for _ in range(CONNECTIONS):
                await turns.enter_async_context(self._turns)
            self._closed = True
            while self._idle:
                await self._idle.pop().close()


class _SqliteConnection(aiosqlite.Connection):
    """aiosqlite's connection and thread, which takes whole transactions the way it takes single statements."""

    def __init__(self, engine: sa.Engine) -> None:
        super().__init__(partial(_driver_connection, engine), iter_chunk_size=64)
        self._thread.daemon = (
            True  # as SQLAlchemy's dialect has it: a forgotten connection keeps no process from ending
        )

    @property
    def opened(self) -> bool:
        """Whether the file could be opened, so that the connection can be used again."""
        return self._connection is not None

    async def run(self, transaction: Callable[[], T]) -> T:
        """Run a transaction in the thread; when cancelled, wait for its end all the same.

        The first one opens the file. Whoever holds this connection, or the lock of the writers, lets go of it only when
        the thread is done.
        """
        if not self.opened:
            await _uninterrupted(self._open())
        execute: Callable[..., Coroutine[object, None, T]] = self._execute
        try:
            return await execute(transaction)
        except asyncio.CancelledError:
            await _uninterrupted(execute(int))  # does nothing, but in its turn
            raise

    async def _open(self) -> None:
        try:
            await self  # starts the thread
        finally:
            if not self.opened:
                self._thread.join()  # it ends when the file cannot be opened, and speaks to the loop before that

    async def close(self) -> None:
        """Close the connection and end the thread."""
        await super().close()
        self._thread.join()  # it has nothing left to do


class PostgresConnections:
    """Threads for transactions on PostgreSQL, whose connections SQLAlchemy keeps."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="database")

    async def run(self, transaction: Callable[[], T]) -> T:
        """Run a transaction in the next thread that is free."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _on_open_connection, transaction)

    async def close(self) -> None:
        """End the threads when they have nothing left to do."""
        await asyncio.to_thread(self._threads.shutdown)


async def _uninterrupted(work: Coroutine[object, None, T]) -> T:
    """Wait for the end of something, however often the wait is cancelled; only then raise the cancellation."""
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


def _on_open_connection(transaction: Callable[[], T]) -> T:
    """Run a transaction, once more on a new connection where the server has closed the one that was kept.

    Whatever failed in a statement was not committed; a commit that fails may have been, and is not tried again.
    """
    try:
        return transaction()
    except sa.exc.DBAPIError as error:
        if not error.connection_invalidated or error.statement is None:
            raise
    return transaction()


def _driver_connection(engine: sa.Engine) -> sqlite3.Connection:
    """Return the connection that the engine keeps for this thread."""
    with engine.connect() as connection:
        return cast("sqlite3.Connection", connection.connection.driver_connection)


PAUSE = 0.001
"""Seconds between two looks whether another process has finished writing."""

_OWNER_ONLY = 0o600


class WriteTurn:
    """This process's turn to write to a SQLite file; it waits up to `seconds` for other processes of the bot.

    SQLite alone tries again less and less often, and one process that writes much can starve the others. The lock is on
    a file of its own: closing the database's file would end SQLite's own locks on it.
    """

    def __init__(self, file: Path, seconds: float) -> None:
        self._file = f"{file}-turn"
        self._seconds = seconds
        self._lock: BaseFileLock | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold the turn, or go on without it where it can't be had: SQLite's own locks are what keeps the data safe.

        It can't be had from a process that was suspended while it wrote, or on a file system without locks.
        """
        lock = self._lock = self._lock or self._made()
        if not _acquired(lock):
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _made(self) -> BaseFileLock:
        from filelock import FileLock  # noqa: PLC0415 - loads with the first write

        return FileLock(
            self._file,
            timeout=self._seconds,
            mode=_OWNER_ONLY,
            thread_local=False,
            poll_interval=PAUSE,
            fallback_to_soft=False,
        )


def _acquired(lock: BaseFileLock) -> bool:
    try:
        lock.acquire()
    except OSError:  # filelock's own Timeout among them
        return False
    return True
