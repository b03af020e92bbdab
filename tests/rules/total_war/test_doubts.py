"""Where the page is silent: garrisons that are filled up, rogues beside a garrison, and works on land that is cut off."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.fight import Next, Withdraw
from rules.books.total_war.war import Works
from rules.geometry import Hex
from tests.rules.total_war.wars import COLONY, after, attacked, rogue, started

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
