"""Names and doers in fog: nothing that somebody is called, may be called, or is offered tells of what they do not see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.capture import found_faction
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.phases import known_of_war, list_commanders, list_offers
from rules.books.total_war.storage import SCENARIO, WAR, find_misfits, list_changes, store_scenario
from rules.books.total_war.war import War, faction_named
from rules.geometry import Hex
from rules.orders import BegunOrder
from rules.subjects import MAX_NAME, unfit
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.wars import COLONY, RULES, SPECIAL, after, code, rogue, rules, started, won

FOG = rules(lambda data: data["scenario"].update(fog="near", sight=1))
GREEN, VIOLET = "#2e7d32", "#8e24aa"


def kept(war: War) -> dict[str, Any]:
    """What is kept of a war in fog."""
    begins = {WAR: {"name": "First days", "turn": 1}, SCENARIO: store_scenario(FOG.scenario, "f" * 64)}
    then = {**begins, **{name: value for _, name, value in list_changes(BOOK, begins, war)}}
    return {name: json.loads(json.dumps(value)) for name, value in then.items() if value is not None}


@pytest.mark.parametrize("name", ["22nd Squadron", "22ND squadron"])
@pytest.mark.shows("AMB-80")
def test_a_name_that_is_chosen_in_fog_tells_of_no_force(name: str) -> None:
    """AMB-80: whoever joins, or names a faction, gets the name whether a force is called so or not; where nothing is hidden it is refused."""
    war = won()
    joins = actions.Join(player=name, faction="E", owner="x")
    founds = actions.Found(actor="Bob", faction="R1", name=name, colour=GREEN)
    for other in (war, war.without_forces(["22nd Squadron"])):
        assert after(other, joins, by=FOG).players[name].faction == "E"
        assert after(other, founds, by=FOG).factions["R1"].name == name
    assert (code(war, joins), code(war, founds)) == ("E_NAME_IN_USE", "E_NAME_IN_USE")
    assert find_misfits(FOG, after(war, joins, by=FOG), war) == []


def test_a_name_in_fog_is_held_against_what_everybody_knows() -> None:
    """R4, AMB-80: players and factions, by name and id, are called so alone; and what a game master musters is called as nothing else."""
    war = won()
    for name in ("cid", "Bob", "zeon", "E", "Bob's rogues", "N"):
        assert code(war, actions.Join(player=name, faction="E", owner="x"), FOG) == "E_NAME_IN_USE"
    for name in ("cid", "Bob", "zeon", "E", "N"):
        assert code(war, actions.Found(actor="Bob", faction="R1", name=name, colour=GREEN), FOG) == "E_NAME_IN_USE"
    for name in ("cid", "Zeon", "22nd Squadron"):
        new = actions.AddForce(name=name, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
        assert code(war, new, FOG) == "E_NAME_IN_USE"


def test_a_force_and_a_player_or_faction_of_one_name_are_two() -> None:
    """AMB-80: each carries out its own kinds of order, which those give to whom it is; a force has its faction's turns, and is offered where it can go by its own name."""
    war = after(started(FOG), actions.Join(player="22nd Squadron", faction="E", owner="spy"), by=FOG)
    war = war.with_player("Cid", owner="cid").with_player("Ann", owner="ann")
    mine = [item for item in list_commanders(BOOK, kept(war), None) if item.name == "22nd Squadron"]
    force, player = mine
    assert (force.apart, player.apart) == (True, False)
    assert (force.orders["move"], force.givers) == (frozenset({"cid"}), frozenset({"cid"}))
    assert player.givers == {"spy", "ann"}
    assert "move" not in player.orders
    assert player.orders["rogue"] == {"spy"}
    assert known_of_war(BOOK, kept(war), 1).sides["22nd squadron"] == "Z"
    war = after(won(), actions.Found(actor="Bob", faction="R1", name="22nd Squadron", colour=GREEN), by=FOG)
    war = war.with_player("Cid", owner="cid")
    before = won().with_player("Cid", owner="cid")
    asked = BegunOrder("move", "22nd Squadron")
    assert list_offers(BOOK, kept(war), "cid", asked) == list_offers(BOOK, kept(before), "cid", asked) != []


def test_nobody_takes_a_name_that_a_faction_had() -> None:
    """R4: an order that was given then still means that faction; it may itself be called so again."""
    war = won()
    before = war.factions["R1"].name
    war = after(war, actions.Found(actor="Bob", faction="R1", name="Free Side", colour=GREEN))
    war = replace(
        war,
        factions={**war.factions, "R2": replace(war.factions["R1"], name="Axis", leader="Dan", colour=VIOLET, once=())},
    )
    for by in (RULES, FOG):
        assert (
            code(war, actions.Found(actor="Dan", faction="R2", name=before.upper(), colour=VIOLET), by)
            == "E_NAME_IN_USE"
        )
        assert code(war, actions.Join(player=before, faction="E", owner="x"), by) == "E_NAME_IN_USE"
        force = actions.AddForce(name=before, piece="squadron", faction="E", at=Hex(1, 0), units=("gm",))
        assert code(war, force, by) == "E_NAME_IN_USE"
    again = after(war, actions.Found(actor="Bob", faction="R1", name=before, colour=GREEN))
    assert {faction_named(again, name) for name in (before, "Free Side")} == {"R1"}


def test_a_faction_that_is_founded_anew_is_not_called_as_its_founder_s_first_was() -> None:
    """R4: Bob's second faction has a name and an id that mean nobody else."""
    war = after(won(), actions.Found(actor="Bob", faction="R1", name="R2", colour=GREEN))
    war, faction = found_faction(RULES, war, "Bob")
    assert (faction, war.factions[faction].name) == ("R3", "R3")


def built(war: War, faction: str, leader: str) -> str:
    """What a superweapon is called that a faction builds now."""
    war = war.with_panel(SPECIAL, owner=faction).with_side(faction, gold=400, source=SPECIAL)
    there = {*war.forces}
    war = after(
        war, actions.Build(actor=leader, faction=faction, item="superweapon", at=SPECIAL), *[actions.Advance()] * 3
    )
    (name,) = {*war.forces} - there
    return name


def test_a_force_that_is_built_has_a_number_among_its_faction_s_own() -> None:
    """B3, AMB-80: however many others have built, it is called alike; names that were given stay when the faction takes another one; where its name leaves no room, its id stands there."""
    war = started()
    zeon = [replace(war.forces["Solar System"], name=f"Zeon Superweapon {number}", faction="Z") for number in (1, 2)]
    for other in (war, war.with_forces(*(replace(item, at=Hex(-3, 3)) for item in zeon))):
        assert built(other, "E", "Ann") == "Earth Federation Superweapon 1"
    assert built(war.with_forces(*(replace(item, at=Hex(-3, 3)) for item in zeon)), "Z", "Cid") == "Zeon Superweapon 3"
    free = after(won(), actions.Found(actor="Bob", faction="R1", name="Free Side", colour=GREEN))
    older = replace(zeon[0], name="Bob's rogues Superweapon 1", faction="R1", at=COLONY)
    assert built(free.with_forces(older), "R1", "Bob") == "Free Side Superweapon 1"
    war = after(won(), actions.Found(actor="Bob", faction="R1", name="x" * MAX_NAME, colour=GREEN))
    name = built(war, "R1", "Bob")
    assert (name, unfit(name)) == ("R1 Superweapon 1", None)


def test_a_force_that_nobody_commands_is_no_player_s_once_its_faction_ends() -> None:
    """R6, AMB-35: who is called as it is does not see by it, nor command it, as a lone rogue."""
    war = won()
    weapon = replace(war.forces["Solar System"], name="Ray", faction="R1", at=Hex(0, -3), commander=None)
    war = after(war.with_forces(weapon), actions.SetOwner(at=COLONY, faction="E"), by=FOG)
    war = after(
        war, actions.Join(player="Ray", faction="Z", owner="x"), actions.Rogue(actor="Ray", player="Ray"), by=FOG
    )
    assert war.players["Ray"].faction is None
    assert war.forces["Ray"].faction != "Ray"
    assert unfit(war.forces["Ray"].faction) is not None


def test_an_answer_is_offered_alike_wherever_who_asks_fights() -> None:
    """R9, AMB-80: a rogue who wishes to be taken in fights out of the leader's sight, and may be answered as if not."""
    war = after(rogue(), actions.Petition(actor="Bob", player="Bob", faction="Z"), by=FOG)
    war = war.with_player("Cid", owner="cid")
    fights = after(war, actions.Move(actor="Bob", who="11th Squadron", path=("N",)), by=FOG)
    assert [*fights.battles] == [COLONY]
    told = [
        [item.orders.keys() for item in list_commanders(BOOK, kept(each), "cid") if item.name == "Zeon"]
        for each in (war, fights)
    ]
    assert told[0] == told[1]
    assert "answer" in told[0][0]
    assert code(fights, actions.Admit(actor="Cid", player="Bob", takes=True), FOG) == "E_BATTLE_PENDING"
    over = after(fights, actions.FightAction(at=COLONY, order=Withdraw("E")), by=FOG)
    assert over.players["Bob"].faction == "R1"
