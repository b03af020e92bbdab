"""What a leader owes an answer to is on the leader's desk."""

from __future__ import annotations

from tests.cogs.war.front import E, begun, recruit
from tests.cogs.war.ordering import given
from tests.orders.test_lapsed import desk
from tests.support.world import World

ASKED = "Earth Federation: whether Cy may join"


async def test_a_leader_reads_what_waits_for_an_answer_until_it_is_ordered(world: World) -> None:
    """Whether a rogue is taken in is asked of the faction's leader only, until the answer is ordered."""
    front = await begun(world)
    cy = await recruit(front, "Cy", "E")
    await given(front, cy, "rogue", "Cy")
    await front.resolve()
    await given(front, cy, "petition", "Cy", to=E)
    assert ASKED not in await desk(world, front.ann)
    await front.resolve()
    assert ASKED in await desk(world, front.ann)
    for other in (cy, front.bo):
        assert ASKED not in await desk(world, other)
    await given(front, front.ann, "answer", E, to="Cy", **{"with": "yes"})
    assert ASKED not in await desk(world, front.ann)
