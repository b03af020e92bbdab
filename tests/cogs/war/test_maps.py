"""Maps of a war as factions see them: whose gold they tell."""

from __future__ import annotations

from msgspec.structs import replace

from bot.cogs.war.maps import faction_view
from tests.cogs.war.front import E, begun, example, in_fog, recruit
from tests.cogs.war.ordering import given
from tests.cogs.war.pictures.wars import RULES, START
from tests.support.reading import press, refused, response, text
from tests.support.world import World, send_raw


def test_gold_is_told_to_its_own_faction_alone_where_there_is_fog() -> None:
    """A faction whose id begins with another's has its own bank told and not that other's; without fog all are told."""
    scenario = replace(RULES.scenario, fog="near", sight=1)
    foggy = replace(RULES, scenario=scenario)
    longer = replace(START, factions={**START.factions, "EZ": replace(START.factions["E"], name="Longer", seat=None)})

    told = {faction: " ".join(faction_view(foggy, longer, faction).words()[1]) for faction in ("E", "EZ", None)}
    open_ = " ".join(faction_view(RULES, longer, "EZ").words()[1])

    assert told["E"].count(": 100 gold") == 1
    assert told["EZ"].count(": 100 gold") == 1
    assert "gold not known" in told["EZ"].partition("Zeon")[0].partition("Longer")[0]
    assert told[None].count(": 100 gold") == 0
    assert open_.count(": 100 gold") == 3


async def test_the_map_of_a_force_shows_what_is_ordered_for_it(world: World) -> None:
    """Its way and who rides along, to whoever has ordered that and to game masters; nobody else is told of sealed orders."""
    front = await begun(world)
    cid = await recruit(front, "Cid", E)
    await world.gm.slash(world.orders, "war set", what="rank", to="Cid Captain", reason="As it is")
    await given(front, front.ann, "assign", "12th Squadron", to="Cid")
    await front.end_turn()
    await world.gm.slash(world.orders, "war set", what="force", to="12th Squadron to 2,-1", reason="Beside it")
    await given(front, front.ann, "follow", "11th Squadron", to="1st Fleet")
    await given(front, cid, "follow", "12th Squadron", to="1st Fleet")
    await given(front, front.ann, "move", "1st Fleet", to="SW SW")
    told = {}
    for name, who in (("ann", front.ann), ("cid", cid), ("gm", world.gm), ("bo", front.bo)):
        shown = response(await who.slash(world.orders, "war map", force="1st Fleet"))
        told[name] = text(shown)
        assert ("The way in mind" in str(shown.attachments[0].description)) == ("The way in mind" in told[name])
        whole = text(response(await who.click(shown, custom_id=press(shown, "words"))))
        assert ("The way in mind" in whole) == ("The way in mind" in told[name])
    rides = ["11th Squadron rides along from 1,-2 to -1,0.", "12th Squadron rides along from 2,-1 to 0,1."]
    for name, way, some in (("ann", True, rides[:1]), ("cid", False, []), ("gm", True, rides), ("bo", False, [])):
        assert ("Planned path: 2,-2 > 1,-1 > 0,0." in told[name]) == way, name
        assert [line for line in rides if line in told[name]] == some, name


async def test_all_in_words_is_what_the_map_shows(world: World) -> None:
    """A map as one faction sees it is told in words as that one sees it; a player who asks for another's is refused."""
    front = await begun(world, in_fog(example()))
    shown = response(await world.gm.slash(world.orders, "war map", faction="Zeon"))
    key = press(shown, "words")
    told = text(response(await world.gm.click(shown, custom_id=key)))
    assert "2nd Fleet" in told
    assert "1st Fleet" not in told
    assert "your own faction" in refused(await send_raw(front.ann, world.orders, key))
    assert "1st Fleet" in text(response(await send_raw(front.ann, world.orders, key.replace(":2:", ":0:"))))
