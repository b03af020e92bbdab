"""Immediate orders: answers report results."""

from __future__ import annotations

from tests.cogs.war.front import at_once, begun, changed, example, in_fog
from tests.cogs.war.test_fog import GUARD
from tests.support.reading import assert_says, said
from tests.support.world import World


async def test_an_order_that_lapses_as_it_is_given_is_not_called_carried_out(world: World) -> None:
    """An unseen battle is there (AMB-80)."""
    front = await begun(world, at_once(in_fog(changed(**{"2nd_Fleet": "-1,1"})).replace(*GUARD)))
    await front.order(front.bo, "move", "2nd Fleet", to="0,0")
    assert [str(at) for at in (await front.stands()).battles] == ["0,0"]
    answer = said(await front.order(front.ann, "move", "11th Squadron", to="0,0"))
    assert_says(answer, "Order cancelled", "something out of sight prevents it")
    assert "carried out" not in answer


async def test_an_order_that_is_carried_out_tells_what_it_has_met(world: World) -> None:
    """An unseen squadron; the reach is as it was seen (AMB-08)."""
    front = await begun(world, at_once(in_fog(changed(**{"2nd_Fleet": "-1,1", "11th_Squadron": "1,-1"}))))
    answer = said(await front.order(front.bo, "move", "2nd Fleet", to="NE NE NE"))
    assert [str(at) for at in (await front.stands()).battles] == ["1,-1"]
    assert_says(answer, "Order carried out", "from -1,1 to 1,-1")
    came, reach = answer.split("\n", 3)[-1].partition("2nd Fleet on -1,1 can move")[::2]
    assert "2,-2" not in came
    assert reach.startswith(" 3 panels in one direction ")


async def test_an_order_that_is_carried_out_tells_all_that_it_has_brought(world: World) -> None:
    """In fog only what was seen (Q1)."""
    front = await begun(world, at_once(example()))
    answer = said(await front.order(front.ann, "move", "1st Fleet", to="SW"))
    assert "Earth Federation takes 1,-1 (before: neutral)." in answer
