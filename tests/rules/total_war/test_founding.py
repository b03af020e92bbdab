from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war.aftermath import FightAction, Retreat, list_retreats
from rules.books.total_war.course import Advance, create_rogue_faction, list_pending
from rules.books.total_war.fight import Next, Withdraw
from rules.books.total_war.orders.command import Admit, Assign, Petition, Rogue
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.rulings.values import SetOwner, SetRank
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import Rules, War, Works
from rules.geometry import Hex, neighbours
from tests.rules.total_war import wars
from tests.rules.total_war.wars import RULES, after, start_war

OTHER = Hex(3, 0)
"""A neutral colony."""
BESIDE, SOUTH = Hex(2, -3), Hex(2, -2)
EMPTY = War({}, {}, {})


def _attack_twice() -> War:
    given = [Assign(actor="Ann", who=who, player="Bob") for who in ("11th Squadron", "12th Squadron")]
    war = after(
        start_war(),
        SetRank(player="Bob", rank="Captain"),
        *given,
        Rogue(actor="Bob", player="Bob"),
    )
    north = MoveForce(actor="Bob", who="11th Squadron", path=("N",))
    return after(war, north, MoveForce(actor="Bob", who="12th Squadron", path=("S",)))


@pytest.mark.parametrize("first", [(wars.COLONY, "E"), (OTHER, "N")])
def test_a_rogue_who_wins_two_strongholds_at_once_founds_one_faction(first: tuple[Hex, str]) -> None:
    """R4, R6: the second victory only takes its panel."""
    second = next(each for each in ((wars.COLONY, "E"), (OTHER, "N")) if each != first)
    war = _attack_twice()
    for at, beaten in (first, second):
        war = after(war, FightAction(at=at, order=Withdraw(beaten)))
    assert [name for name, side in war.factions.items() if side.rogue] == ["R1"]
    assert (war.factions["R1"].leader, war.players["Bob"].faction) == ("Bob", "R1")
    assert {item.faction for item in war.forces.values() if item.commander == "Bob"} == {"R1"}
    assert {war.panels[at].owner for at in (wars.COLONY, OTHER)} == {"R1"}
    assert war.panels[second[0].step("NW")].owner != "R1"
    assert find_misfits(RULES, war, EMPTY) == []


def _add_guards(war: War, by: Rules = RULES) -> War:
    war, guards = war.new_units(["gm", "gm"])
    war = war.with_panel(BESIDE, garrison=guards)
    war = war.with_forces(
        replace(war.forces["22nd Squadron"], at=SOUTH), replace(war.forces["1st Fleet"], at=Hex(2, 0))
    )
    return after(war, MoveForce(actor="Cid", who="22nd Squadron", path=("N",)), by=by)


def _found_colony(_by: Rules) -> War:
    war = after(_add_guards(wars.go_rogue()), MoveForce(actor="Bob", who="11th Squadron", path=("N",)))
    return after(war, FightAction(at=wars.COLONY, order=Withdraw("E")))


def _conquer_colony(by: Rules) -> War:
    war = _add_guards(start_war(by), by)
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(0, -2)))
    war = after(war, MoveForce(actor="Cid", who="2nd Fleet", path=("NE",)), by=by)
    return after(war, FightAction(at=wars.COLONY, order=Withdraw("E")), by=by)


@pytest.mark.parametrize(
    ("victory", "switches"),
    [(_found_colony, None), (_conquer_colony, lambda data: data.update(switches={"guarded-adjacent": False}))],
)
def test_a_panel_that_is_fought_for_is_the_winners_of_that_battle(
    victory: Callable[[Rules], War], switches: Callable[[dict[str, Any]], None] | None
) -> None:
    """C3, AMB-17, AMB-31: guards keep a panel they win."""
    by = wars.rules(switches)
    war = victory(by)
    owner = war.panels[wars.COLONY].owner
    assert owner in {"R1", "Z"}
    assert {war.panels[at].owner for at in neighbours(wars.COLONY) if at in war.panels and at != BESIDE} == {owner}
    guards = war.battles[BESIDE].garrison
    assert {unit.id for unit in war.panels[BESIDE].garrison} == guards
    assert find_misfits(by, war, EMPTY) == []
    war = after(war, FightAction(at=BESIDE, order=Withdraw("Z")), by=by)
    to = next(iter(list_retreats(by, war, BESIDE, war.forces["22nd Squadron"])), None)
    war = after(war, Retreat(who="22nd Squadron", to=to), by=by)
    assert war.panels[BESIDE].owner == "E"
    assert {unit.id for unit in war.panels[BESIDE].garrison} == guards


def test_a_wish_to_be_taken_in_ends_with_the_faction_that_was_asked() -> None:
    """R9: the next faction with its id owes no answer."""
    war = after(wars.win_colony(), Rogue(actor="Dan", player="Dan"))
    war = after(war, Petition(actor="Dan", player="Dan", faction="R1"), SetOwner(at=wars.COLONY, faction="E"))
    assert "R1" not in war.factions
    war, again = create_rogue_faction(RULES, war, "Bob")
    assert again == "R1"
    assert not [*list_pending(RULES, war, again)]
    assert wars.find_code(war, Admit(actor="Bob", player="Dan", takes=True)) == "E_NO_TARGET"


def test_a_second_faction_of_a_rogue_makes_what_the_first_one_made() -> None:
    """R11: models come from the original faction."""
    war = after(
        start_war(),
        Assign(actor="Cid", who="22nd Squadron", player="Dan"),
        Rogue(actor="Dan", player="Dan"),
    )
    for _ in range(2):
        war, faction = create_rogue_faction(RULES, war, "Dan")
        assert (war.factions[faction].origin, war.factions[faction].grunt) == ("Z", "zaku")
        war = after(war, Rogue(actor="Dan", player="Dan"))


FACTORY = Hex(2, -1)


def test_who_fills_a_garrison_up_is_gone_after_the_battle() -> None:
    """R5: extra defenders leave."""
    war = wars.attack_colony()
    battle = war.battles[wars.COLONY]
    assert (len(battle.garrison), len(battle.filled)) == (4, 3)
    war = after(war, FightAction(at=wars.COLONY, order=Withdraw("Bob")))
    war = after(war, Retreat(actor="Bob", who="11th Squadron", to=Hex(0, -2)))
    assert war.panels[wars.COLONY].owner == "E"
    assert {unit.id for unit in war.panels[wars.COLONY].garrison} == battle.garrison - battle.filled


def test_a_rogue_beside_a_garrison_fights_on_its_owners_side() -> None:
    """AMB-21: the owner's leader commands there."""
    war = wars.go_rogue()
    war = war.with_forces(
        replace(war.forces["11th Squadron"], at=wars.COLONY), replace(war.forces["2nd Fleet"], at=Hex(1, -2))
    )
    war = after(war, MoveForce(actor="Cid", who="2nd Fleet", path=("N",)))
    battle = war.battles[wars.COLONY]
    assert (battle.attacker, battle.defender, battle.forces["11th Squadron"]) == ("Z", "E", "E")
    war = after(war, FightAction(actor="Cid", at=wars.COLONY, order=Next("Z")))
    for actor in ("Ann", "Bob"):
        turned = after(war, FightAction(actor=actor, at=wars.COLONY, order=Next("E")))
        assert turned.battles[wars.COLONY].fight.turn == 2
    war = after(war, FightAction(at=wars.COLONY, order=Withdraw("Z")))
    war = after(war, Retreat(who="2nd Fleet", to=Hex(1, -2)))
    assert war.panels[wars.COLONY].owner == "E"
    assert (len(war.panels[wars.COLONY].garrison), war.forces["11th Squadron"].faction) == (1, "Bob")


def test_works_on_land_that_is_cut_off_wait() -> None:
    """U3: they finish once supplied again."""
    war = start_war().with_panel(FACTORY, facility=None)
    war = replace(war, works=(Works("ms_production_facility", "E", FACTORY, war.turn + 1),))
    around = {at: war.panels[at].owner for at in (Hex(3, -2), Hex(2, -2), Hex(3, -1), Hex(1, -1), Hex(1, 0), Hex(2, 0))}
    cut = war
    for at in around:
        cut = cut.with_panel(at, owner="Z")
    cut = after(cut, Advance())
    assert (cut.panels[FACTORY].facility, len(cut.works)) == (None, 1)
    for at, owner in around.items():
        cut = cut.with_panel(at, owner=owner)
    fed = after(cut, Advance())
    assert (fed.panels[FACTORY].facility, fed.works) == ("ms_production_facility", ())
