"""Later orders replace contradicting ones (A3); grudges end with their enemy (C5.5)."""

from __future__ import annotations

import pytest

from rules.books.battlesystem.state import EVENT
from tests.cogs.battles.battlefield import ask, check, ford, join, posted, sound, state
from tests.support.acting import removed
from tests.support.reading import assert_says, refused, said
from tests.support.world import World, nothing_written


async def test_of_contradictory_orders_in_one_check_the_later_one_is_told_to_hold(world: World) -> None:
    """Both are shown, the first as replaced."""
    await ford(world, reds="Pikes", blues="Elves, Orcs")
    # 56 brings the enemy of whoever rolled it one more event each: both fall on the Pikes.
    await check(world, (2, 1, 1), (100, 56), (100, 18), (100, 56), (100, 25))
    assert "replaces Garbled orders (18) for Pikes" in posted(world)
    shown = await ask(world, "active")
    first, second = (line for line in shown.splitlines() if "Garbled orders" in line)
    assert_says(first, "(18)", "replaced by Garbled orders (25)")
    assert "replaced" not in second
    assert await sound(world)


@pytest.mark.slow
async def test_orders_of_a_later_check_hold_against_those_of_an_earlier_one(world: World) -> None:
    """Other units, other kinds and numbers don't clash (A11)."""
    await ford(world, reds="Pikes, Bows", blues="Elves")
    await check(world, (1, 2, 2), (100, 12))
    await check(world, (1, 2, 2), (100, 13), reason="again")
    assert "replaced by" not in await ask(world, "active")
    await ask(world, "turn")
    await check(world, (1, 1, 2), (100, 7), (100, 22))
    await check(world, (1, 2, 2), (100, 8), reason="the dice fell off the table")
    lines = [line for line in (await ask(world, "active")).splitlines() if "Rumours" in line or "Garbled" in line]
    assert ["replaced by" in line for line in lines] == [True, False, False]
    assert "replaced by Rumours (8)" in lines[0]


async def test_a_grudge_ends_with_the_last_enemy(world: World) -> None:
    """Its bonus stays; removed or deleted makes no difference."""
    await ford(world, reds="Pikes", blues="Elves, Orcs")
    for name in ("Trolls", "Bystanders"):
        await world.gm.slash(world.orders, "roster add", name=name, kind="squad")
    await check(world, (1, 2, 2), (100, 4))
    assert "ended" not in await ask(world, "unit remove", units="Elves")
    told = await ask(world, "unit remove", units="Orcs")
    assert "Pikes: Old grudge (4): May fight only the closest enemy unit, until either is gone — ended" in told
    shown = await ask(world, "active")
    assert "ML +1" in shown
    assert "May fight only" not in shown
    await join(world, "Blues", "Elves")
    await check(world, (1, 2), (100, 4), reason="again")
    assert "against Elves" in await ask(world, "active")
    await join(world, "Blues", "Trolls")
    await check(world, (1, 2, 2), (100, 4), reason="once more")
    await ask(world, "unit remove", units="Elves")
    await removed(world, name="Bystanders")
    assert "May fight only" in await ask(world, "active")
    await removed(world, name="Trolls")
    assert "May fight only" not in await ask(world, "active")
    assert await sound(world)


async def test_whom_a_grudge_is_against_can_be_said(world: World) -> None:
    """It ends with the enemy that was named."""
    await ford(world, reds="Pikes, Bows", blues="Elves, Orcs, Trolls")
    await check(world, (1, 2, 2, 2, 2), (100, 4))
    with nothing_written(world):
        for unit, foe, words in (
            ("Bows", "Orcs", "no event that ends with an enemy"),
            ("Pikes", "Bows", "fights for Reds"),
        ):
            assert words in refused(await world.gm.slash(world.orders, "gm-events unit edit", unit=unit, foe=foe))
    told = said(await world.gm.slash(world.orders, "gm-events unit edit", unit="Pikes", foe="Orcs"))
    assert "Pikes has a grudge against Orcs" in told
    assert "ended" not in await ask(world, "unit remove", units="Elves")
    assert "ended" in await ask(world, "unit remove", units="Orcs")
    assert await sound(world)


@pytest.mark.slow
async def test_a_grudge_ends_with_an_enemy_who_deserts_or_is_deleted(world: World) -> None:
    """Treachery and deletion count as gone."""
    await ford(world, reds="Pikes", blues="Elves, Orcs")
    await check(world, (1, 2, 2), (100, 4))
    await world.gm.slash(world.orders, "gm-events unit edit", unit="Pikes", foe="Orcs")
    await check(world, (2, 2, 1), (100, 35), reason="again")
    assert "May fight only" not in await ask(world, "active")

    await world.gm.slash(world.orders, "roster add", name="Trolls", kind="squad")
    await world.gm.slash(world.orders, "gm-events unit add", units="Trolls", side="Blues")
    await check(world, (1, 2, 2), (100, 4), reason="once more")
    await world.gm.slash(world.orders, "gm-events unit edit", unit="Pikes", foe="Trolls")
    assert "against Trolls" in await ask(world, "active")
    await removed(world, name="Trolls")
    assert "until_gone" not in str(state(world, EVENT))
    assert await sound(world)
