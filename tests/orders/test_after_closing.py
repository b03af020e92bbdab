"""Rolls that orders have come to, amended and taken back once their update is over; and its closing, taken back."""

from __future__ import annotations

import pytest

from tests.cogs.captives.test_escape import flee, imprison
from tests.cogs.ledger.test_amend import amended_with
from tests.cogs.ledger.test_void import taken_back
from tests.orders.test_resolving import newest_roll, resolved
from tests.orders.test_tried_by_hand import done, rolled, sound
from tests.support.acting import close_update
from tests.support.reading import said
from tests.support.subjects import kept
from tests.support.world import World, rows


@pytest.mark.parametrize("way", ["now", "resolved"])
async def test_a_roll_of_an_update_that_is_over_is_amended_and_taken_back_by_itself(world: World, way: str) -> None:
    """The update stays closed: amended, the roll brings no order back; taken back, it leaves its order standing for the update that is now."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    if way == "resolved":
        await resolved(world, 10)
    else:
        await rolled(world, way, 10)
    await close_update(world)
    first = newest_roll(world)
    await amended_with(world, first, "1", "Rope")
    assert "order.escape" not in kept(world, "Amuro")
    await taken_back(world, newest_roll(world))
    assert "order.escape" not in kept(world, "Amuro")
    await taken_back(world, first)
    assert "Update 2" in said(await world.gm.slash(world.orders, "update show"))
    assert done(world, "Amuro") == {}
    assert "tries to escape" in await resolved(world, 10)
    assert await sound(world)


async def test_an_order_that_was_given_since_stays(world: World) -> None:
    """A roll of an update that is over is taken back: the order of the new update is neither lost nor changed."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    number = await rolled(world, "now", 10)
    await close_update(world)
    await flee(world.player, world, captive="Amuro")
    given = kept(world, "Amuro")["order.escape"]
    await taken_back(world, number)
    assert kept(world, "Amuro")["order.escape"] == given
    assert await sound(world)


async def test_a_closing_that_is_taken_back_brings_its_orders_back(world: World) -> None:
    """What was carried out in the update that is open again is known as before."""
    await imprison(world, "Amuro")
    await flee(world.player, world, captive="Amuro")
    number = await rolled(world, "now", 10)
    await close_update(world)
    ((closing,),) = rows(world, "select max(number) from entry where kind = 'update'")
    await taken_back(world, closing)
    assert done(world, "Amuro") == {"escape": number}
    assert await sound(world)
