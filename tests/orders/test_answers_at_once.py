"""Answers and presses in any order, also at once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Literal

import pytest

from bot.actions import perform
from bot.app import KINDS
from bot.client import Adjutant
from bot.cogs.writeups.actions import EnterResult
from bot.core import audit
from bot.core.campaigns import Campaign, require_on_server
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.orders import board, resolution, standing
from bot.orders.resolution import Progress
from bot.rolls.extension import Question
from tests.cogs.captives.cells import save
from tests.orders.ordering import order, populate
from tests.orders.test_resolving import rolls
from tests.support import resolving
from tests.support.world import World, send_raw, written

PATROLS, MOVERS = ("Alfa", "Bravo", "Charlie"), ("Vesna", "Wraith", "Yak", "Zaku")


async def _ordered(world: World) -> tuple[int, Campaign, Person]:
    await populate(world)
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in (*PATROLS, *MOVERS)))
    for name in PATROLS:
        await order(world, "Patrol or blockade a sector", name, world.gm, to="Valley")
    for name in MOVERS:
        await order(world, "Move through a sector", name, world.gm, to="Valley")
    campaign = await world.bots[0].database.read(require_on_server, world.gm.guild.id, 1)
    return written(world)[0], campaign, board.staff_of(world.bots[0].resolver, campaign)


async def _asked(bot: Adjutant, who: Person, campaign: Campaign) -> list[Question]:
    found = await bot.database.read(resolution.find_unanswered, bot.resolver, who, campaign)
    return list(found.questions)


async def _answer(bot: Adjutant, who: Person, asked: Question, result: Literal["won", "drawn", "lost"]) -> None:
    number = asked.line.rpartition("write-up ")[2].rstrip(")")
    await bot.database.write(perform, bot.resolver, who, 1, EnterResult(number=number, result=result))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
async def test_each_order_ends_once_however_answers_and_presses_come(world: World, seed: int) -> None:
    """With restarts; no pair fights twice."""
    since, campaign, who = await _ordered(world)
    chance = random.Random(seed)  # noqa: S311 - a test that is to be repeated
    given = {item.entry for item in await world.bots[-1].database.read(standing.all_orders, campaign)}
    while True:
        bot = world.bots[-1]
        if chance.random() < 0.1:
            await world.restart()
            continue
        asked = await _asked(bot, who, campaign)
        if asked and chance.random() < 0.4:
            await _answer(bot, who, chance.choice(asked), chance.choice(["won", "won", "drawn", "lost"]))
            continue
        world.dice.script(*(chance.choice([3, 12, 18, 20]) for _ in range(30)))
        step = await bot.database.write(resolving.step, bot.resolver, who, 1, Progress())
        if step is None and not asked:
            break
    world.dice.script()  # those left over
    bot = world.bots[-1]
    after = await bot.database.read(standing.all_orders, campaign)
    assert {item.entry for item in after} == given
    assert [item.entry for item in after if bool(item.done) == (item.lapsed is not None)] == []
    parts = [part for body in rolls(world, since) if body["family"] == "patrol" for part in body["parts"]]
    thrown = Counter((part["subjects"]["patrol"], part["subjects"]["target"]) for part in parts if part["steps"])
    assert max(thrown.values()) == 1
    battles_of = Counter(part["subjects"]["patrol"] for part in parts if (part["outcome"] or {}).get("id") == "battle")
    assert max(battles_of.values(), default=0) <= 1, "one stop each"
    assert await bot.database.read(resolution.is_done, bot.resolver, who, campaign)
    assert [item.faults for item in await audit.check_ledgers(bot.database, KINDS)] == [()]


@pytest.mark.slow
async def test_an_answer_beside_presses_resolves_all_once(world: World) -> None:
    """Three game masters at once."""
    since, campaign, who = await _ordered(world)
    bot = world.bots[0]
    world.dice.script(20, 10, 10)
    while await bot.database.write(resolving.step, bot.resolver, who, 1, Progress()):
        pass
    (asked,) = await _asked(bot, who, campaign)
    shown = asked.custom_id
    window = await send_raw(world.gm, world.orders, shown)
    world.dice.script(*[10] * 40)

    async def press() -> None:
        while await bot.database.write(resolving.step, bot.resolver, who, 1, Progress()):
            pass

    await asyncio.gather(press(), world.gm.submit_modal(window, {"result": ["won"]}), press())
    await press()
    world.dice.script()  # those left over
    parts = [part for body in rolls(world, since) if body["family"] == "patrol" for part in body["parts"]]
    thrown = Counter((part["subjects"]["patrol"], part["subjects"]["target"]) for part in parts if part["steps"])
    assert set(thrown) == {("Alfa", "Vesna"), *((one, other) for one in PATROLS[1:] for other in MOVERS)}
    assert max(thrown.values()) == 1
    assert [item.faults for item in await audit.check_ledgers(bot.database, KINDS)] == [()]
