"""Which kinds of order are offered in a war: those that somebody can carry out now for whom one gives orders, and no others."""

from __future__ import annotations

import simcord

from tests.cogs.war.front import E, Front, begun, recruit
from tests.cogs.war.ordering import given
from tests.support.world import World

ROGUE, NAME, ASK = "Go rogue", "Name a rogue faction", "Ask a faction to be taken in"


async def offered(front: Front, whom: simcord.MemberActor, **typed: str) -> set[str]:
    """The kinds of order that somebody is offered."""
    found = await whom.autocomplete(front.world.orders, "order give", "kind", "", **typed)
    return {item["name"] for item in found}


async def test_a_kind_is_offered_only_to_whom_it_may_apply(world: World) -> None:
    """A leader is offered what the faction can do, a player without a force what players can, a lone rogue to ask, and game masters all of it."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    leads = await offered(front, front.ann)
    assert {ROGUE, "Move a force", "Buy units", "Promote a player"} <= leads
    assert not leads & {NAME, ASK, "Answer for a faction"}
    war = await offered(front, cid)
    assert ROGUE in war
    assert not war & {NAME, ASK, "Move a force", "Buy units", "Promote a player"}
    assert {ROGUE, "Move a force", "Buy units"} <= await offered(front, world.gm)
    await given(front, cid, "rogue", "Cid")
    await front.resolve()
    await front.close()
    lone = await offered(front, cid)
    assert ASK in lone
    assert not lone & {ROGUE, NAME}
    assert ASK in await offered(front, world.gm)


async def test_a_name_that_means_nobody_brings_no_kind_back(front: Front) -> None:
    """Where it is typed already who does it, and it is nobody of one's own, the kinds are those that one's own can carry out."""
    for doer in ("Nobody", "Zeon", "2nd Fleet"):
        assert await offered(front, front.ann, who=doer) == await offered(front, front.ann)
    assert await offered(front, front.ann, who="1st Fleet") == {"Move a force"}
    assert NAME not in await offered(front, front.ann, who=E)
