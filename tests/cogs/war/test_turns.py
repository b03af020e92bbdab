"""Turns: sealed orders resolved phase by phase."""

from __future__ import annotations

import asyncio
import re

import pytest

from rules.geometry import Hex, neighbours
from tests.cogs.war.front import E, Front, begun, changed, code, example, given, listed, plan, recruit, rolled, voided
from tests.support.acting import confirmed, fill_in, use_desk
from tests.support.reading import assert_says, newest, refused, response, said, text
from tests.support.world import World, entry, rows

RICH = "gold    = 100"


@pytest.mark.parametrize("to", ["1,-1", "SW", "0,0", "SW SW", "-1,1", "SW, SW, SW"])
async def test_a_fleet_goes_along_a_path_or_to_a_panel_and_takes_what_it_crosses(front: Front, to: str) -> None:
    """One to three panels in a line (M1, Q1)."""
    steps = {"1,-1": 1, "0,0": 2, "-1,1": 3}.get(to) or to.count("SW")
    assert "**Forecast:**" in await given(front, front.ann, "move", "1st Fleet", to=to)
    await front.resolve()
    war = await front.stands()
    assert war.forces["1st Fleet"].at == Hex(2 - steps, -2 + steps)
    crossed = [Hex(2 - step, -2 + step) for step in range(1, 4)]
    assert [war.panels[at].owner for at in crossed] == ["E"] * steps + ["N"] * (3 - steps)
    assert war.turn == 2


async def test_two_squadrons_ride_along_and_one_goes_a_panel_further(world: World) -> None:
    """They keep their place; one panel more if asked (lines 32 to 44)."""
    front = await begun(world, changed(**{"12th_Squadron": "3,-3"}))
    await given(front, front.ann, "follow", "11th Squadron", to="1st Fleet", **{"with": "0,-2"})
    await given(front, front.ann, "follow", "12th Squadron", to="1st Fleet")
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    shown = await plan(front)
    assert "Will be cancelled" not in text(shown)
    await world.gm.click(shown, label="Resolve all")
    war = await front.stands()
    at = {name: str(force.at) for name, force in war.forces.items()}
    assert (at["1st Fleet"], at["12th Squadron"], at["11th Squadron"]) == ("1,-1", "2,-2", "0,-2")
    assert "cancelled" not in (await listed(front, front.ann)).casefold()


async def test_whoever_has_pledged_to_a_fleet_that_stays_stands_still_and_reads_why(front: Front) -> None:
    """A pledge moves no force by itself (AMB-16)."""
    await given(front, front.ann, "follow", "11th Squadron", to="1st Fleet")
    await front.resolve()
    assert (await front.stands()).forces["11th Squadron"].at == Hex(1, -2)
    assert "1st Fleet didn't take 11th Squadron along" in await listed(front, front.ann)


async def test_a_ride_that_takes_nobody_along_is_told_before(front: Front) -> None:
    """In the answer and in the plan."""
    answer = await given(front, front.ann, "follow", "11th Squadron", to="1st Fleet")
    warning = "has no effect: 1st Fleet has no order to move."
    assert warning in answer
    assert "This one will be cancelled." in answer
    assert warning in text(await plan(front))
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert warning not in text(await plan(front))
    assert warning not in await given(front, front.ann, "follow", "11th Squadron", to="1st Fleet")


RAID = changed(
    **{
        "2nd_Fleet": "-1,2",
        "21st_Squadron": "-2,2",
        "1st_Fleet": "2,1",
        "12th_Squadron": "2,-3",
        "Solar_System": "3,-3",
    }
).replace('"3,-1"], Z', '"3,-1", "2,0", "1,0", "1,-1", "3,0", "2,1", "1,1", "1,2", "0,1"], Z')


async def test_the_raid_of_the_page_takes_three_panels_and_the_turn_waits_for_its_battle(world: World) -> None:
    """The fleet meets the raider (lines 72 to 76)."""
    front = await begun(world, RAID)
    await given(front, front.bo, "move", "2nd Fleet", to="NE NE NE")
    await front.resolve()
    war = await front.stands()
    raided = [Hex(0, 1), Hex(1, 0), Hex(2, -1)]
    assert [war.panels[at].owner for at in raided] == ["Z"] * 3
    assert war.panels[raided[-1]].facility is None
    assert sum(panel.owner == "Z" for panel in war.panels.values()) == 8 + 3
    await front.close()
    await given(front, front.ann, "move", "1st Fleet", to="N N")
    await front.resolve()
    war = await front.stands()
    assert (war.turn, [*war.battles]) == (2, [Hex(2, -1)])
    assert "Battle on 2,-1: Earth Federation against Zeon" in await front.sheet()
    assert "2nd Fleet fights on 2,-1. That comes first." in code(
        await front.order(front.bo, "move", "2nd Fleet", to="N")
    )
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await voided(front, rolled(world)[-1])
    war = await front.stands()
    assert (war.forces["1st Fleet"].at, war.battles) == (Hex(2, 1), {})
    await front.resolve()
    assert (await front.stands()).battles


async def test_the_raider_wins_all_six_panels_and_cuts_land_off(world: World) -> None:
    """Cut-off land pays nothing (lines 74 to 82)."""
    front = await begun(world, RAID)
    await front.order(front.bo, "move", "2nd Fleet", to="NE NE NE")
    await front.end_turn()
    await front.order(front.ann, "move", "1st Fleet", to="N N")
    await front.resolve()
    await confirmed(world, "battle withdraw", front.ann)
    await front.ann.slash(world.orders, "battle retreat", to="2,0")
    war = await front.stands()
    around = [Hex(2, -1), *neighbours(Hex(2, -1))]
    assert {war.panels[at].owner for at in around} == {"Z"}
    assert sum(panel.owner == "Z" for panel in war.panels.values()) == 8 + 3 + 5
    assert (war.battles, war.panels[Hex(2, -2)].facility, war.forces["1st Fleet"].at) == ({}, None, Hex(2, 0))
    cut = {str(at) for at, panel in war.panels.items() if panel.owner == "E"}
    cut -= {"3,-3", "2,-3", "1,-3", "1,-2"}
    assert cut == {"3,0", "2,1", "1,1", "1,2"}
    assert "(4 cut off)" in await front.sheet(E)
    assert "3,0 is cut off from the capitol." in code(
        await front.order(front.ann, "garrison", E, to="3,0", **{"with": "colony_garrison"})
    )
    await front.resolve()
    war = await front.stands()
    assert (war.turn, war.factions["E"].gold) == (3, 100 + (13 + 10 + 15) + 4)


async def test_a_faction_builds_buys_and_researches_several_things_in_a_turn(world: World) -> None:
    """All are paid (B1, E6)."""
    front = await begun(world, example().replace(RICH, "gold = 400").replace('"0,-3"\nkind', '"0,-3"\nkind'))
    await given(front, front.ann, "build", E, to="2,-1", **{"with": "ms_facility_upgrade"})
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 2"})
    await given(front, front.ann, "buy", E, to="2,-1", **{"with": "saberfish"})
    await given(front, front.ann, "garrison", E, to="1,-3", **{"with": "colony_garrison"})
    await given(front, front.ann, "garrison", E, to="3,-3", **{"with": "capitol_garrison_upgrade"})
    await given(front, front.ann, "research", E, to="guncannon")
    await front.resolve()
    war = await front.stands()
    income = 8 + 10 + 15
    assert war.factions["E"].gold == 400 - (60 + 40 + 8 + 25 + 30 + 50) + income
    assert war.factions["E"].pool == {"gm": 2, "saberfish": 1}
    assert war.factions["E"].models == {"guncannon"}
    assert war.panels[Hex(2, -1)].facility == "ms_facility_upgrade"
    assert [len(war.panels[at].garrison) for at in (Hex(1, -3), Hex(3, -3))] == [2, 3]


async def test_the_same_order_again_takes_the_place_of_the_first(front: Front) -> None:
    """One move per force, one purchase per words."""
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    assert "replaces #" in await given(front, front.ann, "move", "1st Fleet", to="SW SW")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm"})
    assert "replaces #" in await given(front, front.ann, "buy", E, to="3,-3", **{"with": "GM"})
    assert "replaces #" not in await given(front, front.ann, "buy", E, to="3,-3", **{"with": "saberfish"})
    await front.resolve()
    war = await front.stands()
    assert war.forces["1st Fleet"].at == Hex(0, 0)
    assert war.factions["E"].pool == {"gm": 1, "saberfish": 1}


@pytest.mark.shows("AMB-81")
async def test_factions_take_turns_and_another_begins_each_turn(front: Front) -> None:
    """Within a phase (AMB-81)."""
    orders = (("11th Squadron", "0,-1", "1,-2"), ("12th Squadron", "2,0", "3,-1"))
    theirs = (("21st Squadron", "0,1", "-1,2"), ("22nd Squadron", "-2,0", "-3,1"))
    for turn in (1, 2):
        before = rolled(front.world)[-1]
        for name, *way in orders:
            await given(front, front.ann, "move", name, to=way[turn - 1])
        for name, *way in theirs:
            await given(front, front.bo, "move", name, to=way[turn - 1])
        await front.resolve()
        made = [entry(front.world, number) for number in rolled(front.world) if number > before]
        moved = [body["parts"][0]["subjects"]["force"] for body in made if body["family"] == "move"]
        mine, other = [name for name, *_ in orders], [name for name, *_ in theirs]
        first, second = (mine, other) if turn == 1 else (other, mine)
        assert moved == [first[0], second[0], first[1], second[1]]
        await front.close()


async def test_the_board_awaits_whoever_commands_a_force_that_has_not_moved(world: World) -> None:
    """Until each is ordered, or they pass."""
    front = await begun(world)
    await recruit(front, "Cid", "E")
    await use_desk(world.gm, world.orders, "Board")
    board = newest(world.staff)

    async def awaited() -> str:
        await world.env.advance_time(6)
        return next(line for line in text(newest(world.staff)).splitlines() if "Waiting" in line or "Everyone" in line)

    assert "for 2:** Ann and Bo" in text(board)
    for name, to in (("1st Fleet", "SW"), ("11th Squadron", "0,-1"), ("12th Squadron", "2,0")):
        await given(front, front.ann, "move", name, to=to)
    assert "for 2:** Ann and Bo" in await awaited()
    await given(front, front.ann, "move", "Solar System", to="N")
    assert "for 1:** Bo" in await awaited()
    await front.bo.slash(world.orders, "order give", kind="Pass", who="Bo")
    assert "Everyone has ordered or passed" in await awaited()


async def test_a_turn_ends_once_in_an_update_and_its_digest_has_the_map(front: Front) -> None:
    """Also with two presses at once."""
    world = front.world
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    first, second = await plan(front), response(await world.gm2.slash(world.orders, "gm resolve"))
    await asyncio.gather(
        world.gm.click(first, label="Resolve all"), world.gm2.click(second, label="Resolve all"), return_exceptions=True
    )
    war = await front.stands()
    assert (war.turn, war.factions["E"].gold, war.forces["1st Fleet"].at) == (2, 100 + 9 + 10 + 15, Hex(1, -1))
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    bodies = [entry(world, number) for number in rolled(world)]
    assert [body["family"] for body in bodies].count("advance") == 1
    told = [message for message in world.results.history() if "Results: Update" in text(message)]
    assert len(told) == 1
    assert "1st Fleet moves from 2,-2 to 1,-1" in text(told[0])
    assert [file.filename for file in told[0].attachments] == ["war-map.png"]
    digest = entry(world, rows(world, "select max(number) from entry")[0][0])
    assert "scenario" not in digest["war"]  # it stands in the entry that has begun the war, once


async def test_a_move_that_is_taken_back_leaves_all_as_it_was(front: Front) -> None:
    """The force can be ordered again."""
    before = await front.stands()
    await given(front, front.ann, "move", "1st Fleet", to="SW SW")
    await front.resolve()
    number = next(number for number in rolled(front.world) if entry(front.world, number)["family"] == "move")
    await voided(front, number)
    war = await front.stands()
    assert (war.forces, war.panels, war.factions, war.turn) == (before.forces, before.panels, before.factions, 1)
    await given(front, front.ann, "move", "1st Fleet", to="SW")
    await front.resolve()
    assert (await front.stands()).forces["1st Fleet"].at == Hex(1, -1)


async def test_an_order_that_is_illegal_by_then_lapses_and_changes_nothing(front: Front) -> None:
    """The third purchase has no gold."""
    for model in ("gm 2", "gm 3", "saberfish 2"):
        await given(front, front.ann, "buy", E, to="3,-3", **{"with": model})
    await front.resolve()
    war = await front.stands()
    assert war.factions["E"].pool == {"gm": 5}
    assert war.factions["E"].gold == 100 - 40 - 60 + 8 + 10 + 15
    assert "That costs 16 gold, and the bank has 0, enough for 0." in (await listed(front, front.ann)).replace("\\", "")


async def test_a_second_force_does_not_come_to_a_fight_of_its_own_side(world: World) -> None:
    """It stays where it was (AMB-06, AMB-21)."""
    front = await begun(world, changed(**{"21st_Squadron": "0,0"}))
    await given(front, front.ann, "move", "1st Fleet", to="SW SW")
    await given(front, front.ann, "move", "11th Squadron", to="SW S")
    await front.resolve()
    war = await front.stands()
    assert {*war.battles[Hex(0, 0)].forces} == {"1st Fleet", "21st Squadron"}
    assert war.forces["11th Squadron"].at == Hex(1, -2)
    assert "Your own force is on 0,0: pass it or stop before it." in (await listed(front, front.ann)).replace("\\", "")
    _, fleets, squadrons = re.split(r"\*\*(?:Fleets|Squadrons)\*\*", await listed(front, front.ann))
    assert ("1st Fleet" in fleets, "Cancelled" in fleets, "Cancelled" in squadrons) == (True, False, True)


async def test_a_move_that_is_dropped_by_hand_lapses_in_its_own_phase(front: Front) -> None:
    """The first that takes it."""
    await given(front, front.ann, "move", "11th Squadron", to="1,-1")
    before = await listed(front, front.ann)
    shown = response(await front.world.gm.slash(front.world.orders, "gm close"))
    await fill_in(front.world.gm, shown, {"reason": "Not now"}, label="Cancel all orders")
    told = await listed(front, front.ann)
    assert ("Cancelled" in before, "Cancelled" in told) == (False, True)
    assert "**Squadrons**" in told


async def test_forces_without_orders_are_on_their_commanders_desk(front: Front) -> None:
    """Other leaders don't see them."""
    desk = said(await front.ann.slash(front.world.orders, "update show"))
    assert_says(desk, "Without orders", "/order give who:11th Squadron")
    assert "11th Squadron" not in said(await front.bo.slash(front.world.orders, "update show"))
    await given(front, front.ann, "move", "11th Squadron", to="1,-1")
    assert "/order give who:11th Squadron" not in said(await front.ann.slash(front.world.orders, "update show"))
