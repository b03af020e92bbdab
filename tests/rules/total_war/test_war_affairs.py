from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war.aftermath import FightAction, Retreat, list_retreats
from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import Advance, add_player
from rules.books.total_war.fight import Fire, MeetCondition, Withdraw
from rules.books.total_war.orders.command import Admit, Allot, AnswerCapitol, Assign, Delegate, Petition, Promote, Rogue
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research, list_sales
from rules.books.total_war.war import Force
from rules.geometry import Hex
from tests.rules.total_war import wars
from tests.rules.total_war.wars import RULES, after, find_code, start_war


def test_a_founder_is_paid_for_the_victory_and_knows_the_models_of_his_former_faction() -> None:
    """R1, R11, P8: founding comes before gold."""
    war = wars.win_colony()
    assert war.factions["R1"].gold == 100
    assert (war.factions["R1"].origin, war.factions["R1"].grunt) == ("E", "gm")
    assert war.players["Bob"].petition is None
    war = war.with_panel(wars.COLONY, kind="capitol", owner="R1")
    war = after(war, Buy(actor="Bob", faction="R1", model="gm", at=wars.COLONY))
    assert war.factions["R1"].pool == {"gm": 1}
    assert find_code(war, Buy(actor="Bob", faction="R1", model="zaku", at=wars.COLONY)) == "E_NO_TARGET"


def test_a_faction_is_founded_with_a_squadron_and_ends_a_wish() -> None:
    """R4, R9, AMB-33: fleets found nothing."""
    war = wars.go_rogue()
    war = war.with_forces(replace(war.forces["11th Squadron"], kind="fleet"))
    war = after(
        war,
        MoveForce(actor="Bob", who="11th Squadron", path=("N",)),
        FightAction(at=wars.COLONY, order=Withdraw("E")),
    )
    assert "R1" not in war.factions
    assert (war.panels[wars.COLONY].owner, war.panels[wars.COLONY].garrison) == ("E", ())
    war = after(
        wars.attack_colony(),
        Petition(actor="Bob", player="Bob", faction="Z"),
        FightAction(at=wars.COLONY, order=Withdraw("E")),
    )
    assert find_code(war, Admit(actor="Cid", player="Bob", takes=True)) == "E_NO_TARGET"


def test_nobody_changes_sides_or_gets_units_in_the_middle_of_a_battle() -> None:
    """C2: orders wait for the end."""
    war = wars.meet_fleet()
    war = war.with_side("E", pool={"gm": 1})
    assert find_code(war, Allot(actor="Ann", who="11th Squadron", model="gm")) == "E_BATTLE_PENDING"
    assert find_code(war, Rogue(actor="Ann", player="Ann")) == "E_BATTLE_PENDING"
    assert find_code(war, MoveForce(actor="Ann", who="11th Squadron", path=("N",))) == "E_BATTLE_PENDING"
    war = after(wars.attack_colony(), Petition(actor="Bob", player="Bob", faction="Z"))
    assert find_code(war, Admit(actor="Cid", player="Bob", takes=True)) == "E_BATTLE_PENDING"


def test_only_a_game_master_says_that_a_condition_is_met() -> None:
    """X5, AMB-70: players can't."""
    war = wars.meet_fleet()
    assert find_code(war, FightAction(actor="Ann", at=Hex(1, -2), order=MeetCondition("E"))) == "E_NOT_YOURS"
    assert not after(war, FightAction(at=Hex(1, -2), order=MeetCondition("E"))).battles.get(Hex(0, 0))


def test_what_cannot_be_moved_to_or_shot_at_has_its_own_refusal() -> None:
    """W1, AMB-54, AMB-02: blocked isn't off the map."""
    unit = next(
        name for name, item in wars.meet_fleet().battles[Hex(1, -2)].fight.units.items() if item.kind == "warship"
    )
    assert find_code(wars.meet_fleet(), FightAction(at=Hex(1, -2), order=Fire(unit, "NE"))) == "E_BAD_DIRECTION"
    by = wars.rules(lambda data: data["map"]["blocked"].append("1,-1"))
    assert find_code(start_war(by), MoveForce(actor="Ann", who="11th Squadron", path=("S",)), by) == "E_BLOCKED"


@pytest.mark.shows("M5", "AMB-05")
def test_who_is_attacked_and_wins_may_still_move() -> None:
    """M5, AMB-05: defending uses up no move."""
    war = after(wars.meet_fleet(), FightAction(at=Hex(1, -2), order=Withdraw("Z")))
    war = after(war, Retreat(actor="Cid", who="2nd Fleet", to=Hex(1, -1)))
    assert not war.forces["11th Squadron"].moved
    assert war.forces["2nd Fleet"].moved
    assert after(war, MoveForce(actor="Ann", who="11th Squadron", path=("NW",))).forces["11th Squadron"].moved


def test_the_loser_goes_where_it_is_free_after_the_victory() -> None:
    """AMB-10, AMB-11, Q2: captured panels give no shelter."""
    war = wars.meet_fleet()
    beside = Hex(0, -1)
    war = war.with_panel(beside, kind="colony", owner="E")
    war = after(war, FightAction(at=Hex(1, -2), order=Withdraw("E")))
    free = list_retreats(RULES, war, Hex(1, -2), war.forces["11th Squadron"])
    assert beside not in free
    assert wars.COLONY in free  # its garrison keeps it from falling
    with pytest.raises(Refused, match="is occupied"):
        after(war, Retreat(actor="Ann", who="11th Squadron", to=beside))


def test_a_beaten_lone_rogue_without_survivors_is_gone() -> None:
    """R2, AMB-34: no basic units come."""
    war = wars.attack_colony()
    battle = war.battles[wars.COLONY]
    own = {unit.id for unit in war.forces["11th Squadron"].units}
    fight = replace(battle.fight, units={name: unit for name, unit in battle.fight.units.items() if name not in own})
    war = replace(war, battles={wars.COLONY: replace(battle, fight=replace(fight, withdrawn=()))})
    war = replace(war, battles={wars.COLONY: replace(war.battles[wars.COLONY], fight=replace(fight, met="E"))})
    with pytest.raises(Refused, match="doesn't have to retreat from a battle"):
        after(war, Retreat(actor="Bob", who="11th Squadron", to=Hex(0, -2)))


def test_a_delegate_without_a_fleet_allots_nothing() -> None:
    """K5, P3: delegates need a fleet."""
    war = start_war().with_player("Bob", rank="Captain").with_side("E", pool={"gm": 2})
    war = after(
        war,
        Assign(actor="Ann", who="1st Fleet", player="Bob"),
        Delegate(actor="Ann", faction="E", player="Bob"),
        Allot(actor="Bob", who="1st Fleet", model="gm"),
        Assign(actor="Ann", who="1st Fleet", player="Ann"),
    )
    assert find_code(war, Allot(actor="Bob", who="1st Fleet", model="gm")) == "E_NOT_COMMANDER"


def test_the_rank_of_a_supreme_commander_bounds_a_squadron_too() -> None:
    """K1, K2: size counts, number doesn't."""
    war = start_war().with_side("E", pool={"gm": 9})
    assert find_code(war, Allot(actor="Ann", who="11th Squadron", model="gm", number=5)) == "E_SQUADRON_FULL"
    assert find_code(war, Allot(actor="Ann", who="Solar System", model="gm")) == "E_SQUADRON_FULL"
    war = after(war, Allot(actor="Ann", who="11th Squadron", model="gm", number=4))
    assert len(war.forces["11th Squadron"].units) == 8


def _own_items(data: dict[str, Any]) -> None:
    data["items"] += [
        {"id": "radar", "on": ["special"], "cost": 5},
        {"id": "dock", "on": ["special"], "cost": 5},
        {"id": "slow", "on": [], "cost": 5, "turns": 2},
        {"id": "later", "on": [], "cost": 5, "needs": "slow"},
    ]


def test_facilities_of_ones_own_are_built_on_their_panels_one_each() -> None:
    """B3, AMB-28: one facility per panel."""
    by = wars.rules(_own_items)
    war = (
        start_war(by)
        .with_panel(wars.SPECIAL, owner="E")
        .with_panel(Hex(1, -2), owner="E")
        .with_panel(Hex(0, -2), owner="E")
    )
    build = Build(actor="Ann", faction="E", item="radar", at=wars.SPECIAL)
    war = after(war, build, by=by)
    assert (war.panels[wars.SPECIAL].facility, war.factions["E"].gold) == ("radar", 95)
    assert find_code(war, build, by) == "E_ALREADY_BUILT"
    assert find_code(war, Build(actor="Ann", faction="E", item="dock", at=wars.SPECIAL), by) == "E_ALREADY_BUILT"
    assert find_code(war, Build(actor="Ann", faction="E", item="dock", at=wars.MINE), by) == "E_ALREADY_BUILT"
    assert find_code(war, Build(actor="Ann", faction="E", item="dock", at=wars.COLONY), by) == "E_WRONG_PANEL"


@pytest.mark.shows("B11", "AMB-26")
def test_research_takes_its_turns_and_what_it_needs() -> None:
    """B11, AMB-26: in turns, in order."""
    by = wars.rules(_own_items)
    slow, later = (Research(actor="Ann", faction="E", model=model) for model in ("slow", "later"))
    war = after(start_war(by), slow, by=by)
    assert not war.factions["E"].models
    assert (find_code(war, slow, by), find_code(war, later, by)) == ("E_ALREADY_BUILT", "E_NOT_RESEARCHED")
    war = after(war, Advance(), Advance(), by=by)
    assert war.factions["E"].models == {"slow"}
    assert after(war, later, by=by).factions["E"].models == {"slow", "later"}


def test_a_superweapon_waits_until_its_panel_is_free() -> None:
    """B3, AMB-06: forces delay it."""
    war = start_war().with_panel(wars.SPECIAL, owner="E").with_side("E", gold=400)
    build = Build(actor="Ann", faction="E", item="superweapon", at=wars.SPECIAL)
    begun_ = after(war, build)
    guard = Force("Guard", "squadron", "E", wars.SPECIAL, "Ann", war.forces["12th Squadron"].units)
    held = after(begun_.with_forces(guard), *[Advance()] * 3)
    assert [item.item for item in held.works] == ["superweapon"]
    freed = after(held, MoveForce(actor="Ann", who="Guard", path=("S",)), Advance())
    assert freed.forces["Earth Federation Superweapon 1"].at == wars.SPECIAL
    assert find_code(war.with_forces(guard), build) == "E_OCCUPIED"
    raider = replace(war.forces["2nd Fleet"], at=Hex(-1, -2))
    lost = after(begun_.with_forces(raider), MoveForce(actor="Cid", who="2nd Fleet", path=("NE",)))
    assert (lost.panels[wars.SPECIAL].owner, lost.works) == ("Z", ())


def test_an_advanced_suit_is_made_where_the_facility_is_upgraded() -> None:
    """B5, B7: or on the capitol."""
    factory, capitol = Hex(-2, 1), Hex(-3, 3)
    war = start_war().with_side("Z", gold=500)
    buy = Buy(actor="Cid", faction="Z", model="bigro", at=factory)
    assert find_code(war, buy) == "E_NEEDS_FACILITY"
    assert (factory, "bigro (60 gold)") not in [*list_sales(RULES, war, "Z")]
    assert (capitol, "bigro (60 gold)") in [*list_sales(RULES, war, "Z")]
    war = after(war, Build(actor="Cid", faction="Z", item="ms_facility_upgrade", at=factory))
    assert (factory, "bigro (60 gold)") in [*list_sales(RULES, war, "Z")]
    war = after(war, buy, replace(buy, model="zaku"), replace(buy, at=capitol))
    assert war.factions["Z"].pool == {"bigro": 2, "zaku": 1}


def test_leaders_are_asked_anew_about_each_capture_of_a_capitol() -> None:
    """V2: old answers don't count."""
    war = replace(start_war(), asked="E")
    war = after(
        war,
        AnswerCapitol(actor="Ann", faction="E", answer="on"),
        AnswerCapitol(actor="Cid", faction="Z", answer="end"),
    )
    assert (war.asked, war.winner) == (None, None)
    raider = replace(war.forces["2nd Fleet"], at=Hex(3, -2), moved=False)
    war = war.without_forces(["Solar System"]).with_forces(raider).with_panel(Hex(3, -3), garrison=())
    war = after(war, MoveForce(actor="Cid", who="2nd Fleet", path=("N",)))
    assert (war.asked, war.answers) == ("E", {})
    war = after(war, AnswerCapitol(actor="Ann", faction="E", answer="end"))
    assert (war.asked, war.winner) == ("E", None)
    war = after(war, AnswerCapitol(actor="Cid", faction="Z", answer="end"))
    assert war.winner == "Z"
    assert find_code(war, Advance()) == "E_GAME_OVER"


def test_a_faction_that_is_gone_is_named_all_the_same() -> None:
    """V1, V2: refusals still work."""
    by = wars.rules(lambda data: data["victory"].update(asks={"E": "Z"}))
    war = start_war(by)
    gone = replace(war, factions={"E": war.factions["E"]}, asked="E")
    assert find_code(gone, AnswerCapitol(faction="Z", answer="end"), by) == "E_NO_TARGET"
    assert find_code(replace(gone, winner="Z"), Advance(), by) == "E_GAME_OVER"


def test_a_scenario_without_boards_is_fought_in_open_space() -> None:
    """A board without room is refused."""
    by = wars.rules(lambda data: data.pop("boards"))
    war = start_war(by)
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(1, -1)))
    move = MoveForce(actor="Cid", who="2nd Fleet", path=("N",))
    fight = after(war, move, by=by).battles[Hex(1, -2)].fight
    assert (fight.where, fight.ground.terrain) == ("space", {})
    by = wars.rules(lambda data: data["boards"][0].update(rows=["#" * 12] * 12))
    assert find_code(war, move, by) == "E_TERRAIN"


@pytest.mark.shows("AMB-21")
def test_a_garrison_fights_beside_its_own_faction() -> None:
    """AMB-21: even on the attacker's side."""
    war = wars.go_rogue().with_panel(Hex(1, -2), garrison=start_war().panels[wars.COLONY].garrison)
    war = war.with_forces(
        replace(war.forces["12th Squadron"], at=Hex(2, -2)), replace(war.forces["1st Fleet"], at=Hex(3, -1))
    )
    war = after(war, MoveForce(actor="Ann", who="12th Squadron", path=("NW",)))
    battle = war.battles[Hex(1, -2)]
    (guard,) = battle.garrison
    assert (battle.attacker, battle.defender, battle.fight.units[guard].side) == ("E", "Bob", "E")


@pytest.mark.shows("E2", "U2", "AMB-27")
def test_income_is_paid_once_a_turn_as_the_land_is_supplied_then() -> None:
    """E2, U2, AMB-27: only supplied panels pay."""
    war = start_war()
    paid = after(war, Advance()).factions["E"].gold - war.factions["E"].gold
    assert paid == 8 + 10 + 15
    cut = war
    for at in ("2,-3", "2,-2", "3,-2"):
        cut = cut.with_panel(Hex.parse(at), owner="Z")
    assert after(cut, Advance()).factions["E"].gold == war.factions["E"].gold + 1
    with pytest.raises(Refused, match="comes first"):
        after(wars.meet_fleet(), Advance())


@pytest.mark.shows("AMB-30")
def test_a_faction_whose_leader_has_gone_rogue_waits_for_the_game_master() -> None:
    """R1, AMB-30: until a player joins."""
    war = after(start_war(), Rogue(actor="Ann", player="Ann"))
    assert war.factions["E"].leader is None
    assert (war.forces["1st Fleet"].commander, war.forces["11th Squadron"].faction) == (None, "Ann")
    assert war.players["Ann"].former == "E"
    assert find_code(war, Promote(actor="Bob", player="Bob", rank="Captain")) == "E_NOT_COMMANDER"
    assert after(war, Promote(player="Bob", rank="Captain")).players["Bob"].rank == "Captain"
    assert add_player(RULES, war, "Eve", "E").factions["E"].leader == "Eve"


@pytest.mark.shows("R8", "R9", "AMB-35")
def test_a_rogue_faction_without_a_stronghold_is_gone() -> None:
    """R8, R9, AMB-35: its forces follow their commanders."""
    war = wars.win_colony()
    fleet = replace(war.forces["1st Fleet"], name="Axis", faction="R1", commander="Bob", at=Hex(0, -2))
    raider = replace(war.forces["2nd Fleet"], at=Hex(1, -2))
    war = war.with_forces(fleet, raider, replace(war.forces["11th Squadron"], at=Hex(0, -1)))
    war = after(war, MoveForce(actor="Cid", who="2nd Fleet", path=("N",)))
    assert war.panels[wars.COLONY].owner == "Z"
    assert "R1" not in war.factions
    assert {war.forces[name].faction for name in ("Axis", "11th Squadron")} == {"Bob"}
    assert "R1" not in war.owners.values()
    assert (war.players["Bob"].faction, war.players["Bob"].former) == (None, "E")
    assert find_code(war, Promote(player="Bob", rank="Captain")) == "E_ROGUE"


@pytest.mark.shows("AMB-71")
def test_both_sides_stand_in_rows_at_their_edges() -> None:
    """AMB-71: attackers from row 1, defenders from row 12."""
    units = wars.meet_fleet().battles[Hex(1, -2)].fight.units.values()
    assert {unit.at.row for unit in units if unit.side == "Z"} == {1}
    assert {unit.at.row for unit in units if unit.side == "E"} == {12}


def test_a_squadron_may_go_there_and_back() -> None:
    """M2, AMB-04: two steps may end at the start."""
    war = after(start_war(), MoveForce(actor="Ann", who="11th Squadron", path=("S", "N")))
    assert (war.forces["11th Squadron"].at, war.forces["11th Squadron"].moved) == (Hex(1, -2), True)
