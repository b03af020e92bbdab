"""Orders under simultaneous presses, two processes and crashes."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from bot.app import KINDS
from bot.client import Adjutant
from bot.core import audit
from bot.core.campaigns import require_on_server
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.orders import board
from bot.orders.resolution import Progress, take_steps
from tests.cogs.captives.cells import save
from tests.orders.ordering import order, populate
from tests.orders.test_resolving import resolved, rolls
from tests.support import resolving
from tests.support.acting import use_desk
from tests.support.reading import press, response
from tests.support.soundness import require_whole
from tests.support.world import World, rows, send_raw, written


async def test_two_presses_at_once_roll_once(world: World) -> None:
    """One entry per order, one digest."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    await order(world, "Hide", "Amuro", to="Hill")
    await order(world, "Assault a base", "White Base", world.gm, to="Fort Anvil")
    shown = response(await world.gm.slash(world.orders, "gm resolve"))
    key = press(shown, "resolve")
    world.dice.script(10, 10)
    await asyncio.gather(*(send_raw(world.gm, world.orders, key) for _ in range(3)))
    kept = rows(world, "select count(*) from entry where kind = 'roll'")
    assert kept == [(4,)], "hide, hide, assault, and the complications of the battle"
    assert rows(world, "select count(*) from entry where kind = 'digest'") == [(1,)]
    await require_whole(world)


async def _resolve(bot: Adjutant, person: Person) -> list[int]:
    made, progress = [], Progress()
    while steps := await bot.database.write(take_steps, bot.resolver, person, 1, progress):
        progress = steps[-1].progress
        made += [step.entry.number for step in steps if step.entry]
    return made


async def test_two_processes_resolve_each_order_once(world: World) -> None:
    """On one database."""
    await populate(world)
    names = [f"Squad {number}" for number in range(12)]
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in names))
    for name in names:
        await order(world, "Hide", name, world.gm, to="Valley")
    since, first = written(world)[0], world.bots[0]
    campaign = await first.database.read(require_on_server, world.gm.guild.id, 1)
    person = board.staff_of(first.resolver, campaign)
    one, other = await asyncio.gather(*(_resolve(bot, person) for bot in (first, world.new_bot())))
    assert sorted([*one, *other]) == list(range(since + 1, since + 13))
    done = Counter(number for (number,) in rows(world, "select number from entry where kind = 'roll'"))
    assert max(done.values()) == 1
    assert [item.faults for item in await audit.check_ledgers(first.database, KINDS)] == [()]


@pytest.mark.parametrize("steps", [3, *(pytest.param(steps, marks=pytest.mark.slow) for steps in (0, 1, 2, 4, 5))])
async def test_after_a_crash_resolution_goes_on_where_it_stopped(world: World, steps: int) -> None:
    """After any number of entries."""
    await populate(world)
    names = [f"Squad {number}" for number in range(5)]
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in names))
    for name in names:
        await order(world, "Hide", name, world.gm, to="Valley")
    since, bot = written(world)[0], world.bots[0]
    person = board.staff_of(bot.resolver, await bot.database.read(require_on_server, world.gm.guild.id, 1))
    for _ in range(steps):
        await bot.database.write(resolving.step, bot.resolver, person, 1, Progress())
    await world.restart()
    if steps < len(names):
        await resolved(world)
    else:
        await use_desk(world.gm, world.orders, "Digest")
    assert Counter(body["parts"][0]["subjects"]["hider"] for body in rolls(world, since)) == Counter(names)
    assert rows(world, "select count(*) from entry where kind = 'digest'") == [(1,)]
