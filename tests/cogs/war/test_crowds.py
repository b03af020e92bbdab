"""Panels on which a battle is fought when somebody else is ordered there in the same turn: nobody comes to it."""

from __future__ import annotations

import pytest

from rules.geometry.hexes import Hex
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.front import begun, changed, recruit
from tests.cogs.war.ordering import given, listed
from tests.support.acting import confirmed
from tests.support.world import World


@pytest.mark.parametrize("way", ["NW", "NW NW"])
async def test_a_third_side_neither_joins_nor_passes_a_battle(world: World, way: str) -> None:
    """A rogue's order lapses, and the battle stays that of the fleet and the squadron it has met (AMB-21)."""
    front = await begun(world, changed(**{"21st_Squadron": "0,0", "12th_Squadron": "1,0"}))
    accounts = Accounts(world)
    accounts.open(await front.stands())
    cid = await recruit(front, "Cid", "E")
    await world.gm.slash(world.orders, "war set", what="rank", to="Cid Captain", reason="As it is")
    await given(front, front.ann, "assign", "12th Squadron", to="Cid")
    await front.end_turn()
    await given(front, cid, "rogue", "Cid")
    await given(front, cid, "move", "12th Squadron", to=way)
    await given(front, front.ann, "move", "1st Fleet", to="SW SW")
    await front.resolve()
    war = await front.stands()
    battle = war.battles[Hex(0, 0)]
    assert (battle.attacker, battle.defender, {*battle.forces}) == ("E", "Z", {"1st Fleet", "21st Squadron"})
    assert str(war.forces["12th Squadron"].at) == "1,0"
    assert "A battle is on at 0,0: no other force can go there." in (await listed(front, cid)).replace("\\", "")
    await confirmed(world, "battle withdraw", front.bo)
    await front.bo.slash(world.orders, "battle retreat", to="-1,1")
    await front.resolve()
    await require_sound(front, accounts)


async def test_a_garrison_that_fights_is_not_relieved(world: World) -> None:
    """Its own faction's squadron does not come either, which would turn the attack round: it stays where it is."""
    front = await begun(world, changed(**{"2nd_Fleet": "0,-2"}))
    await given(front, front.bo, "move", "2nd Fleet", to="1,-3")
    await given(front, front.ann, "move", "11th Squadron", to="1,-3")
    await front.resolve()
    war = await front.stands()
    battle = war.battles[Hex(1, -3)]
    assert (battle.attacker, battle.defender, {*battle.forces}) == ("Z", "E", {"2nd Fleet"})
    assert str(war.forces["11th Squadron"].at) == "1,-2"
    assert "A battle is on at 1,-3: no other force can go there." in (await listed(front, front.ann)).replace("\\", "")
