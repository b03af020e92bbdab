"""Orders about posts, ranks, units and rogues: who gives them, and what they come to in their phase."""

from __future__ import annotations

from rules.geometry.hexes import Hex, neighbours
from tests.cogs.war.front import E, Front, begun, recruit
from tests.cogs.war.ordering import code, given, listed
from tests.support.acting import confirmed
from tests.support.reading import text
from tests.support.world import World


async def test_posts_and_players_are_ordered_about_by_who_may(world: World) -> None:
    """Promotion, a force handed on, delegation, units allotted: by the leader; what is asked of others waits for its phase (K2 to K5)."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    await given(front, front.ann, "promote", "Cid", to="Captain")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 2"})
    await front.end_turn()
    await given(front, front.ann, "assign", "12th Squadron", to="Cid")
    await given(front, front.ann, "allot", "11th Squadron", to="gm", **{"with": "1"})
    await front.resolve()
    war = await front.stands()
    assert (war.players["Cid"].rank, war.forces["12th Squadron"].commander) == ("Captain", "Cid")
    assert [unit.model for unit in war.forces["11th Squadron"].units].count("gm") == 4
    await front.close()
    await given(front, cid, "move", "12th Squadron", to="S")
    assert "Ann doesn't command that force: Cid does." in code(
        await front.order(front.ann, "move", "12th Squadron", to="N")
    )
    await front.resolve()
    assert (await front.stands()).forces["12th Squadron"].at == Hex(3, 0) or (await front.stands()).battles


async def test_a_delegate_allots_and_is_one_no_more(world: World) -> None:
    """The leader hands the allotting to a commander of a fleet, and takes it back (K5)."""
    front = await begun(world)
    cid = await recruit(front, "Cid", "E")
    await world.gm.slash(world.orders, "war set", what="rank", to="Cid Captain", reason="Test")
    await given(front, front.ann, "assign", "1st Fleet", to="Cid")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 2"})
    await front.end_turn()
    await given(front, front.ann, "delegate", E, to="Cid")
    await front.end_turn()
    await given(front, cid, "allot", "12th Squadron", to="gm (2 wait)", **{"with": "1"})
    await front.resolve()
    assert len((await front.stands()).forces["12th Squadron"].units) == 4
    await front.close()
    await given(front, front.ann, "delegate", E, to="nobody")
    await given(front, cid, "allot", "11th Squadron", to="gm", **{"with": "1"})
    await front.resolve()
    war = await front.stands()
    assert (war.factions["E"].delegate, war.factions["E"].pool) == (None, {"gm": 1})
    assert "Cancelled: " in await listed(front, cid)
    assert "Only the supreme commander or the fleet commander they chose can assign new units (Ann)." in (
        await listed(front, cid)
    ).replace("\\", "")


async def test_a_rogue_spends_no_gold_and_moves_no_fleet_of_the_faction_that_is_left(front: Front) -> None:
    """What its leader has ordered for it lapses once the leader goes rogue in the same turn, and changes nothing (R1, B1, M7)."""
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm"})
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    await given(front, front.ann, "move", "11th Squadron", to="S")
    await given(front, front.ann, "rogue", "Ann")
    await front.resolve()
    assert any("has no leader now: a game" in text(post) for post in front.world.results.history())
    war = await front.stands()
    assert (war.factions["E"].gold, war.factions["E"].pool) == (100 + 8 + 10 + 15, {})
    assert (war.forces["1st Fleet"].at, war.forces["11th Squadron"].at) == (Hex(2, -2), Hex(1, -1))
    told = (await listed(front, front.ann)).replace("\\", "")
    assert (
        "Only the supreme commander can build, buy and research, and Earth Federation has none. A game master appoints one, or acts for it."
        in told
    )
    assert "Ann doesn't command that force: no player does." in told


async def test_a_rogue_faction_is_founded_by_a_colony_that_is_won_and_named(world: World) -> None:
    """Its leader beats the colony's full squadron, gains the seven panels, and chooses name and colour (R4 to R7)."""
    front = await begun(world)
    await given(front, front.ann, "rogue", "Ann")
    await given(front, front.ann, "move", "11th Squadron", to="1,-3")
    assert "Earth Federation isn't a rogue faction. Only these choose a name." in code(
        await front.order(front.ann, "found", E, to="Free Colonies", **{"with": "#2e7d32"})
    )
    await front.resolve()
    war = await front.stands()
    assert len(war.battles[Hex(1, -3)].fight.units) == 4 + 4
    await confirmed(world, "battle withdraw", side=E)
    war = await front.stands()
    (mine,) = war.factions.keys() - {"E", "Z"}
    owned = {at for at, panel in war.panels.items() if panel.owner == mine}
    assert owned == {Hex(1, -3), *neighbours(Hex(1, -3))} & war.panels.keys()
    await front.end_turn()
    assert "A faction is already called Zeon." in code(
        await front.order(front.ann, "found", war.factions[mine].name, to="Zeon", **{"with": "#2e7d32"})
    )
    await given(front, front.ann, "found", war.factions[mine].name, to="Free Colonies", **{"with": "#2e7d32"})
    await front.resolve()
    war = await front.stands()
    assert (war.factions[mine].name, war.factions[mine].colour, war.factions[mine].leader) == (
        "Free Colonies",
        "#2e7d32",
        "Ann",
    )
    assert "Free Colonies" in await front.sheet()
