"""The pauses that random.org asks for, when several ask it."""

from __future__ import annotations

import asyncio

import pytest

from bot.rolls.fairness.random_org import RandomOrg
from tests.support.random_org import KEY, Naps, random_org


async def test_all_who_roll_in_a_pause_wait_for_its_end() -> None:
    """However many ask in a short pause, each asks only when it is over."""
    async with random_org() as server:
        naps, asked = Naps(), list[float]()
        way, server.delay = RandomOrg(server.url, now=naps.now, sleep=naps.sleep, timeout=60), 400
        await way.ask(KEY, "first", {})

        async def note() -> None:
            asked.append(naps.now())

        server.before = note
        replies = await asyncio.gather(*(way.ask(KEY, name, {}) for name in ("second", "third")))
        await way.close()
    assert [reply.lacking for reply in replies] == [None, None]
    assert min(asked) == pytest.approx(0.4)


async def test_of_two_pauses_the_longer_one_is_kept() -> None:
    """A delay that is asked for after a quota was used up does not shorten the pause, and nothing is asked in it."""
    async with random_org() as server:
        way, begun, spent = RandomOrg(server.url, timeout=60), asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            begun.set()
            await spent.wait()

        server.delay, server.before = 100, hold
        first = asyncio.create_task(way.ask(KEY, "first", {}))
        await begun.wait()
        server.before, server.fault = None, "requests spent"
        quota = (await way.ask(KEY, "second", {})).lacking
        server.fault = None
        spent.set()
        assert (await first).lacking is None
        assert (quota, way.paused(KEY)) == ({"why": "quota", "code": 402}, quota)
        assert (await way.ask(KEY, "third", {})).lacking == quota
        assert len(server.asked) == 2
        await way.close()


async def test_a_pause_is_waited_for_within_the_time_for_an_answer() -> None:
    """The time for an answer ends in what is left of a pause too; then nothing is asked."""
    async with random_org() as server:
        way, server.delay = RandomOrg(server.url, sleep=lambda _: asyncio.Event().wait(), timeout=60), 450
        await way.ask(KEY, "first", {})
        way.timeout = 0.05
        reply = await way.ask(KEY, "second", {})
        await way.close()
    assert (reply.lacking, len(server.asked)) == ({"why": "timeout"}, 1)
