"""Results are found after a rename."""

from __future__ import annotations

import pytest

from bot.core import campaigns
from bot.orders.board import staff_of
from bot.orders.resolution import Progress
from tests.orders.ordering import listed, order, populate
from tests.orders.test_resolving import resolved, rolls
from tests.orders.test_waiting import patrolled
from tests.support import resolving
from tests.support.soundness import require_whole
from tests.support.world import World


async def test_the_giver_reads_what_came_of_an_order_under_another_name(world: World) -> None:
    """Kai becomes Kai Shiden."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await resolved(world, 10)
    assert "unnoticed" in await listed(world)
    await world.gm.slash(world.orders, "roster edit", name="Kai", new_name="Kai Shiden")
    assert "**Kai Shiden**: Scout a base, Fort Anvil" in await listed(world)
    assert "unnoticed" in await listed(world)


@pytest.mark.slow
async def test_a_battle_is_fought_under_the_names_of_now(world: World) -> None:
    """Once, also after a crash."""
    since = await patrolled(world)
    bot = world.bots[0]
    staff = staff_of(bot.resolver, await bot.database.read(campaigns.require_on_server, world.gm.guild.id, 1))
    world.dice.script(20)
    await bot.database.write(resolving.step, bot.resolver, staff, 1, Progress())
    for name, options in {"Alfa": {"side": "Alfa 2"}, "White Base": {}}.items():
        await world.gm.slash(world.orders, "roster edit", name=name, new_name=f"{name} 2", **options)
    await resolved(world, 10, 10, 10)
    (fought,) = (body for body in rolls(world, since) if body["family"] == "complications")
    assert [part["subjects"]["side"] for part in fought["parts"]] == ["Alfa 2", "EF"]
    await require_whole(world)
