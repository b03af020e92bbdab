"""Windows open only for those who may send them."""

from __future__ import annotations

import pytest

from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import order, picked, populate
from tests.orders.test_board import posted, standing
from tests.support.acting import close_update
from tests.support.reading import offers, press, refused, response
from tests.support.world import World, nothing_written, send_raw


async def windows(world: World) -> list[str]:
    """Return the ids of buttons that open windows."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort Anvil", roll="now")
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    await posted(world)
    one, asked = await picked(world, world.gm), response(await world.gm.slash(world.orders, "gm close"))
    result = await world.gm.click(standing(world), custom_id=press(standing(world), "arrange:1"))
    waits = next(item for item in [response(result), *result.followups] if offers(item, "reason"))
    found = ((one, "refuse"), (one, "rank"), (asked, "drop"), (waits, "reason:1"))
    return [press(message, deed) for message, deed in found]


async def test_forged_presses_open_no_window(world: World) -> None:
    """Refused at the press and on sending."""
    await populate(world)
    keys = await windows(world)
    with nothing_written(world):
        for key in keys:
            told = set()
            for actor in (world.player, another_player(world), world.stranger):
                pressed = await send_raw(actor, world.orders, key)
                assert pressed.modal is None
                told.add(refused(pressed))
                assert refused(await send_raw(actor, world.orders, key, modal=True))
            assert len(told) == 1
            assert "Kai" not in told.pop()


@pytest.mark.slow
async def test_windows_about_what_is_over_do_not_open(world: World) -> None:
    """The refusal says why."""
    await populate(world)
    keys = await windows(world)
    for key in keys:
        assert (await send_raw(world.gm, world.orders, key)).modal is not None
    asked = await picked(world, world.player)
    await world.player.click(asked, custom_id=press(asked, "withdraw"))
    for key, words in zip(keys, ("already changed", "already changed", "No open orders", "is done or"), strict=True):
        assert words in refused(await send_raw(world.gm, world.orders, key))
    await close_update(world)
    for key in keys[2:]:
        assert "already closed" in refused(await send_raw(world.gm, world.orders, key))
