"""Transactions: whole, threaded, cancelled, closed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.database import Database
from bot.core.engine import CONNECTIONS, add_driver
from tests.support.template import fresh_url

ROOT = Path(__file__).parents[2]
PATIENCE = 60
LOGGED = """
import asyncio
from bot.core.config import configure
from bot.core.database import Database

async def main():
    database = Database({url!r})
    await database.read(lambda tx, number: number, 4711)
    await database.close()

configure("DEBUG", "text")
asyncio.run(main())
"""
purse = sa.Table("purse", sa.MetaData(), sa.Column("coins", sa.Integer, nullable=False))
only_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])


def create(tx: Connection) -> None:
    """Make an empty purse."""
    purse.create(tx)
    tx.execute(purse.insert().values(coins=0))


def coins(tx: Connection) -> int:
    """Return the coins."""
    return int(tx.scalars(sa.select(purse.c.coins)).one())


def put(tx: Connection, count: int, *, times: int = 1) -> int:
    """Lock the purse, add coins, return the sum."""
    before = int(tx.scalars(sa.select(purse.c.coins).with_for_update()).one())
    tx.execute(purse.update().values(coins=before + count * times))
    return before + count * times


class Gate:
    """A transaction waits here for the test."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self.thread: threading.Thread | None = None

    def __call__(self, _tx: Connection) -> None:
        """Wait here, or fail."""
        self.thread = threading.current_thread()
        self.reached.set()
        assert self.open.wait(PATIENCE)

    async def waited_at(self) -> None:
        """Wait until a transaction is here."""
        assert await asyncio.to_thread(self.reached.wait, PATIENCE)


def put_slowly(tx: Connection, gate: Gate, count: int, error: Exception | None = None) -> None:
    """Put coins in, wait, then return or fail."""
    put(tx, count)
    gate(tx)
    if error is not None:
        raise error


@pytest.fixture
async def database(database_kind: str, tmp_path: Path) -> AsyncIterator[Database]:
    """A database with an empty purse."""
    with fresh_url(database_kind, tmp_path) as url:
        made = Database(url)
        try:
            await made.write(create)
            yield made
        finally:
            await made.close()


def note_connections(database: Database) -> list[Any]:
    """All connections opened from now on."""
    connections: list[Any] = []
    sa.event.listen(database.engine, "connect", lambda connection, _: connections.append(connection))
    return connections


async def occupy(database: Database, count: int) -> tuple[list[Gate], list[asyncio.Task[None]]]:
    """Keep this many transactions waiting."""
    gates = [Gate() for _ in range(count)]
    tasks = [asyncio.create_task(database.read(gate)) for gate in gates]
    for gate in gates:
        await gate.waited_at()
    return gates, tasks


async def turns() -> None:
    """Give loop and threads time."""
    await asyncio.sleep(0.05)


@only_sqlite
async def test_aiosqlite_drives_sqlite(database: Database) -> None:
    """Transactions run in aiosqlite's own thread."""
    threads = await database.read(lambda tx: {threading.current_thread(): tx.connection.driver_connection})
    (kept,) = database._connections._idle  # type: ignore[union-attr]
    assert isinstance(kept, aiosqlite.Connection)
    assert threads == {kept._thread: kept._conn}
    assert kept._thread.daemon


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
async def test_either_address_names_the_same_file(tmp_path: Path, scheme: str) -> None:
    """With or without a driver."""
    database = Database(f"{scheme}:///{tmp_path / 'adjutant.db'}")
    await database.write(create)
    await database.close()
    assert (tmp_path / "adjutant.db").exists()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg", "postgresql+psycopg"])
def test_psycopg_drives_postgresql(scheme: str) -> None:
    """Whatever driver the address names."""
    assert add_driver(f"{scheme}://server/adjutant").drivername == "postgresql+psycopg"


async def test_arguments_are_passed(database: Database) -> None:
    """By place and name; results return."""
    assert await database.write(put, 2, times=3) == 6
    assert await database.read(coins) == 6


async def test_wrong_arguments_are_refused(database: Database) -> None:
    """A type error, and nothing happens."""
    with pytest.raises(TypeError):
        await database.write(put)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        await database.write(put, 1, often=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        await database.write(put, "many")  # type: ignore[arg-type]
    assert await database.read(coins) == 0


async def test_a_transaction_that_raises_is_rolled_back_and_its_connection_used_again(database: Database) -> None:
    """Failures open no further connections."""
    gate = Gate()
    gate.open.set()
    connections = note_connections(database)
    for _ in range(3 * CONNECTIONS):
        with pytest.raises(LookupError, match="lost"):
            await database.write(put_slowly, gate, 1, LookupError("lost"))
    assert await database.write(put, 5) == 5
    assert len(connections) < CONNECTIONS


async def test_connections_are_opened_as_they_are_needed(database: Database) -> None:
    """One in sequence, a few at once."""
    connections = note_connections(database)
    for _ in range(3 * CONNECTIONS):
        await database.read(coins)
    if database.engine.dialect.name == "sqlite":
        assert connections == []
    gates, tasks = await occupy(database, CONNECTIONS)
    waiting = asyncio.create_task(database.read(coins))
    await turns()
    assert not waiting.done()
    gates[0].open.set()
    assert await waiting == 0
    for gate in gates:
        gate.open.set()
    await asyncio.gather(*tasks)
    assert len(connections) == CONNECTIONS - 1


async def test_reads_go_on_while_a_write_runs(database: Database) -> None:
    """Readers see the state before."""
    gate = Gate()
    writing = asyncio.create_task(database.write(put_slowly, gate, 1))
    await gate.waited_at()
    assert await asyncio.gather(*(database.read(coins) for _ in range(3 * CONNECTIONS))) == [0] * 3 * CONNECTIONS
    gate.open.set()
    await writing
    assert await database.read(coins) == 1


@only_sqlite
async def test_writers_of_one_process_take_turns(database: Database) -> None:
    """In order, without blocking readers."""
    connections, count = note_connections(database), CONNECTIONS + 2
    gates = [Gate() for _ in range(count)]
    writing = [asyncio.create_task(database.write(put_slowly, gate, 1)) for gate in gates]
    for number, gate in enumerate(gates):
        await gate.waited_at()
        await turns()
        assert [each.reached.is_set() for each in gates] == [True] * (number + 1) + [False] * (count - number - 1)
        assert await database.read(coins) == number
        gate.open.set()
    await asyncio.gather(*writing)
    assert await database.read(coins) == count
    assert len(connections) == 1  # the readers'


@pytest.mark.postgres
async def test_writers_of_different_rows_do_not_wait_for_each_other(database: Database) -> None:
    """Only a shared row makes writers wait."""
    meeting = threading.Barrier(2, timeout=PATIENCE)

    def meet(tx: Connection) -> int:
        meeting.wait()
        return coins(tx)

    assert [*await asyncio.gather(database.write(meet), database.write(meet))] == [0, 0]


@pytest.mark.postgres
@pytest.mark.parametrize("refused", [sa.select(purse).with_for_update(), purse.update().values(coins=1)])
async def test_a_read_neither_locks_nor_writes(database: Database, refused: sa.Executable) -> None:
    """PostgreSQL refuses both within a read."""
    connections = note_connections(database)
    with pytest.raises(sa.exc.InternalError, match="in a read-only transaction"):
        await database.read(lambda tx: tx.execute(refused))
    assert await database.write(put, 5) == 5
    assert connections == []


@pytest.mark.parametrize("error", [None, LookupError("lost")])
async def test_a_cancelled_write_ends_whole_and_the_next_waits_for_it(
    database: Database, error: Exception | None
) -> None:
    """It's committed or rolled back first."""
    gate, connections = Gate(), note_connections(database)
    writing = asyncio.create_task(database.write(put_slowly, gate, 1, error))
    await gate.waited_at()
    writing.cancel()
    following = asyncio.create_task(database.write(put, 10))
    await turns()
    assert not following.done()
    if database.engine.dialect.name == "sqlite":
        assert connections == []  # it waits in the queue of the writers, not for the file
    gate.open.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await following == (11 if error is None else 10)


@pytest.mark.slow
@only_sqlite
async def test_a_connection_is_in_use_until_its_cancelled_transaction_ends(database: Database) -> None:
    """A busy connection isn't given away."""
    gates, tasks = await occupy(database, CONNECTIONS)
    waiting = asyncio.create_task(database.read(coins))
    for _ in range(3):
        for task in tasks:
            task.cancel()
        await turns()
    assert not any(task.done() for task in (waiting, *tasks))
    gates[0].open.set()
    assert await waiting == 0
    for gate in gates:
        gate.open.set()
    assert all(isinstance(result, asyncio.CancelledError) for result in await _results(tasks))
    await asyncio.gather(*(database.read(coins) for _ in range(CONNECTIONS)))
    assert len(database._connections._idle) == CONNECTIONS  # type: ignore[union-attr]


async def test_a_transaction_that_is_cancelled_before_it_begins_never_does(database: Database) -> None:
    """It takes no turn."""
    gates, tasks = await occupy(database, CONNECTIONS)
    writing = asyncio.create_task(database.write(put, 1))
    await turns()
    writing.cancel()
    assert isinstance((await _results([writing]))[0], asyncio.CancelledError)
    for gate in gates:
        gate.open.set()
    await asyncio.gather(*tasks)
    assert await database.write(put, 10) == 10


@pytest.mark.slow
@only_sqlite
@pytest.mark.parametrize("fails", [False, True])
async def test_a_connection_whose_opening_is_cancelled_is_used_by_the_next(database: Database, fails: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """The next one gets it."""
    gate, connections = Gate(), note_connections(database)

    def slowly(_connection: object, _record: object) -> None:
        gate(None)  # type: ignore[arg-type]
        if fails and len(connections) == 1:
            raise sa.exc.OperationalError("open", None, ValueError("disk"))

    sa.event.listen(database.engine, "connect", slowly)
    (held,), tasks = await occupy(database, 1)
    cancelled = asyncio.create_task(database.write(put, 1))
    await gate.waited_at()
    cancelled.cancel()
    await turns()
    assert not cancelled.done()
    gate.open.set()
    assert isinstance((await _results([cancelled]))[0], asyncio.CancelledError)
    assert await database.write(put, 10) == 10
    assert len(connections) == 1 + fails
    held.open.set()
    await asyncio.gather(*tasks)


async def test_a_database_that_cannot_be_opened_leaves_nothing_behind(tmp_path: Path) -> None:
    """Every try fails, no thread stays."""
    before = set(threading.enumerate())
    database = Database(f"sqlite:///{tmp_path / 'nowhere' / 'adjutant.db'}")
    for _ in range(2 * CONNECTIONS):
        with pytest.raises(sa.exc.OperationalError, match="unable to open"):
            await database.read(coins)
    await database.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE)
        assert not thread.is_alive()


async def test_closing_waits_for_what_runs_and_ends_all_threads(database: Database) -> None:
    """Earlier transactions finish first."""
    gates, tasks = await occupy(database, CONNECTIONS)
    threads = [gate.thread for gate in gates]
    results = [asyncio.create_task(database.write(put, 1)) for _ in range(3)]
    await turns()
    closing = asyncio.create_task(database.close())
    await turns()
    assert not closing.done()
    for gate in gates:
        gate.open.set()
    await closing
    await asyncio.gather(*tasks)
    assert sorted(await asyncio.gather(*results)) == [1, 2, 3]
    assert not any(thread is None or thread.is_alive() for thread in threads)


@pytest.mark.slow
async def test_closing_waits_for_a_cancelled_write(database: Database) -> None:
    """It's committed first."""
    gate = Gate()
    writing = asyncio.create_task(database.write(put_slowly, gate, 1))
    await gate.waited_at()
    writing.cancel()
    closing = asyncio.create_task(database.close())
    await turns()
    assert not closing.done()
    gate.open.set()
    await closing
    assert isinstance((await _results([writing]))[0], asyncio.CancelledError)
    again = Database(database.engine.url.render_as_string(hide_password=False))
    assert await again.read(coins) == 1
    await again.close()


async def test_a_closed_database_takes_nothing_more(database: Database) -> None:
    """Using it fails; closing twice doesn't."""
    await database.close()
    await database.close()
    with pytest.raises(RuntimeError):
        await database.read(coins)
    with pytest.raises(RuntimeError):
        await database.write(put, 1)


async def test_no_log_shows_the_arguments_of_a_transaction(tmp_path: Path) -> None:
    """Arguments and results aren't logged."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", LOGGED.format(url=f"sqlite:///{tmp_path / 'adjutant.db'}")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "using selector" in done.stdout.lower()
    assert "4711" not in done.stdout + done.stderr


async def _results(tasks: list[asyncio.Task[Any]]) -> list[Any]:
    return await asyncio.gather(*tasks, return_exceptions=True)
