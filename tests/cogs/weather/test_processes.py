"""Rollovers of several and killed processes."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from bot.app import KINDS
from bot.core import audit
from bot.core.errors import NotOpen
from bot.core.proofs import verify_chain
from bot.core.records import Link
from bot.outbox import queue as posts
from bot.outbox.queue import Post
from tests.cogs.weather.seasons import count_written, preview, read_span, roll, whole
from tests.cogs.weather.skies import FAIR
from tests.support.backend import House
from tests.support.reading import text
from tests.support.world import World, rows

ROOT = Path(__file__).parents[3]
WEEKS = 5


async def start(url: str, last: int, death: str = "none") -> Process:
    """Start a process that rolls weeks."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.cogs.weather.rollover_many", url, str(last), death),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    assert process.stdout is not None
    ready = await process.stdout.readline()
    assert ready == b"ready\n", (await process.communicate())[1].decode()
    return process


async def ask(process: Process) -> int:
    """Ask for the next week; 1 if it rolled."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n")
    answer = await process.stdout.readline()
    assert answer, (await process.communicate())[1].decode()
    return int(answer)


async def kill_process(url: str, last: int, death: str) -> None:
    """Kill a process in a week."""
    process = await start(url, last, death)
    await process.communicate(b"\n" * last)
    assert process.returncode == -signal.SIGKILL


def url_of(house: House) -> str:
    """The address of the database."""
    return house.database.engine.url.render_as_string(hide_password=False)


async def list_owed(house: House, number: int) -> list[Post]:
    """The posts of an entry."""
    return await house.database.read(lambda tx: posts.posts_of_entry(tx, house.campaign.id, number))


@pytest.mark.slow
async def test_two_processes_roll_each_week_once(house: House, times: int) -> None:
    """One entry and digest each."""
    weeks = WEEKS * times
    both = await asyncio.gather(*(start(url_of(house), weeks) for _ in range(2)))
    rolled = [await asyncio.gather(*map(ask, both)) for _ in range(weeks)]
    assert [await process.wait() for process in both] == [0, 0]

    entries = await house.entries()
    bodies = [entry.content() for entry in entries[1:]]
    assert [sorted(each) for each in rolled] == [[0, 1]] * weeks
    assert [body["weather"]["week"] for body in bodies] == list(range(1, weeks + 1))
    assert [body["weather"]["last"] for body in bodies] == [None, *range(1, weeks)]
    assert list(verify_chain(Link(house.campaign.uuid), entries)) == []
    for entry in entries[1:]:
        queued = await list_owed(house, entry.number)
        assert queued
        assert [(item.kind, item.page) for item in queued] == [("results", page + 1) for page in range(len(queued))]
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


@pytest.mark.parametrize(
    "death", ["dice", *(pytest.param(death, marks=pytest.mark.slow) for death in ("clock", "nonce"))]
)
async def test_killed_before_the_commit_nothing_is_left(house: House, death: str) -> None:
    """The next one rolls it."""
    await roll(house, *FAIR)
    before = await count_written(house)
    await kill_process(url_of(house), 2, death)
    assert await count_written(house) == before
    assert (await roll(house, *FAIR)).entry.content()["week"] == 2
    assert await whole(house)


@pytest.mark.slow
async def test_killed_after_the_commit_the_week_is_whole(house: House) -> None:
    """Its posts are queued."""
    await roll(house, *FAIR)
    await kill_process(url_of(house), 2, "committed")
    assert await read_span(house) == (1, 2)
    queued = await list_owed(house, 3)
    assert queued
    assert {(item.kind, item.state, item.message_id) for item in queued} == {("results", "queued", None)}
    with pytest.raises(NotOpen, match="Week 2 is already rolled: entry #3"):
        await preview(house, 2)
    assert await whole(house)


@pytest.mark.slow
async def test_what_was_not_posted_is_posted_once_after_the_start(world: World) -> None:
    """On time, and once."""
    await kill_process(world.database, 1, "committed")
    waiting = rows(world, "select kind, state from post where kind <> 'audit'")
    assert set(waiting) == {("results", "queued")}
    for _ in range(2):
        await world.restart()
        world.clock.advance(seconds=61)
        await world.env.advance_time(6)
        answer = [text(message) for message in world.results.history()]
        assert len(answer) == len(waiting)
        assert all("Weather of week 1" in each for each in answer)
    assert set(rows(world, "select kind, state from post")) == {("results", "sent"), ("audit", "sent")}
