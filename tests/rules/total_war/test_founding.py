"""Rogue factions that are founded, and where the page is silent: filled garrisons, rogues beside one, works that are cut off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.aftermath import list_retreats
from rules.books.total_war.capture import found_faction
from rules.books.total_war.fight import Next, Withdraw
from rules.books.total_war.orders.membership import pending_answers
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import Rules, War, Works
from rules.geometry import Hex, neighbours
from tests.rules.total_war.wars import COLONY, RULES, after, attacked, code, rogue, rules, started, won

OTHER = Hex(3, 0)
"""A colony that nobody owns."""
BESIDE, SOUTH = Hex(2, -3), Hex(2, -2)
"""A panel beside the colony, and the one to its south."""
EMPTY = War({}, {}, {})


def twice_attacked() -> War:
    """A war in which Bob, a lone rogue, attacks two colonies at once."""
    given = [actions.Assign(actor="Ann", who=who, player="Bob") for who in ("11th Squadron", "12th Squadron")]
    war = after(
        started(), actions.SetRank(player="Bob", rank="Captain"), *given, actions.Rogue(actor="Bob", player="Bob")
    )
    north = actions.Move(actor="Bob", who="11th Squadron", path=("N",))
    return after(war, north, actions.Move(actor="Bob", who="12th Squadron", path=("S",)))


@pytest.mark.parametrize("first", [(COLONY, "E"), (OTHER, "N")])
def test_a_rogue_who_wins_two_strongholds_at_once_founds_one_faction(first: tuple[Hex, str]) -> None:
    """R4, R6: the first victory founds it with all six around, the second one is that faction's, and takes its panel alone."""
    second = next(each for each in ((COLONY, "E"), (OTHER, "N")) if each != first)
    war = twice_attacked()
    for at, beaten in (first, second):
        war = after(war, actions.FightAction(at=at, order=Withdraw(beaten)))
    assert [name for name, side in war.factions.items() if side.rogue] == ["R1"]
    assert (war.factions["R1"].leader, war.players["Bob"].faction) == ("Bob", "R1")
    assert {item.faction for item in war.forces.values() if item.commander == "Bob"} == {"R1"}
    assert {war.panels[at].owner for at in (COLONY, OTHER)} == {"R1"}
    assert war.panels[second[0].step("NW")].owner != "R1"
    assert find_misfits(RULES, war, EMPTY) == []


def guarded(war: War, by: Rules = RULES) -> War:
    """The same war with two guards beside the colony, whom the 22nd Squadron of Zeon attacks."""
    war, guards = war.new_units(["gm", "gm"])
    war = war.with_panel(BESIDE, garrison=guards)
    war = war.with_forces(
        replace(war.forces["22nd Squadron"], at=SOUTH), replace(war.forces["1st Fleet"], at=Hex(2, 0))
    )
    return after(war, actions.Move(actor="Cid", who="22nd Squadron", path=("N",)), by=by)


def founded(_by: Rules) -> War:
    """Bob has founded a faction on the colony while the guards beside it fight."""
    war = after(guarded(rogue()), actions.Move(actor="Bob", who="11th Squadron", path=("N",)))
    return after(war, actions.FightAction(at=COLONY, order=Withdraw("E")))


def conquered(by: Rules) -> War:
    """Zeon's fleet has won on the colony while the guards beside it fight."""
    war = guarded(started(by), by)
    war = war.with_forces(replace(war.forces["2nd Fleet"], at=Hex(0, -2)))
    war = after(war, actions.Move(actor="Cid", who="2nd Fleet", path=("NE",)), by=by)
    return after(war, actions.FightAction(at=COLONY, order=Withdraw("E")), by=by)


@pytest.mark.parametrize(
    ("victory", "switches"),
    [(founded, None), (conquered, lambda data: data.update(switches={"guarded-adjacent": False}))],
)
def test_a_panel_that_is_fought_for_is_the_winners_of_that_battle(
    victory: Callable[[Rules], War], switches: Callable[[dict[str, Any]], None] | None
) -> None:
    """C3, AMB-17, AMB-31: whatever else falls around a victory, guards who are in a battle keep their panel if they win it."""
    by = rules(switches)
    war = victory(by)
    owner = war.panels[COLONY].owner
    assert owner in {"R1", "Z"}
    assert {war.panels[at].owner for at in neighbours(COLONY) if at in war.panels and at != BESIDE} == {owner}
    guards = war.battles[BESIDE].garrison
    assert {unit.id for unit in war.panels[BESIDE].garrison} == guards
    assert find_misfits(by, war, EMPTY) == []
    war = after(war, actions.FightAction(at=BESIDE, order=Withdraw("Z")), by=by)
    to = next(iter(list_retreats(by, war, BESIDE, war.forces["22nd Squadron"])), None)
    war = after(war, actions.Retreat(who="22nd Squadron", to=to), by=by)
    assert war.panels[BESIDE].owner == "E"
    assert {unit.id for unit in war.panels[BESIDE].garrison} == guards


def test_a_wish_to_be_taken_in_ends_with_the_faction_that_was_asked() -> None:
    """R9: the next faction bears the same id, and owes no answer to whoever has asked the one before."""
    war = after(won(), actions.Rogue(actor="Dan", player="Dan"))
    war = after(
        war, actions.Petition(actor="Dan", player="Dan", faction="R1"), actions.SetOwner(at=COLONY, faction="E")
    )
    assert "R1" not in war.factions
    war, again = found_faction(RULES, war, "Bob")
    assert again == "R1"
    assert not [*pending_answers(RULES, war, again)]
    assert code(war, actions.Admit(actor="Bob", player="Dan", takes=True)) == "E_NO_TARGET"


def test_a_second_faction_of_a_rogue_makes_what_the_first_one_made() -> None:
    """R11: who leaves a rogue faction is still of the faction of the start that they have left, and its models are theirs."""
    war = after(
        started(),
        actions.Assign(actor="Cid", who="22nd Squadron", player="Dan"),
        actions.Rogue(actor="Dan", player="Dan"),
    )
    for _ in range(2):
        war, faction = found_faction(RULES, war, "Dan")
        assert (war.factions[faction].origin, war.factions[faction].grunt) == ("Z", "zaku")
        war = after(war, actions.Rogue(actor="Dan", player="Dan"))


FACTORY = Hex(2, -1)


def test_who_fills_a_garrison_up_is_gone_after_the_battle() -> None:
    """R5: basic units make it a full squadron against a lone rogue; beaten, he leaves the garrison that there was."""
    war = attacked()
    battle = war.battles[COLONY]
    assert (len(battle.garrison), len(battle.filled)) == (4, 3)
    war = after(war, actions.FightAction(at=COLONY, order=Withdraw("Bob")))
    war = after(war, actions.Retreat(actor="Bob", who="11th Squadron", to=Hex(0, -2)))
    assert war.panels[COLONY].owner == "E"
    assert {unit.id for unit in war.panels[COLONY].garrison} == battle.garrison - battle.filled


def test_a_rogue_beside_a_garrison_fights_on_its_owners_side() -> None:
    """AMB-21: Zeon attacks a colony of the Federation on which a rogue stands; the Federation's leader commands there, and the land stays its own."""
    war = rogue()
    war = war.with_forces(
        replace(war.forces["11th Squadron"], at=COLONY), replace(war.forces["2nd Fleet"], at=Hex(1, -2))
    )
    war = after(war, actions.Move(actor="Cid", who="2nd Fleet", path=("N",)))
    battle = war.battles[COLONY]
    assert (battle.attacker, battle.defender, battle.forces["11th Squadron"]) == ("Z", "E", "E")
    war = after(war, actions.FightAction(actor="Cid", at=COLONY, order=Next("Z")))
    for actor in ("Ann", "Bob"):
        assert after(war, actions.FightAction(actor=actor, at=COLONY, order=Next("E"))).battles[COLONY].fight.turn == 2
    war = after(war, actions.FightAction(at=COLONY, order=Withdraw("Z")))
    war = after(war, actions.Retreat(who="2nd Fleet", to=Hex(1, -2)))
    assert war.panels[COLONY].owner == "E"
    assert (len(war.panels[COLONY].garrison), war.forces["11th Squadron"].faction) == (1, "Bob")


def test_works_on_land_that_is_cut_off_wait() -> None:
    """U3: what was begun in supply is not finished on cut-off land, and is in the first turn that ends with it supplied again."""
    war = started().with_panel(FACTORY, facility=None)
    war = replace(war, works=(Works("ms_production_facility", "E", FACTORY, war.turn + 1),))
    around = {at: war.panels[at].owner for at in (Hex(3, -2), Hex(2, -2), Hex(3, -1), Hex(1, -1), Hex(1, 0), Hex(2, 0))}
    cut = war
    for at in around:
        cut = cut.with_panel(at, owner="Z")
    cut = after(cut, actions.Advance())
    assert (cut.panels[FACTORY].facility, len(cut.works)) == (None, 1)
    for at, owner in around.items():
        cut = cut.with_panel(at, owner=owner)
    fed = after(cut, actions.Advance())
    assert (fed.panels[FACTORY].facility, fed.works) == ("ms_production_facility", ())
