"""What a turn's orders leave of a faction's gold."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from bot.orders.forecast import describe_forecast
from rules.orders import OrdersForecast
from tests.cogs.war.front import E, Front, at_once, begun, example, given, in_fog, listed, plan, recruit
from tests.orders.test_arranging import arranged
from tests.orders.test_board import posted
from tests.rules.total_war.asking import BOOK
from tests.support.reading import assert_says, said, text
from tests.support.world import World, written


async def bought(front: Front, what: str) -> str:
    """Buy in the capitol, and return the answer."""
    return (await given(front, front.ann, "buy", E, to="3,-3", **{"with": what})).replace("\\", "")


async def test_each_order_says_what_all_of_them_leave(front: Front) -> None:
    """Replaced and withdrawn ones don't count."""
    alone = await bought(front, "gm 2")
    assert_says(alone, "This order costs 40 of 100 gold (60 left).", "**Forecast:**")
    again = await bought(front, "saberfish 2")
    assert "Earth Federation's 2 orders this turn cost 56 of 100 gold (44 left)." in again
    assert "84 left" not in again
    assert "2 orders this turn cost 56 of 100 gold" in await bought(front, "gm 2")
    researched = await given(front, front.ann, "research", E, to="guncannon")
    assert "2 of Earth Federation's 3 orders this turn will be carried out: 56 of 100 gold (44 left)." in researched


async def test_an_order_for_which_too_little_is_left_is_taken_with_a_warning(front: Front) -> None:
    """Its giver and game masters see which is cancelled."""
    await bought(front, "gm 3")
    told = await bought(front, "gm 4")
    assert "**Forecast, unless it's cancelled:**" in told
    number = written(front.world)[0]
    assert "1 of Earth Federation's 2 orders this turn will be carried out: 60 of 100 gold (40 left)." in told
    warning = (
        f"**Earth Federation**: Buy units, 3,-3 and gm 4 (entry #{number}) costs 80 gold, but only 40 will be left."
    )
    assert warning in told
    assert "change or cancel an order" in told
    shown = text(await plan(front)).replace("\\", "")
    assert "Likely to be cancelled" in shown
    assert warning in shown
    await front.resolve()
    assert "Cancelled: That costs 80 gold, and the bank has 40, enough for 2." in (
        await listed(front, front.ann)
    ).replace("\\", "")
    assert (await front.stands()).factions["E"].pool == {"gm": 3}


def test_nothing_is_said_to_be_left_to_a_side_that_ends() -> None:
    """No line."""
    scene: Any = SimpleNamespace(book=BOOK)
    told = [[*describe_forecast(scene, OrdersForecast(frozenset(), left), ())] for left in ("", "E has 5 gold.")]
    assert told == [[], ["E has 5 gold."]]


async def test_nobody_is_told_of_the_others_gold(world: World) -> None:
    """In fog; paused orders cost nothing."""
    front = await begun(world, in_fog(example()))
    await given(front, front.bo, "buy", "Zeon", to="-3,3", **{"with": "zaku 4"})
    told = await bought(front, "gm 2")
    assert "costs 40 of 100 gold (60 left)" in told
    assert "Zeon" not in told
    await posted(world)
    shown, key = await arranged(world, written(world)[0], "hold")
    await world.gm.click(shown, custom_id=key)
    assert "costs 20 of 100 gold (80 left)" in await bought(front, "gm 1")


async def test_what_is_carried_out_at_once_says_what_is_left(world: World) -> None:
    """Each is paid first."""
    front = await begun(world, at_once(example()))
    for what, left in (("gm 2", 60), ("gm 1", 40)):
        answer = said(await front.order(front.ann, "buy", E, to="3,-3", **{"with": what}))
        assert f"{left} left" in answer
        assert "orders this turn" not in answer


async def test_the_plan_says_what_will_not_be_possible_by_then(world: World) -> None:
    """A squadron handed on, or one too far."""
    front = await begun(world)
    await recruit(front, "Cy", "E")
    await given(front, front.ann, "assign", "12th Squadron", to="Cy")
    await given(front, front.ann, "move", "12th Squadron", to="3,0")
    await given(front, front.ann, "follow", "11th Squadron", to="1st Fleet")
    await given(front, front.ann, "move", "1st Fleet", to="1,-1")
    await given(front, front.ann, "move", "11th Squadron", to="2,-3")
    shown = text(await plan(front)).replace("\\", "").partition("Likely to be cancelled")[2]
    late = "won't be possible: "
    assert f"**12th Squadron**: Move a force, 3,0 (entry #9) {late}Ann doesn't command that force: Cy does." in shown
    assert f"{late}2,-3 is 2 panels from 0,-1. 11th Squadron can move 1." in shown
    assert shown.count(late) == 2
