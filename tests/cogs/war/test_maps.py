"""Maps by faction, reach next to orders, and the second map."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace

from bot.cogs.war import maps
from bot.cogs.war.wars import faction_view
from rules.geometry import Hex
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.front import E, Front, begun, changed, code, example, given, in_fog, listed, recruit
from tests.cogs.war.pictures.wars import RULES, START
from tests.support.acting import confirmed, list_groups, save_group
from tests.support.reading import assert_lacks, components, press, refused, response, said, text
from tests.support.world import World, rows, send_raw


def test_gold_is_told_to_its_own_faction_alone_where_there_is_fog() -> None:
    """Even if one id begins with another."""
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
    """To its giver and game masters."""
    front = await begun(world)
    cid = await recruit(front, "Cid", E)
    await world.gm.slash(world.orders, "gm-war set", what="rank", to="Cid Captain", reason="As it is")
    await given(front, front.ann, "assign", "12th Squadron", to="Cid")
    await front.end_turn()
    await world.gm.slash(world.orders, "gm-war set", what="force", to="12th Squadron to 2,-1", reason="Beside it")
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
    """A player can't ask for another faction's."""
    front = await begun(world, in_fog(example()))
    shown = response(await world.gm.slash(world.orders, "war map", faction="Zeon"))
    key = press(shown, "words")
    told = text(response(await world.gm.click(shown, custom_id=key)))
    assert "2nd Fleet" in told
    assert "1st Fleet" not in told
    assert "your own faction" in refused(await send_raw(front.ann, world.orders, key))
    assert "1st Fleet" in text(response(await send_raw(front.ann, world.orders, key.replace(":2:", ":0:"))))


NEAR = changed(**{"2nd_Fleet": "0,1", "21st_Squadron": "0,0", "22nd_Squadron": "0,-1"})


@pytest.fixture
async def front(world: World) -> Front:
    """A war in which two squadrons of Zeon are near the first fleet."""
    return await begun(world, NEAR)


async def test_a_move_is_answered_with_the_reach_of_its_force(front: Front) -> None:
    """Directions, panels, fights and captures."""
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
    """As if the unseen were empty."""
    front = await begun(world, in_fog(example().replace('at      = "-1,2"', 'at      = "0,0"')))
    answer = await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "panels in one direction" in answer
    assert_lacks(answer, "starts a battle", "21st Squadron")
    assert "21st Squadron" in await given(front, world.gm, "move", "1st Fleet", to="SW")
    mine = response(await front.order(front.ann, "move", "1st Fleet", to="SW"))
    key = next(item["custom_id"] for item in components(mine) if item.get("label") == "Reach on the map")
    assert "You can't see a force" in code(await send_raw(front.bo, world.orders, key))


async def test_an_order_is_kept_where_its_reach_cannot_be_shown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is saved first."""
    front = await begun(world)
    with monkeypatch.context() as broken:
        broken.setattr(maps, "describe_reach", None)
        answer = await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "This was saved, but I couldn't show it" in answer
    assert "1st Fleet" in said(await front.ann.slash(world.orders, "order list"))
    world.env._errors.clear()


EARTH = example().replace('"first-days"', '"earth"').replace('"First days"', '"Earth"').replace("= 100\n", "= 500\n")


async def fallen(world: World) -> Front:
    """A war in fog whose leaders are asked, as Luna II fell."""
    second = example().replace('title         = "First days"', 'title = "First days"\nsecond = "earth"')
    front = await begun(world, in_fog(second))
    garrison = re.findall(r"\bu[0-9]+\b", await front.sheet("3,-3"))
    for what, to in (*(("unit", f"- {unit}") for unit in garrison), ("force", "2nd Fleet to 2,-3")):
        await world.gm.slash(world.orders, "gm-war set", what=what, to=to, reason="Luna II is open")
    await front.order(front.bo, "Move a force", "2nd Fleet", to="3,-3")
    await front.resolve()
    return front


async def moved_on(front: Front) -> str:
    """Let both leaders go on with the second scenario; return its preview."""
    world = front.world
    await world.gm.slash(world.orders, "gm close", name="Two")
    await front.order(front.ann, "Answer for a faction", E, to="on")
    await front.order(front.bo, "Answer for a faction", "Zeon", to="on")
    await front.resolve()
    onlooker = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    for who in (world.gm, onlooker):  # that it goes on is no secret, unlike who has answered what
        assert "The war goes on with the scenario earth. A game master starts it" in await front.sheet(who=who)
    shown = response(await world.gm.slash(world.orders, "gm-war new", scenario=("earth.toml", EARTH.encode())))
    await world.gm.click(shown, label="Start")
    return text(shown)


async def test_the_groups_of_factions_go_on(world: World) -> None:
    """Under any name, with their members."""
    front = await fallen(world)
    await save_group(world, E, name="Federals")
    before = await list_groups(world)
    await moved_on(front)
    assert await list_groups(world) == before
    assert "Ann" in before


async def test_turns_are_counted_on_across_the_second_map(world: World) -> None:
    """In each text."""
    front = await fallen(world)
    await moved_on(front)
    turns = [json.loads(value)["turn"] for (value,) in rows(world, "select value from state where name = 'war'")]
    assert turns == [2, 2]
    assert "Earth, turn 2" in await front.sheet()


MARKED = "`[x](https://e.x)*"
_NAMED = re.compile(r'^((?:name|title|force) +=) "([^"]*)"$', re.MULTILINE)
_UNIT = re.compile(r'"(gm|zaku)"')
EFFECT = re.compile(r"(?<!\\)\[x|(?<!\\)`\\?\[x|https://e")
"""An unescaped mark."""
CODE = re.compile(r"`` .*? ``")
"""Between backticks marks have no effect."""


def hostile() -> str:
    """Return the scenario with marks in each name."""
    named = _NAMED.sub(rf'\1 "\2 {MARKED}"', example())
    return _UNIT.sub(rf'"\1 {MARKED}"', named)


async def test_no_name_of_a_scenario_becomes_markup(world: World) -> None:
    """For game master and player."""
    front = await begun(world, hostile())
    force = f"1st Fleet {MARKED}"
    shown: list[Any] = []
    sheets = (None, "E", "Z", force, f"21st Squadron {MARKED}", f"Amuro Ray {MARKED}", "Ann", "3,-3", "u1")
    for who in (front.ann, world.gm):
        asked = [await who.slash(world.orders, "war show", **({"what": what} if what else {})) for what in sheets]
        shown += map(response, asked)
    carl = world.guild.add_member(world.env.create_user("carl"), roles=[world.roles["player"]])
    shown.append(response(await carl.slash(world.orders, "war join", faction="E", callsign="Carl")))
    shown.append(response(await front.ann.slash(world.orders, "war map", force=force)))
    shown.append(response(await front.order(front.ann, "move", f"11th Squadron {MARKED}", to="0,-1")))
    for command in ("order list", "update show", "war map", "ledger"):
        shown += [response(await who.slash(world.orders, command)) for who in (front.ann, world.gm)]
    await front.resolve()
    shown += [message for room in (world.orders, world.results, world.staff) for message in room.history()]
    lines = [line for message in shown for line in text(message).splitlines()]
    assert len([line for line in lines if "e.x" in line]) > 20
    assert [line for line in lines if EFFECT.search(CODE.sub("", line))] == []


@pytest.mark.parametrize("way", ["NW", "NW NW"])
async def test_a_third_side_neither_joins_nor_passes_a_battle(world: World, way: str) -> None:
    """The rogue's order is cancelled (AMB-21)."""
    front = await begun(world, changed(**{"21st_Squadron": "0,0", "12th_Squadron": "1,0"}))
    accounts = Accounts(world)
    accounts.open(await front.stands())
    cid = await recruit(front, "Cid", "E")
    await world.gm.slash(world.orders, "gm-war set", what="rank", to="Cid Captain", reason="As it is")
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
    """Its squadron stays where it is."""
    front = await begun(world, changed(**{"2nd_Fleet": "0,-2"}))
    await given(front, front.bo, "move", "2nd Fleet", to="1,-3")
    await given(front, front.ann, "move", "11th Squadron", to="1,-3")
    await front.resolve()
    war = await front.stands()
    battle = war.battles[Hex(1, -3)]
    assert (battle.attacker, battle.defender, {*battle.forces}) == ("Z", "E", {"2nd Fleet"})
    assert str(war.forces["11th Squadron"].at) == "1,-2"
    assert "A battle is on at 1,-3: no other force can go there." in (await listed(front, front.ann)).replace("\\", "")
