"""An update that is closed while the turn of its war has not ended: the question says what that means, and offers to end the turn first."""

from __future__ import annotations

from tests.cogs.war.battle.field import opened
from tests.cogs.war.front import Front
from tests.support.reading import labels, refused, response, text
from tests.support.world import World


async def test_the_question_offers_to_end_the_turn_first(front: Front) -> None:
    """Before anything is closed: what staying in the turn means, and Resolve, by which the turn ends; then nothing is left to say."""
    world = front.world
    await front.order(front.ann, "move", "1st Fleet", to="SW")
    asked = response(await world.gm.slash(world.orders, "update close"))
    assert "Turn 1 of First days hasn't ended. If you close now, the turn goes on in the next update" in text(asked)
    assert labels(asked) == ["Resolve", "Keep open orders and close Update 1", "Cancel all orders"]
    plan = response(await world.gm.click(asked, label="Resolve"))
    await world.gm.click(plan, label="Resolve all")
    assert (await front.stands()).turn == 2
    asked = response(await world.gm.slash(world.orders, "update close"))
    assert "hasn't ended" not in text(asked)
    assert labels(asked) == ["Close Update 1"]


async def test_who_has_moved_in_a_turn_that_goes_on_is_told_so(world: World) -> None:
    """A turn whose battle is still fought goes on in the next update: who orders the same force again is refused at once, and reads why."""
    field = await opened(world)
    asked = response(await world.gm.slash(world.orders, "update close"))
    assert "(1 battle to finish). If you close now" in text(asked)
    await world.gm.click(asked, label="Close Update 1")
    await field.lost()
    assert "has already moved this turn" in refused(await field.front.order(field.ann, "move", "11th Squadron", to="N"))
    await field.front.resolve()
    assert (await field.front.stands()).turn == 2
    assert "Order given" in text(response(await field.front.order(field.ann, "move", "11th Squadron", to="N")))
