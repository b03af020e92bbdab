"""The pauses that random.org asks for, when several ask it."""

from __future__ import annotations

import asyncio
import time

from bot.rolls.fairness.random_org import RandomOrg
from tests.support.random_org import KEY, random_org


async def test_all_who_roll_in_a_pause_wait_for_its_end() -> None:
    """However many ask in a short pause, each asks only when it is over."""
    async with random_org() as server:
        way, server.delay = RandomOrg(server.url), 400
        await way.ask(KEY, "first", {})
        ended, asked = time.perf_counter() + 0.35, list[float]()

        async def note() -> None:
            asked.append(time.perf_counter())

        server.before = note
        replies = await asyncio.gather(*(way.ask(KEY, name, {}) for name in ("second", "third")))
        await way.close()
    assert [reply.lacking for reply in replies] == [None, None]
    assert min(asked) > ended


async def test_of_two_pauses_the_longer_one_is_kept() -> None:
    """A delay that is asked for after a quota was used up does not shorten the pause, and nothing is asked in it."""
    async with random_org() as server:
        way, begun, spent = RandomOrg(server.url), asyncio.Event(), asyncio.Event()

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
    """What is left of a pause and the wait for an answer are two seconds together."""
    async with random_org() as server:
        way, server.delay = RandomOrg(server.url), 450
        await way.ask(KEY, "first", {})
        server.fault, began = "slow", time.perf_counter()
        reply = await way.ask(KEY, "second", {})
        assert reply.lacking == {"why": "timeout"}
        assert time.perf_counter() - began < 2.3
        await way.close()
