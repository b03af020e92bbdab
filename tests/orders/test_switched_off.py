"""Orders of a switched-off book are shown and can be ended."""

from __future__ import annotations

import pytest

from tests.orders.ordering import listed, order, picked, populate
from tests.orders.test_arranging import arranged
from tests.orders.test_board import board, posted
from tests.support.acting import close_update
from tests.support.reading import assert_says, press, refused, response, said
from tests.support.soundness import require_whole
from tests.support.world import World, written


async def _left(world: World) -> int:
    await populate(world)
    await posted(world)
    await order(world, "Hide", "Kai", to="Valley")
    number = written(world)[0]
    await world.gm.slash(world.orders, "gm settings", books="infinity, -campaign")
    return number


async def test_they_are_told_as_they_were_given(world: World) -> None:
    """The plan leaves them out."""
    await _left(world)
    assert_says(await listed(world), "**Declared for the day**", "**Kai**: Hide, Valley", "switched off")
    assert "**Kai**: Hide, Valley" in await board(world)
    assert "**Kai**: Hide, Valley" in said(await world.player.slash(world.orders, "update show"))
    answer = refused(await world.gm.slash(world.orders, "gm resolve"))
    assert_says(answer, "No orders to resolve", "1 order needs rules that are switched off")


@pytest.mark.parametrize(
    "deed", ["withdraw", pytest.param("refuse", marks=pytest.mark.slow), pytest.param("drop", marks=pytest.mark.slow)]
)
async def test_they_can_be_ended(world: World, deed: str) -> None:
    """Withdrawn, refused, or cancelled with all."""
    number = await _left(world)
    if deed == "withdraw":
        shown = await picked(world, world.player)
        assert "Order cancelled" in said(await world.player.click(shown, custom_id=press(shown, "withdraw")))
    elif deed == "refuse":
        shown, key = await arranged(world, number, deed)
        result = await world.gm.submit_modal(await world.gm.click(shown, custom_id=key), {"reason": "No"})
        assert "refused" in said(result)
    else:
        asked = response(await world.gm.slash(world.orders, "gm close"))
        window = await world.gm.click(asked, custom_id=press(asked, "drop:1"))
        assert "1 order, from" in said(await world.gm.submit_modal(window, {"reason": "No more"}))
    await close_update(world)
    assert "Kai" not in (await listed(world)).partition("Your results")[0]
    await require_whole(world)


@pytest.mark.slow
async def test_they_stand_on_when_the_book_is_on_again(world: World) -> None:
    """Then they resolve as usual."""
    await _left(world)
    shown = await picked(world, world.player)
    assert_says(refused(await world.player.click(shown, custom_id=press(shown, "change"))), "switched off", "Cancel it")
    await world.gm.slash(world.orders, "gm settings", books="campaign")
    assert "hides" in said(await world.gm.slash(world.orders, "gm resolve"))
