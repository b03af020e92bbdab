"""A game master refuses an order with a reason."""

from __future__ import annotations

import pytest

from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import listed, order, picked, populate
from tests.support.reading import offers, press, refused
from tests.support.soundness import require_whole
from tests.support.world import World, send_raw, written


async def test_refuse_is_for_game_masters_and_others_orders(world: World) -> None:
    """Not their own; forged presses do nothing."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    assert not offers(await picked(world, world.player), f"{written(world)[0]}:refuse")
    shown = await picked(world, world.gm)
    key = press(shown, f"{written(world)[0]}:refuse")
    window = await world.gm.click(shown, custom_id=key)
    before = written(world)
    assert "game masters" in refused(await send_raw(another_player(world), world.orders, key))
    own = await picked(world, world.player)
    await world.player.click(own, custom_id=press(own, f"{before[0]}:withdraw"))
    assert written(world) != before
    assert "already changed, cancelled" in refused(await world.gm.submit_modal(window, {"reason": "Late"}))
    await order(world, "Hide", "Kai", world.gm, to="Cave")
    assert not offers(await picked(world, world.gm), f"{written(world)[0]}:refuse")


@pytest.mark.slow
async def test_a_name_that_has_changed_holds_up_nothing(world: World) -> None:
    """The order is shown and refused under the new name."""
    await populate(world)
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await world.gm.slash(world.orders, "roster edit", name="Fort Anvil", new_name="Fort Hammer")
    assert "Fort Hammer" in await listed(world)
    shown = await picked(world, world.gm)
    await world.gm.submit_modal(await world.gm.click(shown, custom_id=press(shown, "refuse")), {"reason": "Later"})
    assert "Cancelled" in await listed(world)
    await require_whole(world)
