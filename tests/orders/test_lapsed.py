"""Cancelled orders: their giver reads why."""

from __future__ import annotations

import itertools

import pytest

from bot.orders.kinds import cancel_reason
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import listed, order, picked, populate
from tests.orders.test_board import board, posted
from tests.orders.test_resolving import resolved
from tests.support.acting import close_update, released
from tests.support.reading import press, response, said
from tests.support.world import World


async def desk(world: World, actor: object = None) -> str:
    """Return a person's desk."""
    return said(await (actor or world.player).slash(world.orders, "update show"))  # type: ignore[attr-defined]


async def test_whose_only_order_lapsed_is_awaited_again_until_they_pass(world: World) -> None:
    """On the board and by Nudge."""
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley")
    await order(world, "Hide", "Amuro", to="Hill")
    assert "Everyone has ordered or passed" in await board(world)
    shown = await picked(world, world.gm)
    window = await world.gm.click(shown, custom_id=press(shown, "refuse"))
    await world.gm.submit_modal(window, {"reason": "No"})
    assert "Waiting for 1:** Kai" in await board(world)
    asked = response(await world.gm.slash(world.orders, "gm close"))
    window = await world.gm.click(asked, custom_id=press(asked, "drop"))
    await world.gm.submit_modal(window, {"reason": "Called off"})
    assert "Waiting for 2:** Amuro and Kai" in await board(world)
    await world.player.slash(world.orders, "order give", kind="Pass", who="Kai")
    assert "Waiting for 1:** Amuro" in await board(world)
    await order(world, "Hide", "Amuro", to="Hill")
    assert "Everyone has ordered or passed" in await board(world)


@pytest.mark.slow
async def test_an_order_of_which_nothing_comes_as_it_is_resolved_is_awaited_again(world: World) -> None:
    """Such as interrogating a released captive."""
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Ramba", by="White Base", at="Fort Anvil")
    await order(world, "Interrogate a captive", "Kai", world.gm, to="Ramba")
    await order(world, "Hide", "Amuro", to="Hill")
    await posted(world)
    await released(world.gm, world.orders, captive="Ramba")
    assert "Kai: cancelled (Interrogate a captive: Ramba)" in await resolved(world)
    assert "Waiting for 1:** Kai" in await board(world)
    assert "Passed" in said(await world.player.slash(world.orders, "order give", kind="Pass", who="Kai"))
    assert "Everyone has ordered or passed" in await board(world)


async def test_the_desk_tells_who_gave_it_that_an_order_lapsed_until_the_update_closes(world: World) -> None:
    """Only the giver, with the reason."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    shown = await picked(world, world.gm)
    window = await world.gm.click(shown, custom_id=press(shown, "refuse"))
    await world.gm.submit_modal(window, {"reason": "No *hills* there"})
    told = await desk(world)
    assert "Cancelled orders" in told
    assert "**Kai**: Hide, Valley: cancelled: refused by a game master: No \\*hills\\* there" in told
    for other in (another_player(world), world.gm):
        assert "cancelled" not in await desk(world, other)
    await close_update(world)
    assert "cancelled" not in await desk(world)


@pytest.mark.slow
async def test_the_desk_stays_short_whatever_the_reasons_are(world: World) -> None:
    """The list has all of it."""
    await populate(world)
    for kind, who in itertools.product(("Hide", "Scout a base"), ("Kai", "Amuro", "White Base")):
        assert "Order given" in said(await order(world, kind, who, to="*" * 60))
    asked = response(await world.gm.slash(world.orders, "gm close"))
    window = await world.gm.click(asked, custom_id=press(asked, "drop"))
    await world.gm.submit_modal(window, {"reason": "_" * 500})
    told = await desk(world)
    assert "and 2 more: `/order list`" in told
    assert "\\_" * 500 in await listed(world)


def test_the_code_of_an_older_entry_is_not_shown() -> None:
    """Old entries have refusal codes."""
    assert cancel_reason({"why": "That costs 50 gold, and there are 27."}) == ("That costs 50 gold, and there are 27.")
