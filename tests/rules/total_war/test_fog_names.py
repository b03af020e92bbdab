from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.book import list_commanders, list_offers, read_sides
from rules.books.total_war.course import Advance, Join, create_rogue_faction
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.orders.command import Admit, Found, Petition, Rogue
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build
from rules.books.total_war.rulings.values import AddForce, SetOwner
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import War
from rules.geometry import Hex
from rules.orders import BegunOrder
from rules.subjects import MAX_NAME, unfit
from tests.rules.total_war import wars
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.wars import FOG, after, find_code

GREEN, VIOLET = "#2e7d32", "#8e24aa"


def store(war: War) -> dict[str, Any]:
    """Store a war in fog."""
    return wars.enter(wars.store_start(FOG), war)


@pytest.mark.parametrize("name", ["22nd Squadron", "22ND squadron"])
@pytest.mark.shows("AMB-80")
def test_a_name_that_is_chosen_in_fog_tells_of_no_force(name: str) -> None:
    """AMB-80: a hidden force's name may be chosen."""
    war = wars.win_colony()
    joins = Join(player=name, faction="E", owner="x")
    founds = Found(actor="Bob", faction="R1", name=name, colour=GREEN)
    for other in (war, war.without_forces(["22nd Squadron"])):
        assert after(other, joins, by=FOG).players[name].faction == "E"
        assert after(other, founds, by=FOG).factions["R1"].name == name
    assert (find_code(war, joins), find_code(war, founds)) == ("E_NAME_IN_USE", "E_NAME_IN_USE")
    assert find_misfits(FOG, after(war, joins, by=FOG), war) == []


def test_a_name_in_fog_is_held_against_what_everybody_knows() -> None:
    """R4, AMB-80: public names are refused."""
    war = wars.win_colony()
    for name in ("cid", "Bob", "zeon", "E", "Bob's rogues", "N"):
        assert find_code(war, Join(player=name, faction="E", owner="x"), FOG) == "E_NAME_IN_USE"
    for name in ("cid", "Bob", "zeon", "E", "N"):
        assert find_code(war, Found(actor="Bob", faction="R1", name=name, colour=GREEN), FOG) == "E_NAME_IN_USE"
    for name in ("cid", "Zeon", "22nd Squadron"):
        new = AddForce(name=name, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
        assert find_code(war, new, FOG) == "E_NAME_IN_USE"


def test_a_force_and_a_player_or_faction_of_one_name_are_two() -> None:
    """AMB-80: each has its own orders."""
    war = after(wars.start_war(FOG), Join(player="22nd Squadron", faction="E", owner="spy"), by=FOG)
    war = war.with_player("Cid", owner="cid").with_player("Ann", owner="ann")
    mine = [item for item in list_commanders(BOOK, store(war), None) if item.name == "22nd Squadron"]
    force, player = mine
    assert (force.apart, player.apart) == (True, False)
    assert (force.orders["move"], force.givers) == (frozenset({"cid"}), frozenset({"cid"}))
    assert player.givers == {"spy", "ann"}
    assert "move" not in player.orders
    assert player.orders["rogue"] == {"spy"}
    assert read_sides(BOOK, store(war), 1).sides["22nd squadron"] == "Z"
    war = after(wars.win_colony(), Found(actor="Bob", faction="R1", name="22nd Squadron", colour=GREEN), by=FOG)
    war = war.with_player("Cid", owner="cid")
    before = wars.win_colony().with_player("Cid", owner="cid")
    asked = BegunOrder("move", "22nd Squadron")
    assert list_offers(BOOK, store(war), "cid", asked) == list_offers(BOOK, store(before), "cid", asked) != []


def test_nobody_takes_a_name_that_a_faction_had() -> None:
    """R4: older orders still mean that faction."""
    war = wars.win_colony()
    before = war.factions["R1"].name
    war = after(war, Found(actor="Bob", faction="R1", name="Free Side", colour=GREEN))
    war = replace(
        war,
        factions={**war.factions, "R2": replace(war.factions["R1"], name="Axis", leader="Dan", colour=VIOLET, once=())},
    )
    for by in (wars.RULES, FOG):
        assert (
            find_code(war, Found(actor="Dan", faction="R2", name=before.upper(), colour=VIOLET), by) == "E_NAME_IN_USE"
        )
        assert find_code(war, Join(player=before, faction="E", owner="x"), by) == "E_NAME_IN_USE"
        force = AddForce(name=before, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
        assert find_code(war, force, by) == "E_NAME_IN_USE"
    again = after(war, Found(actor="Bob", faction="R1", name=before, colour=GREEN))
    assert {again.match_faction(name) for name in (before, "Free Side")} == {"R1"}


def test_a_faction_that_is_founded_anew_is_not_called_as_its_founder_s_first_was() -> None:
    """R4: Bob's second faction gets a new name."""
    war = after(wars.win_colony(), Found(actor="Bob", faction="R1", name="R2", colour=GREEN))
    war, faction = create_rogue_faction(wars.RULES, war, "Bob")
    assert (faction, war.factions[faction].name) == ("R3", "R3")


def _build_weapon(war: War, faction: str, leader: str) -> str:
    war = war.with_panel(wars.SPECIAL, owner=faction).with_side(faction, gold=400, source=wars.SPECIAL)
    there = {*war.forces}
    war = after(war, Build(actor=leader, faction=faction, item="superweapon", at=wars.SPECIAL), *[Advance()] * 3)
    (name,) = {*war.forces} - there
    return name


def test_a_force_that_is_built_has_a_number_among_its_faction_s_own() -> None:
    """B3, AMB-80: numbers reveal nothing about others."""
    war = wars.start_war()
    zeon = [replace(war.forces["Solar System"], name=f"Zeon Superweapon {number}", faction="Z") for number in (1, 2)]
    for other in (war, war.with_forces(*(replace(item, at=Hex(-3, 3)) for item in zeon))):
        assert _build_weapon(other, "E", "Ann") == "Earth Federation Superweapon 1"
    assert (
        _build_weapon(war.with_forces(*(replace(item, at=Hex(-3, 3)) for item in zeon)), "Z", "Cid")
        == "Zeon Superweapon 3"
    )
    free = after(wars.win_colony(), Found(actor="Bob", faction="R1", name="Free Side", colour=GREEN))
    older = replace(zeon[0], name="Bob's rogues Superweapon 1", faction="R1", at=wars.COLONY)
    assert _build_weapon(free.with_forces(older), "R1", "Bob") == "Free Side Superweapon 1"
    war = after(wars.win_colony(), Found(actor="Bob", faction="R1", name="x" * MAX_NAME, colour=GREEN))
    name = _build_weapon(war, "R1", "Bob")
    assert (name, unfit(name)) == ("R1 Superweapon 1", None)


def test_a_force_that_nobody_commands_is_no_player_s_once_its_faction_ends() -> None:
    """R6, AMB-35: its name gives no player control."""
    war = wars.win_colony()
    weapon = replace(war.forces["Solar System"], name="Ray", faction="R1", at=Hex(0, -3), commander=None)
    war = after(war.with_forces(weapon), SetOwner(at=wars.COLONY, faction="E"), by=FOG)
    war = after(war, Join(player="Ray", faction="Z", owner="x"), Rogue(actor="Ray", player="Ray"), by=FOG)
    assert war.players["Ray"].faction is None
    assert war.forces["Ray"].faction != "Ray"
    assert unfit(war.forces["Ray"].faction) is not None


def test_an_answer_is_offered_alike_wherever_who_asks_fights() -> None:
    """R9, AMB-80: a hidden battle doesn't change the offer."""
    war = after(wars.go_rogue(), Petition(actor="Bob", player="Bob", faction="Z"), by=FOG)
    war = war.with_player("Cid", owner="cid")
    fights = after(war, MoveForce(actor="Bob", who="11th Squadron", path=("N",)), by=FOG)
    assert [*fights.battles] == [wars.COLONY]
    told = [
        [item.orders.keys() for item in list_commanders(BOOK, store(each), "cid") if item.name == "Zeon"]
        for each in (war, fights)
    ]
    assert told[0] == told[1]
    assert "answer" in told[0][0]
    assert find_code(fights, Admit(actor="Cid", player="Bob", takes=True), FOG) == "E_BATTLE_PENDING"
    over = after(fights, FightAction(at=wars.COLONY, order=Withdraw("E")), by=FOG)
    assert over.players["Bob"].faction == "R1"
