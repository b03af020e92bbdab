"""Orders in fog that meet what their giver does not see: why they lapse tells nothing of that, whoever has changed them."""

from __future__ import annotations

from tests.cogs.war.front import Front, begun, changed, in_fog, recruit
from tests.cogs.war.ordering import code, given, listed
from tests.orders.test_arranging import arranged
from tests.orders.test_board import posted
from tests.support.acting import fill_in
from tests.support.reading import assert_lacks, assert_says, response, said, text
from tests.support.world import World, written

REASON = "Cancelled: something out of sight prevents it"
GUARD = (
    'at    = "0,0"\nkind  = "resource"\nbonus = 20',
    'at    = "0,0"\nkind  = "resource"\nbonus = 20\ngarrison = ["gm"]',
)


async def in_the_way(world: World) -> Front:
    """A war in fog in which Zeon's fleet is about to fight nobody's garrison on 0,0, two panels from the 11th Squadron, out of its sight."""
    text_ = in_fog(changed(**{"2nd_Fleet": "-1,1"}))
    assert GUARD[0] in text_
    front = await begun(world, text_.replace(*GUARD))
    await given(front, front.bo, "move", "2nd Fleet", to="0,0")
    return front


async def lapsed(front: Front) -> str:
    """What Ann reads of her orders once the battle has begun that she does not see."""
    await front.resolve()
    assert [str(at) for at in (await front.stands()).battles] == ["0,0"]
    return (await listed(front, front.ann)).replace("\\", "")


async def test_what_is_out_of_sight_refuses_by_one_code(world: World) -> None:
    """A squadron goes to a panel where a battle is fought that its giver does not see: neither words nor code tell of it (AMB-80)."""
    front = await in_the_way(world)
    await given(front, front.ann, "move", "11th Squadron", to="0,0")
    told = await lapsed(front)
    assert REASON in told
    assert "attle" not in told


async def test_an_order_that_a_game_master_has_changed_tells_its_giver_no_more(world: World) -> None:
    """It stays the player's: it is held against what they see, and they read no more of what it has met."""
    front = await in_the_way(world)
    await posted(world)
    await given(front, front.ann, "move", "11th Squadron", to="0,-1")
    shown, key = await arranged(world, written(world)[0], "change")
    assert "replaces" in said(await fill_in(world.gm, shown, {"to": "0,0"}, custom_id=key))
    told = await lapsed(front)
    assert_says(told, "Changed by a game master", REASON)
    assert "attle" not in told


async def test_a_player_called_as_a_hidden_force_leaves_its_orders_alone(world: World) -> None:
    """AMB-80: Eve joins as what Zeon's fleet is called, which stays as it was ordered, and each has a sheet where both are seen."""
    front = await begun(world, in_fog(changed()))
    await given(front, front.bo, "move", "2nd Fleet", to="N")
    eve = await recruit(front, "2ND Fleet", "E")
    assert "2ND Fleet" in (await front.stands()).players
    assert "isn't a force" in code(await front.order(eve, "move", "2nd Fleet", to="S"))
    await eve.slash(world.orders, "order pass", who="2ND Fleet")
    await given(front, front.bo, "move", "2nd Fleet", to="N")
    assert "**Passed:** 2ND Fleet" in await listed(front, eve)
    await given(front, eve, "rogue", "2nd fleet")
    seen = await front.sheet("2nd fleet", front.bo)
    assert_says(seen, "\nEarth Federation\n", "fleet on -2,2")
    assert "fleet on" not in await front.sheet("2nd fleet", eve)
    await front.resolve()
    war = await front.stands()
    assert (str(war.forces["2nd Fleet"].at), war.players["2ND Fleet"].faction) == ("-2,1", None)
    assert "2nd Fleet moves from -2,2 to -2,1" in await listed(front, front.bo)


async def test_joining_is_answered_alike_whatever_a_hidden_force_is_called(world: World) -> None:
    """AMB-80: nobody is told that a force has the name; that of a faction is refused with the reason."""
    await begun(world, in_fog(changed()))
    eve = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    for name in ("Zeon", "E"):
        answer = await eve.slash(world.orders, "war join", faction="E", callsign=name)
        assert "is the name of a faction" in code(answer)
    joined = text(response(await eve.slash(world.orders, "war join", faction="E", callsign="22nd Squadron")))
    assert "22nd Squadron joins Earth Federation" in joined
    assert_lacks(joined, "Rolled", "went to the staff")
