"""Players' orders are locked by schedule or by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.orders.ordering import listed, order, picked, populate
from tests.schedules.test_schedule import WEEKLY, at, schedule
from tests.support.acting import close_update
from tests.support.reading import assert_says, press, refused, response, said
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, written


async def locked(world: World) -> None:
    """Let the schedule lock an hour before closing."""
    told = said(await schedule(world, **WEEKLY, lock=60))
    assert "**Players' orders lock:** 1 hour before" in told
    await at(world, 7, 16)


async def _refused_to_players(world: World, window: Any, *words: str) -> None:  # noqa: ANN401 - a window to change an order
    for result in (
        await order(world, "Hide", "Kai", to="Hill"),
        await world.player.slash(world.orders, "order give", kind="Pass", who="Amuro"),
        await world.player.submit_modal(window, {"to": "Hill"}),
        await world.player.click(shown := await picked(world, world.player), custom_id=press(shown, "withdraw")),
    ):
        assert_says(refused(result), *words)


async def test_the_schedule_locks_players_orders_before_it_closes(world: World) -> None:
    """Game masters still order; closing unlocks."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    shown = await picked(world, world.player)
    window = await world.player.click(shown, custom_id=press(shown, f"{written(world)[0]}:change"))
    await locked(world)
    assert entry(world)["deed"] == "lock"
    assert "orders have been locked since <t:" in await listed(world)
    with nothing_written(world):
        await _refused_to_players(world, window, "have been locked since <t:", "<t:1772899200:t>")
    assert "Order given" in said(await order(world, "Hide", "Amuro", world.gm, to="Cave"))
    await at(world, 7, 17)
    assert entry(world)["closed"]["number"] == 1
    assert "Order given" in said(await order(world, "Hide", "Kai", to="Hill"))
    assert "Fort Anvil" in await listed(world)
    await require_whole(world)


@pytest.mark.slow
async def test_it_locks_once_for_each_update(world: World) -> None:
    """Not if it closed by hand before."""
    await populate(world)
    await locked(world)
    with nothing_written(world):
        await at(world, 7, 16, 30)
    await close_update(world)
    await at(world, 7, 17)
    await close_update(world)
    with nothing_written(world):
        await at(world, 14, 16)
    await at(world, 14, 17)
    await at(world, 21, 16)
    assert entry(world)["deed"] == "lock"
    assert "Players' orders locked" in said(await world.gm.slash(world.orders, "ledger"))
    assert "locked" not in said(await world.player.slash(world.orders, "ledger"))


async def test_a_schedule_of_locking_is_kept_told_and_bounded(world: World) -> None:
    """At most one period; 0 is off."""
    await schedule(world, **WEEKLY, lock=90)
    assert "prepared 1 hour 30 minutes before" in said(await world.gm.slash(world.orders, "ledger"))
    with nothing_written(world):
        assert "1 to 1440 minutes" in refused(await schedule(world, day="every day", lock=1441))
    assert "orders lock:** not before" in said(await schedule(world, lock=0))


async def test_players_change_no_orders_while_the_update_is_being_resolved(world: World) -> None:
    """A game master still may."""
    await populate(world)
    world.dice.script(17)
    await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort Anvil", roll="now")
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    shown = await picked(world, world.player)
    change = await world.player.click(shown, custom_id=press(shown, f"{written(world)[0]}:change"))
    await order(world, "Hide", "Amuro", world.gm, to="Valley")
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    waits = response(await world.gm.click(plan, custom_id=press(plan, "resolve")))
    with nothing_written(world):
        await _refused_to_players(world, change, "are being resolved")
    window = await world.gm.click(waits, custom_id=press(waits, "reason:1"))
    world.dice.script(12)
    await world.gm.submit_modal(window, {"reason": "A second team"})
    assert "Order given" in said(await order(world, "Hide", "Kai", to="Hill"))


async def test_what_players_roll_themselves_leaves_orders_open(world: World) -> None:
    """Their roll resolves no others."""
    await populate(world)
    await world.gm.slash(world.orders, "gm settings", players_may="orders, escape")
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    await order(world, "Hide", "Kai", to="Valley")
    await order(world, "Escape", "Amuro")
    world.dice.script(10)
    await world.player.slash(world.orders, "escape", captive="Amuro", roll="now")
    assert entry(world)["family"] == "escape"
    assert "Order given" in said(await order(world, "Hide", "Kai", to="Hill"))
