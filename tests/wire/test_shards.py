"""Three processes, each with a third of Discord's shards, on one database."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.app import KINDS as ENTRY_KINDS
from bot.core import audit
from bot.core.database import Database
from bot.core.schema import entry, job, post
from tests.bench.stub import serving
from tests.support import template
from tests.support.world import running
from tests.wire.server import Place, Wire, adjutant
from tests.wire.test_delivery import bugs, until

pytestmark = pytest.mark.slow

CLAIM = 6.0
"""Seconds after which another process sends what one has claimed: longer than a busy machine takes to send."""
SLICES = ("0/3", "1/3", "2/3")
MORTAL = """
import os, pathlib, signal
import bot.client, bot.schedules.runner as runner
from bot.core.database import Database
def die(moment):
    try:
        (pathlib.Path({deaths!r}) / moment).unlink()  # one process alone
    except FileNotFoundError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
do, write = runner.do_next, Database.write
def mortal(tx, *given):
    posts = do(tx, *given)
    if posts:
        die("before")
    return posts
async def mortal_write(database, function, *given, **named):
    found = await write(database, function, *given, **named)
    if function is mortal and found:
        die("after")
    return found
runner.do_next, Database.write = mortal, mortal_write
bot.client.Adjutant._round.__kwdefaults__ = None
bot.client.Adjutant._round.__defaults__ = (0.5,)
"""
"""What makes a bot look for chores often, and the first that rolls the weather by schedule kill itself before its commit, or after it."""


@pytest.fixture
def url(database_kind: str, tmp_path: Path) -> Iterator[str]:
    """The address of a database of each kind."""
    with template.migrated_url(database_kind, tmp_path) as address:
        yield address


async def settle(url: str) -> Place:
    """Make a campaign that rolls its weather by schedule."""
    async with running(url) as world:
        await world.gm.slash(world.orders, "gm schedule", what="weather", day="Saturday", time="18:00")
        await world.bots[0].database.write(due_at, datetime.now(UTC) + timedelta(days=1))
        return Place.of(world)


def due_at(tx: Connection, at: datetime) -> None:
    """Let the rollover be due at a moment."""
    tx.execute(sa.update(job).values(next_at=at))


@asynccontextmanager
async def three(wire: Wire, folder: Path, url: str, deaths: Path) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Run the three processes."""
    async with AsyncExitStack() as running_ones:
        mortal = MORTAL.format(deaths=str(deaths))
        yield [
            await running_ones.enter_async_context(
                adjutant(wire, folder, claim=CLAIM, before=mortal, database_url=url, shards=shards)
            )
            for shards in SLICES
        ]


async def rows(database: Database, query: sa.Select[Any]) -> list[Any]:
    """What a query finds."""
    return await database.read(lambda tx: list(tx.execute(query)))


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_rollover_is_handed_on_when_its_process_dies(url: str, tmp_path: Path, moment: str) -> None:
    """One of three is killed in the middle of a rollover that is due, before its commit or after it: the week is rolled once and told once by the others."""
    deaths = tmp_path / "deaths"
    deaths.mkdir()
    async with serving(Wire(await settle(url))) as wire, three(wire, tmp_path, url, deaths) as processes:
        database = Database(url)
        (deaths / moment).touch()
        await database.write(due_at, datetime.now(UTC))
        ended = await first(processes)
        await until(lambda: bool(wire.posted()))
        await settled(database)
        kinds = await rows(database, sa.select(entry.c.kind, entry.c.number).where(entry.c.kind == "roll"))
        (following,) = await rows(database, sa.select(job.c.next_at))
        alive = [process.returncode for process in processes].count(None)
        checked = await audit.check_ledgers(database, ENTRY_KINDS)
        await database.close()
    assert ended.returncode == -signal.SIGKILL
    assert alive == 2
    assert len(kinds) == 1
    assert wire.posted() == [kinds[0].number]
    assert following.next_at > datetime.now(UTC)
    assert [item.faults for item in checked] == [()]
    assert bugs(tmp_path) == []


async def test_each_server_is_served_by_the_process_with_its_shard(url: str, tmp_path: Path) -> None:
    """A command reaches one of three processes, and is answered and posted once."""
    async with serving(Wire(await settle(url))) as wire, three(wire, tmp_path, url, tmp_path):
        use = await wire.slash("patrol", patrol="Kilo", target="Ghost", to="results", roll="now")
        await until(lambda: bool(use.answers and wire.posted()))
        assert len(wire.listening()) == 1
    assert wire.posted() == [use.entry]
    assert bugs(tmp_path) == []


async def first(processes: list[asyncio.subprocess.Process]) -> asyncio.subprocess.Process:
    """Wait for the first process that ends."""
    async with asyncio.timeout(60):
        while not (ended := [process for process in processes if process.returncode is not None]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    return ended[0]


async def settled(database: Database) -> None:
    """Wait until nothing is left to post."""
    async with asyncio.timeout(60):
        while await rows(database, sa.select(post.c.id).where(post.c.state == "queued")):  # noqa: ASYNC110 - another process sends it
            await asyncio.sleep(0.1)
