"""Panels that beaten forces have chosen: nobody else comes there before their battle is over."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.aftermath import retreats
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.war import War, land_of
from rules.geometry import Hex
from tests.rules.total_war.wars import after, code, rules, started

FREELY = rules(lambda data: data.setdefault("switches", {}).update(stacking=0))
BATTLE, CHOSEN, OTHER = Hex(1, -2), Hex(0, -1), Hex(-1, 0)


def beaten() -> War:
    """A war of any number of forces on a panel: two of the Federation's have lost, one goes to 0,-1, the other has not said where; Zeon has lost beside that."""
    war = started(FREELY)
    places = {"11th Squadron": BATTLE, "12th Squadron": BATTLE, "2nd Fleet": Hex(1, -1), "22nd Squadron": OTHER}
    places |= {"1st Fleet": Hex(-1, -1), "21st Squadron": Hex(0, 0)}
    war = war.with_forces(*(replace(war.forces[name], at=at) for name, at in places.items()))
    return after(
        war,
        actions.Move(who="2nd Fleet", path=("N",)),
        actions.Move(who="1st Fleet", path=("S",)),
        actions.FightAction(at=BATTLE, order=Withdraw("E")),
        actions.FightAction(at=OTHER, order=Withdraw("Z")),
        actions.Retreat(who="11th Squadron", to=CHOSEN),
        by=FREELY,
    )


def test_nobody_else_comes_where_a_beaten_force_goes() -> None:
    """AMB-06, AMB-10, C1: neither in retreat, nor by a move, nor put there by a game master; once the beaten force stands there it is entered as any, and an enemy who does that fights."""
    war = beaten()
    assert {*war.battles} == {BATTLE, OTHER}
    assert CHOSEN not in retreats(FREELY, war, OTHER, war.forces["22nd Squadron"])
    assert code(war, actions.Move(who="21st Squadron", path=("N",)), FREELY) == "E_BATTLE_PENDING"
    assert code(war, actions.PlaceForce(who="21st Squadron", at=CHOSEN), FREELY) == "E_BATTLE_PENDING"
    assert land_of(FREELY, war, "Z").reserved == {CHOSEN}
    war = after(beaten(), actions.Retreat(who="12th Squadron", to=Hex(0, -2)), by=FREELY)
    assert war.forces["11th Squadron"].at == CHOSEN
    assert CHOSEN in after(war, actions.Move(who="21st Squadron", path=("N",)), by=FREELY).battles
