"""The answer to an order to move tells how far the force can go, and shows it on the map."""

from __future__ import annotations

import pytest

from tests.cogs.war.front import Front, begun, changed, example, in_fog
from tests.cogs.war.ordering import code, given
from tests.support.reading import components, response, said, text
from tests.support.world import World, send_raw

FOGGY = "**As things stand, as far as you know:**"
NEAR = changed(**{"2nd_Fleet": "0,1", "21st_Squadron": "0,0", "22nd_Squadron": "0,-1"})


@pytest.fixture
async def front(world: World) -> Front:
    """A war in which two squadrons of Zeon's stand within reach of the first fleet, and of its squadrons."""
    return await begun(world, NEAR)


async def test_a_move_is_answered_with_the_reach_of_its_force(front: Front) -> None:
    """Of a fleet how far in one direction, to how many panels, whom it would fight and what it could take; of others their own measure."""
    answer = await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "1st Fleet can go 3 panels far in one direction: 9 panels in reach of 2,-2." in answer
    assert "Going there opens a fight: 0,0 (21st Squadron)." in answer
    answer = await given(front, front.ann, "move", "11th Squadron", to="1,-1")
    assert "11th Squadron can go 2 panels far: " in answer
    assert "0,-1 (22nd Squadron)" in answer
    assert "Undefended there" not in answer  # a squadron takes no panel that it crosses (line 84)
    answer = await given(front, front.bo, "move", "2nd Fleet", to="NE")
    assert "2,-1 (MS factory, MS production facility)" in answer
    assert "Solar System can go 1 panel far: " in await given(front, front.ann, "move", "Solar System", to="N")


async def test_other_orders_are_answered_without_a_reach(front: Front) -> None:
    """A purchase moves nobody."""
    answer = response(await front.order(front.ann, "buy", "Earth Federation", to="3,-3", **{"with": "gm"}))
    assert "can go" not in text(answer)
    assert "Reach on the map" not in str(answer.components)


async def test_the_reach_is_drawn_on_the_map_with_the_way_that_is_ordered(front: Front) -> None:
    """The button under the answer, also under that of a change, shows the same map as the command does."""
    answer = response(await front.order(front.ann, "move", "1st Fleet", to="SW"))
    shown = await front.ann.click(answer, label="Reach on the map")
    assert shown.response is not None
    assert [file.filename for file in shown.response.attachments] == ["war-map.png"]
    typed = await front.ann.slash(front.world.orders, "war map", force="1st Fleet")
    assert said(shown) == said(typed)
    assert "The way in mind: 2,-2 > 1,-1." in said(shown)
    window = await front.ann.click(answer, label="Change")
    changed_to = await front.ann.submit_modal(window, {"to": "2,-1", "note": ""})
    assert "1st Fleet can go 3 panels far" in said(changed_to)
    assert "The way in mind: 2,-2 > 2,-1." in said(
        await front.ann.click(response(changed_to), label="Reach on the map")
    )


async def test_in_fog_the_reach_tells_no_more_than_is_seen(world: World) -> None:
    """Out of sight nobody is named or counted, and what is in reach is as many panels as if nobody stood there; the button shows nobody else's force."""
    front = await begun(world, in_fog(example().replace('at      = "-1,2"', 'at      = "0,0"')))
    answer = await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "far in one direction" in answer
    assert "A fight begins" not in answer
    assert "21st Squadron" not in answer
    assert "21st Squadron" in await given(front, world.gm, "move", "1st Fleet", to="SW")
    mine = response(await front.order(front.ann, "move", "1st Fleet", to="SW"))
    key = next(item["custom_id"] for item in components(mine) if item.get("label") == "Reach on the map")
    assert "You see no force" in code(await send_raw(front.bo, world.orders, key))


@pytest.mark.parametrize(("scenario", "player"), [(example(), "**As things stand:**"), (in_fog(example()), FOGGY)])
async def test_an_order_is_answered_as_far_as_its_giver_knows_in_fog_alone(
    world: World, scenario: str, player: str
) -> None:
    """Without fog nothing is hidden from anybody, and from a game master nothing is at all."""
    front = await begun(world, scenario)
    assert player in await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert player in await given(front, front.ann, "buy", "Earth Federation", to="3,-3", **{"with": "gm"})
    assert "**As things stand:**" in await given(front, world.gm, "move", "1st Fleet", to="SW")
