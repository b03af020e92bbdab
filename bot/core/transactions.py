"""Connections, converted columns, and what a running transaction carries as options of its connection.

It caches reads. It knows its interaction, so that is entered once: Discord sends one to every process with the bot's token, and two run
during an upgrade. The second to commit finds the other's entry and stops. It can ask outside (an `OutsideStep`) and schedule work after
its commit.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Coroutine, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, TypeVar, cast

import aiosqlite
import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

if TYPE_CHECKING:
    from filelock import BaseFileLock


CONNECTIONS = 4
T = TypeVar("T")


class SqliteConnections:
    """Connections to one SQLite file, opened when needed."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._turns = asyncio.Semaphore(CONNECTIONS)
        self._idle: list[_SqliteConnection] = []
        self._closed = False

    async def run(self, transaction: Callable[[], T]) -> T:
        """Run a transaction on a free connection."""
        async with self._turns:
            if self._closed:
                raise RuntimeError("The database is closed.")
            # The one used last has the warmest cache.
            connection = self._idle.pop() if self._idle else _SqliteConnection(self._engine)
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

    def __init__(self, engine: sa.Engine) -> None:
        super().__init__(partial(_connect, engine), iter_chunk_size=64)
        self._thread.daemon = True  # a forgotten connection keeps no process from ending

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    async def run(self, transaction: Callable[[], T]) -> T:
        """If cancelled, wait for the end: the thread still uses connection and lock."""
        if not self.is_open:
            await _finish(self._open())
        execute: Callable[..., Coroutine[object, None, T]] = self._execute
        try:
            return await execute(transaction)
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

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="database")

    async def run(self, transaction: Callable[[], T]) -> T:
        """Run a transaction in a free thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _run_connected, transaction)

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


def _run_connected(transaction: Callable[[], T]) -> T:
    """Run a transaction; retry once if the server had closed the connection.

    A failed statement committed nothing. A failed commit may have: no retry.
    """
    try:
        return transaction()
    except sa.exc.DBAPIError as error:
        if not error.connection_invalidated or error.statement is None:
            raise
    return transaction()


def _connect(engine: sa.Engine) -> sqlite3.Connection:
    with engine.connect() as connection:
        return cast("sqlite3.Connection", connection.connection.driver_connection)


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
        self._lock: BaseFileLock | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Take the turn, or go on after `seconds`: SQLite's own locks keep data safe.

        A suspended process may keep it, and some file systems have no locks.
        """
        if self._lock is None:
            from filelock import FileLock  # noqa: PLC0415 - loads with the first write

            where = (self._file, self._seconds, _OWNER_ONLY)
            self._lock = FileLock(*where, thread_local=False, poll_interval=PAUSE, fallback_to_soft=False)
        with ExitStack() as turn:
            with suppress(OSError):  # filelock's own Timeout among them
                turn.enter_context(self._lock)
            yield


class ConvertedType(sa.types.TypeDecorator[T]):
    """A column's type whose values `store` and `load` convert; None stays."""

    store: Callable[..., object]
    load: Callable[..., T]

    def process_bind_param(self, value: T | None, dialect: sa.Dialect) -> object:  # noqa: ARG002
        """Return what is kept."""
        return None if value is None else self.store(value)

    def process_result_value(self, value: object, dialect: sa.Dialect) -> T | None:  # noqa: ARG002
        """Return what was kept."""
        return None if value is None else self.load(value)


def to_utc(at: datetime) -> datetime:
    """Return an aware time in UTC; refuse a naive one."""
    if at.tzinfo is None:
        raise ValueError("naive time")
    return at.astimezone(UTC)


def read_utc(at: datetime) -> datetime:
    """Return a time in UTC, also one without a zone."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


RUNNING: Final = "running"
K = TypeVar("K", bound=Hashable)
P = ParamSpec("P")
Row = sa.Row[*tuple[Any, ...]]
Parameters = Mapping[str, object]
Read = dict[Hashable, Any]
Query = sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[*tuple[Any, ...]]


class FinishedInteraction(Struct):
    """An interaction (id) carried out here, and what it wrote."""

    number: int
    entries: int = 0
    campaign: int | None = None
    entry: int | None = None


class OpenTransaction(Struct):
    """What a running transaction carries: its interaction, cached reads, answers of outside steps, work after its commit."""

    interaction: FinishedInteraction | None = None
    answers: list[Any] | None = None
    reads: Read = field(default_factory=dict)
    following: list[Callable[[], object]] = field(default_factory=list)


def get_running(tx: Connection) -> OpenTransaction:
    """Return the transaction data kept with a connection; an empty one if it has none."""
    found: OpenTransaction | None = tx.get_execution_options().get(RUNNING)
    return OpenTransaction() if found is None else found


def get_reads(tx: Connection) -> Read:
    """Return the cached reads by key."""
    return get_running(tx).reads


def read_rows(tx: Connection, query: Query, parameters: Parameters, lock: Query | None = None) -> Sequence[Row]:
    """Return a query's rows, cached; don't change them. `lock` is the same query with row locks: it reads again."""
    read, asked = get_reads(tx), _make_key(parameters)
    if lock is not None and (lock, *asked) not in read:
        read.clear()
        read[lock, *asked] = read[query, *asked] = tx.execute(lock, parameters).all()
    elif (query, *asked) not in read:
        read[query, *asked] = tx.execute(query, parameters).all()
    found: Sequence[Row] = read[query, *asked]
    return found


def find_rows(tx: Connection, query: Query, parameters: Parameters) -> Sequence[Row] | None:
    """Return a query's cached rows, if any."""
    return get_reads(tx).get((query, *_make_key(parameters)))


def read_each(
    tx: Connection, kind: Hashable, numbers: Collection[int], ask: Callable[[Sequence[int]], Mapping[int, T]]
) -> dict[int, T]:
    """Return objects by number; call `ask` for those not cached. Missing ones are left out."""
    read = get_reads(tx)
    missing = list_unread(read, kind, numbers)
    if missing:
        remember(read, kind, {**dict.fromkeys(missing), **ask(missing)})
    return recall(read, kind, numbers)


def list_unread(read: Read, kind: Hashable, keys: Collection[K]) -> list[K]:
    """Return the keys that aren't cached."""
    return [key for key in keys if (kind, key) not in read]


def remember(read: Read, kind: Hashable, items: Mapping[K, object]) -> None:
    """Cache objects by key; None means it doesn't exist."""
    read |= {(kind, key): item for key, item in items.items()}


def recall(read: Read, kind: Hashable, keys: Collection[K]) -> dict[K, Any]:
    """Return cached objects by key; those that don't exist are left out."""
    return {key: item for key in keys if (item := read[kind, key]) is not None}


def compute_once(tx: Connection, key: Hashable, make: Callable[[], T]) -> T:
    """Return a cached computation from reads; don't change it."""
    read = get_reads(tx)
    if key not in read:
        read[key] = make()
    found: T = read[key]
    return found


def write(
    tx: Connection, statement: sa.Executable, parameters: Parameters | Sequence[Parameters] | None = None
) -> sa.CursorResult[Any]:
    """Execute a write and drop the cache."""
    forget_reads(tx)
    return tx.execute(statement, parameters)


def forget_reads(tx: Connection) -> None:
    """Drop the cache."""
    get_reads(tx).clear()


def _make_key(parameters: Parameters) -> tuple[Hashable, ...]:
    return tuple(frozenset(item) if isinstance(item, list) else item for item in parameters.values())


class Write(Protocol):
    """Runs a write transaction, as `Database.write`."""

    async def __call__(
        self, function: Callable[Concatenate[Connection, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run and commit a function."""
        ...


class OutsideStep(Exception):
    """Raise it to roll a write back, await `run`, and run the write again."""

    async def run(self, write: Write) -> object:
        """Do the work, and return what `take_answer` gives afterwards."""
        raise NotImplementedError


def had_outside_step(tx: Connection) -> bool:
    """Return whether a transaction runs again after an outside step."""
    return get_running(tx).answers is not None


def take_answer(tx: Connection) -> Any:  # noqa: ANN401 - whatever the outside step returned
    """Return the outside step's answer once, then None."""
    answers = get_running(tx).answers
    return answers.pop() if answers else None


INTERACTION_INDEX: Final = "ix_entry_interaction_step"
"""The index that keeps an interaction's entries unique."""


class Taken(Exception):
    """Another process already carries this interaction out, so this one has nothing to write or answer."""


_interaction: ContextVar[FinishedInteraction | None] = ContextVar("interaction", default=None)


def begin_interaction(number: int) -> FinishedInteraction:
    """Link this task's writes to an interaction."""
    carried = FinishedInteraction(number)
    _interaction.set(carried)
    return carried


def current_interaction() -> FinishedInteraction | None:
    """Return this task's interaction, if any."""
    return _interaction.get()


def note_campaign(tx: sa.Connection, campaign_id: int) -> None:
    """Note the campaign of the running interaction."""
    mine = get_running(tx).interaction
    if mine is not None:
        mine.campaign = campaign_id


def count_step(tx: sa.Connection, entry: int) -> tuple[int | None, int | None]:
    """Count an entry; return its interaction (id) and its index there from 0, or None twice."""
    mine = get_running(tx).interaction
    if mine is None:
        return None, None
    mine.entries += 1
    mine.entry = entry
    return mine.number, mine.entries - 1


def is_taken(error: sa.exc.IntegrityError) -> bool:
    """Return whether another process wrote the entry first."""
    said = str(error.orig)
    return INTERACTION_INDEX in said or ("entry.interaction" in said and "entry.step" in said)


def do_after_commit(tx: Connection, do: Callable[[], object]) -> None:
    """Run something after the commit; it can't fail or wait."""
    get_running(tx).following.append(do)
