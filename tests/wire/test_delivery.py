"""The bot as its own process against a Discord that is slow, refuses, forgets, or is left in the middle."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.bench.stub import serving
from tests.support.commands import adjutant as adjutant_command
from tests.wire.server import Use, Wire, adjutant, place

pytestmark = pytest.mark.slow

ROLLS = 30
CLAIM = 6.0
"""Seconds for which posts are claimed; the channel doesn't answer for twice as long."""


@pytest.fixture
async def wire(tmp_path: Path) -> AsyncIterator[Wire]:
    """A fake Discord with a campaign."""
    async with serving(Wire(await place(tmp_path))) as served:
        yield served


async def roll(wire: Wire, number: int) -> Use:
    """Roll something that is posted in #results."""
    return await wire.slash("patrol", patrol=f"Patrol {number}", target="Ghost", to="results", roll="now")


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(120):
        while not true():  # noqa: ASYNC110 - what is awaited is spread over another process
            await asyncio.sleep(0.05)


def logged(folder: Path) -> list[dict[str, Any]]:
    """What the bot has logged."""
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


def bugs(folder: Path) -> list[dict[str, Any]]:
    """What the bot has logged as errors."""
    return [line for line in logged(folder) if line["level"] in {"error", "critical"}]


async def test_many_rolls_into_a_slow_channel(wire: Wire, tmp_path: Path) -> None:
    """Nothing is posted twice, lost or out of order, no answer waits for its turn in the channel, and each is edited after."""
    wire.open.clear()
    async with adjutant(wire, tmp_path, claim=CLAIM):
        uses = [await roll(wire, number) for number in range(ROLLS)]
        await until(lambda: all(use.answers for use in uses))
        await asyncio.sleep(2 * CLAIM)
        wire.open.set()
        await until(lambda: len(wire.posted()) >= ROLLS)
        await until(lambda: all("[Posted]" in json.dumps(use.answers[-1]) for use in uses))

    first = min(wire.posted())
    assert wire.posted() == list(range(first, first + ROLLS))
    assert sorted(use.entry for use in uses) == wire.posted()
    assert all(len(use.answers) <= 3 for use in uses)  # acknowledged, answered, edited
    late = sorted(uses, key=lambda use: use.entry)[1:]
    assert all(wire.log.index(("answer", use.number)) < wire.log.index(("post", use.entry)) for use in late)
    assert all("Waiting for Discord to post it" in json.dumps(use.answers) for use in late)
    assert bugs(tmp_path) == []


async def test_a_killed_bot_leaves_nothing_lost_or_doubled(wire: Wire, tmp_path: Path) -> None:
    """What Discord took before the bot was killed is found behind all that others wrote, and the rest is sent."""
    async with adjutant(wire, tmp_path, claim=1):
        await roll(wire, 0)
        await until(lambda: len(wire.posted()) == 1)
        wire.open.clear()
        uses = [await roll(wire, number) for number in range(1, 5)]
        await until(lambda: len(wire.posted()) == 2 and all(use.answers for use in uses))
    wire.open.set()
    wire.talk(120)
    async with adjutant(wire, tmp_path, claim=1):
        await until(lambda: len(wire.posted()) == 5)
        await until(lambda: waiting(tmp_path) == 0)
    assert len(set(wire.posted())) == 5
    assert bugs(tmp_path) == []


async def test_a_roll_taken_back_before_its_post_was_answered_has_one_message(wire: Wire, tmp_path: Path) -> None:
    """Killed before Discord's answer to the post came, the next process finds the message and strikes it through."""
    async with adjutant(wire, tmp_path, claim=1):
        wire.open.clear()
        use = await roll(wire, 0)
        await until(lambda: len(wire.posted()) == 1 and bool(use.answers))
        asked = await wire.slash("gm undo", entry=wire.posted()[0])
        await until(lambda: bool(asked.answers))
        done = await wire.submit(asked.answers[-1], reason="A modifier was missed")
        await until(lambda: "undone" in json.dumps(done.answers))
    wire.open.set()
    async with adjutant(wire, tmp_path, claim=1):
        await until(lambda: waiting(tmp_path) == 0)
    struck, notice = wire.messages
    assert "Void: undone by" in json.dumps(struck["embeds"])
    assert "A modifier was missed" in json.dumps(notice["embeds"])
    assert bugs(tmp_path) == []


async def test_a_stopped_bot_answers_first(wire: Wire, tmp_path: Path) -> None:
    """Whoever rolls as the bot is stopped is answered, or has rolled nothing; what was not posted follows when it starts."""
    wire.open.clear()
    async with adjutant(wire, tmp_path) as process:
        uses = [await roll(wire, number) for number in range(8)]
        await until(lambda: bool(wire.posted()))
        process.send_signal(signal.SIGTERM)
        while wire.listening():
            uses.append(await roll(wire, len(uses)))
            await asyncio.sleep(0.05)
        assert await process.wait() == 0
    wire.open.set()
    told = [use for use in uses if use.answers]
    assert told
    assert all("Rolled: entry #" in json.dumps(use.answers) for use in told)
    assert len(told) == entries(tmp_path)
    async with adjutant(wire, tmp_path):
        await until(lambda: waiting(tmp_path) == 0)
    assert len(wire.posted()) == len(set(wire.posted())) == len(told)
    assert bugs(tmp_path) == []


async def test_what_discord_did_not_hear_is_told_with_the_next_answer(wire: Wire, tmp_path: Path) -> None:
    """A roll whose answer Discord does not take is told with the next one, and the log holds a warning and no bug."""
    async with adjutant(wire, tmp_path):
        wire.deaf = True
        await roll(wire, 0)
        await until(lambda: bool(wire.posted()))
        await until(lambda: any(line["event"] == "interaction.unanswered" for line in logged(tmp_path)))
        wire.deaf = False
        following = await wire.slash("help")
        await until(lambda: len(following.answers) == 2)
    assert f"Rolled: entry #{wire.posted()[0]}" in json.dumps(following.answers)
    assert bugs(tmp_path) == []


async def test_a_lost_gateway_cuts_no_answer_off(wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who rolled before the gateway was lost is answered, and who rolls when it is back as well; on its port the bot tells that it is ready again, and counts both rolls."""
    wire.open.clear()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    monkeypatch.setenv("HEALTH_PORT", port)
    async with adjutant(wire, tmp_path, health_port=port):
        first = await roll(wire, 0)
        await until(lambda: bool(wire.posted()))
        await wire.drop()
        await asyncio.wait_for(wire.ready, 60)
        second = await roll(wire, 1)
        await until(lambda: all("Rolled: entry #" in json.dumps(use.answers) for use in (first, second)))
        health = await asyncio.to_thread(adjutant_command, "", "health")
        async with aiohttp.request("GET", f"http://127.0.0.1:{port}/metrics") as answer:
            assert 'adjutant_rolls_total{book="campaign",family="patrol"} 2.0' in await answer.text()
    assert (health.code, json.loads(health.out)["ready"]) == (0, True)
    assert (await asyncio.to_thread(adjutant_command, "", "health")).code == 1
    assert entries(tmp_path) == 2
    assert bugs(tmp_path) == []


async def test_two_processes_on_one_token_roll_once(wire: Wire, tmp_path: Path) -> None:
    """While a new version takes over, both processes are given each command: it makes one entry, is posted once, and is told once as done."""
    async with adjutant(wire, tmp_path), adjutant(wire, tmp_path):
        uses = [await roll(wire, number) for number in range(10)]
        await until(lambda: len(wire.posted()) >= 10 and all(use.answers for use in uses))
        await until(lambda: len([line for line in logged(tmp_path) if line["event"] == "interaction"]) == 20)
    assert entries(tmp_path) == 10
    assert sorted(wire.posted()) == sorted({use.entry for use in uses})
    assert Counter(line["outcome"] for line in logged(tmp_path) if line["event"] == "interaction") == {
        "answered": 10,
        "taken": 10,
    }
    assert bugs(tmp_path) == []


async def test_an_answer_is_given_over_a_bad_line(wire: Wire, tmp_path: Path) -> None:
    """A connection reset in the middle of an answer, and pages with 500 and 502 in place of Discord's answers, cost nothing: each roll is told and posted once, and nobody reads a page."""
    async with adjutant(wire, tmp_path):
        wire.resets = 1
        first = await roll(wire, 0)
        await until(lambda: bool(first.answers and wire.posted()))
        wire.troubles = [500, 502]  # for the post, and for the answer or its acknowledgement
        second = await roll(wire, 1)
        await until(lambda: len(wire.posted()) == 2 and "Rolled: entry #" in json.dumps(second.answers))
    assert wire.posted() == [first.entry, second.entry]
    assert "Bad Gateway" not in json.dumps(second.answers)
    assert bugs(tmp_path) == []


def waiting(folder: Path) -> int:
    """How many posts are not sent yet."""
    return count(folder, "select count(*) from post where state = 'queued'")


def entries(folder: Path) -> int:
    """How many rolls are entered."""
    return count(folder, "select count(*) from entry where kind = 'roll'")


def count(folder: Path, query: str) -> int:
    """The number that a query finds in the bot's database."""
    with closing(sqlite3.connect(folder / "wire.db")) as file:
        return int(file.execute(query).fetchone()[0])
