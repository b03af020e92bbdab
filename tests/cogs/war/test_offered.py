"""What is offered and refused in a war: models that a faction can make, and kinds of order that somebody can carry out now."""

from __future__ import annotations

import simcord

from tests.cogs.war.front import E, Front, begun, recruit
from tests.cogs.war.ordering import code, given
from tests.support.world import World, nothing_written

REFUSED = [
    ("buy", "3,-3", "gm 999999", "999999 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm -1", "-1 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "\N{MINUS SIGN}1 gm", "\N{MINUS SIGN}1 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm 0", "0 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm " + "9" * 60, "9 of gm won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gm 9999", "and the bank has 100, enough for 5."),
    ("garrison", "3,-3", "10000", "10000 of Capitol garrison upgrade won't work: order 1 to 9999 at once."),
    ("buy", "3,-3", "gmn", "'gmn' isn't a model, did you mean gm?"),
    ("buy", "3,-3", "x", "'x' isn't a model (known: columbus, gm, guncannon, magellan, saberfish)."),
    ("buy", "3,-3", "zaku 2", "can't make zaku: it belongs to Zeon. It can make: columbus, gm, guncannon, magellan,"),
    ("buy", "3,-3", "guncannon", "guncannon isn't researched yet."),
]
"""Kinds of orders, where and what is bought, and what is said of it."""


async def test_what_cannot_be_bought_is_refused_with_what_can(front: Front) -> None:
    """A number out of range names the range, what is beyond the bank how many it pays, and another's model whose it is and what one's own makes."""
    for kind, to, what, told in REFUSED:
        with nothing_written(front.world, what):
            answer = code(await front.order(front.ann, kind, E, to=to, **{"with": what}))
            assert told in answer, what
            assert len(answer) < 300, what


async def test_only_what_a_faction_can_make_is_offered(front: Front) -> None:
    """Neither another's models nor what is not researched yet; the other side is offered its own."""
    assert await offered(front, "with", kind="Buy units", to="3,-3") == ["columbus", "gm", "magellan", "saberfish"]
    theirs = {"kind": "Buy units", "who": "Zeon", "to": "-3,3"}
    found = await front.bo.autocomplete(front.world.orders, "order give", "with", "", **theirs)
    assert [item["name"].partition(" (")[0] for item in found] == ["bigro", "columbus", "gattle", "musai", "zaku"]


async def offered(front: Front, option: str, **typed: str) -> list[str]:
    """What the Federation's leader is offered, without prices."""
    found = await front.ann.autocomplete(front.world.orders, "order give", option, "", who=E, **typed)
    return [item["name"].partition(" (")[0] for item in found]


ROGUE, NAME, ASK = "Go rogue", "Name a rogue faction", "Ask to join a faction"


async def kinds_offered(front: Front, whom: simcord.MemberActor, **typed: str) -> set[str]:
    """The kinds of order that somebody is offered."""
    found = await whom.autocomplete(front.world.orders, "order give", "kind", "", **typed)
    return {item["name"] for item in found}


async def test_a_kind_is_offered_only_to_whom_it_may_apply(world: World) -> None:
    """A leader is offered what the faction can do, a player without a force what players can, a lone rogue to ask, and game masters all of it."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    leads = await kinds_offered(front, front.ann)
    assert {ROGUE, "Move a force", "Buy units", "Promote a player"} <= leads
    assert not leads & {NAME, ASK, "Answer for a faction"}
    war = await kinds_offered(front, cid)
    assert ROGUE in war
    assert not war & {NAME, ASK, "Move a force", "Buy units", "Promote a player"}
    assert {ROGUE, "Move a force", "Buy units"} <= await kinds_offered(front, world.gm)
    await given(front, cid, "rogue", "Cid")
    await front.end_turn()
    lone = await kinds_offered(front, cid)
    assert ASK in lone
    assert not lone & {ROGUE, NAME}
    assert ASK in await kinds_offered(front, world.gm)


async def test_a_name_that_means_nobody_brings_no_kind_back(front: Front) -> None:
    """Where it is typed already who does it, and it is nobody of one's own, the kinds are those that one's own can carry out."""
    for doer in ("Nobody", "Zeon", "2nd Fleet"):
        assert await kinds_offered(front, front.ann, who=doer) == await kinds_offered(front, front.ann)
    assert await kinds_offered(front, front.ann, who="1st Fleet") == {"Move a force"}
    assert NAME not in await kinds_offered(front, front.ann, who=E)
