"""The answer to an order to move tells how far the force can go, and shows it on the map."""

from __future__ import annotations

import pytest

from tests.cogs.war.front import Front, begun, changed, example, in_fog
from tests.cogs.war.ordering import code, given
from tests.support.reading import assert_lacks, components, response
from tests.support.world import World, send_raw

NEAR = changed(**{"2nd_Fleet": "0,1", "21st_Squadron": "0,0", "22nd_Squadron": "0,-1"})


@pytest.fixture
async def front(world: World) -> Front:
    """A war in which two squadrons of Zeon's stand within reach of the first fleet, and of its squadrons."""
    return await begun(world, NEAR)


async def test_a_move_is_answered_with_the_reach_of_its_force(front: Front) -> None:
    """Of a fleet how panels in one direction, to how many panels, whom it would fight and what it could take; of others their own measure."""
    answer = await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "1st Fleet on 2,-2 can move 3 panels in one direction (9 panels in reach)." in answer
    assert "Moving there starts a battle: 0,0 (21st Squadron)." in answer
    answer = await given(front, front.ann, "move", "11th Squadron", to="1,-1")
    assert "can move 2 panels (" in answer
    assert "0,-1 (22nd Squadron)" in answer
    assert "Undefended" not in answer  # a squadron takes no panel that it crosses (line 84)
    answer = await given(front, front.bo, "move", "2nd Fleet", to="NE")
    assert "2,-1 (MS factory, MS production facility)" in answer
    assert "can move 1 panel (2 panels" in await given(front, front.ann, "move", "Solar System", to="N")


async def test_in_fog_the_reach_tells_no_more_than_is_seen(world: World) -> None:
    """Out of sight nobody is named or counted, and what is in reach is as many panels as if nobody stood there; the button shows nobody else's force."""
    front = await begun(world, in_fog(example().replace('at      = "-1,2"', 'at      = "0,0"')))
    answer = await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "panels in one direction" in answer
    assert_lacks(answer, "starts a battle", "21st Squadron")
    assert "21st Squadron" in await given(front, world.gm, "move", "1st Fleet", to="SW")
    mine = response(await front.order(front.ann, "move", "1st Fleet", to="SW"))
    key = next(item["custom_id"] for item in components(mine) if item.get("label") == "Reach on the map")
    assert "You can't see a force" in code(await send_raw(front.bo, world.orders, key))
