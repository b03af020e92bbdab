from __future__ import annotations

import pytest
from msgspec.structs import replace

from rules.books.total_war.aftermath import FightAction, Retreat, list_retreats
from rules.books.total_war.battles import list_retreating
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.rulings.values import PlaceForce
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import Rules, War
from rules.geometry import Hex
from tests.rules.total_war.wars import RULES, after, find_code, go_rogue, rules, start_war

WEAPON, AT, BESIDE = "Solar System", Hex(3, -2), Hex(2, -1)
FREE = rules(lambda data: data.update(switches={"stacking": 0}))
"""The example with unlimited stacking."""
EMPTY = War({}, {}, {})


def _add_garrison(war: War) -> War:
    war, guards = war.new_units(["gm", "gm"])
    return war.with_panel(AT, garrison=guards)


def _add_escort(war: War) -> War:
    guard = replace(war.forces["12th Squadron"], at=AT)
    return war.with_panel(AT, owner="N").with_forces(guard)


def _attack_weapon(war: War, who: str, by: Rules) -> War:
    force = replace(war.forces[who], at=BESIDE)
    return after(war.with_forces(force), MoveForce(actor=force.commander, who=who, path=("NE",)), by=by)


def _let_withdraw(war: War, side: str, by: Rules) -> War:
    war = after(war, FightAction(at=AT, order=Withdraw(side)), by=by)
    while AT in war.battles:
        force = list_retreating(by, war, AT)[0]
        to = next(iter(list_retreats(by, war, AT, force)), None)
        war = after(war, Retreat(who=force.name, to=to), by=by)
    assert not war.battles
    assert find_misfits(by, war, EMPTY) == []
    return war


CASES = [
    (_add_garrison(start_war()), "22nd Squadron", "Z", RULES),
    (_add_garrison(start_war()), "2nd Fleet", "Z", RULES),
    (_add_escort(start_war(FREE)), "22nd Squadron", "Z", FREE),
    (_add_garrison(go_rogue()), "11th Squadron", "Bob", RULES),
]


@pytest.mark.parametrize(("war", "who", "side", "by"), CASES)
def test_a_guarded_superweapon_falls_with_its_panel_alone(war: War, who: str, side: str, by: Rules) -> None:
    """AMB-09, C1: the guards' battle decides."""
    war = _attack_weapon(war, who, by)
    assert find_misfits(by, war, EMPTY) == []
    assert WEAPON not in war.battles[AT].forces
    assert WEAPON in _let_withdraw(war, side, by).forces
    assert WEAPON not in _let_withdraw(war, "E", by).forces


def test_a_superweapon_waits_while_it_is_fought_for() -> None:
    """C2, T6, AMB-09: it gets no orders meanwhile."""
    war = _attack_weapon(_add_garrison(start_war()), "22nd Squadron", RULES)
    assert find_code(war, MoveForce(actor="Ann", who=WEAPON, path=("NW",))) == "E_BATTLE_PENDING"
    assert find_code(war, PlaceForce(who=WEAPON, at=Hex(2, -2))) == "E_BATTLE_PENDING"
    war = _add_garrison(start_war())
    war = war.with_forces(
        replace(war.forces["2nd Fleet"], at=Hex(1, 0)), replace(war.forces["22nd Squadron"], at=BESIDE)
    )
    move = MoveForce(actor="Cid", who="2nd Fleet", path=("NE",), followers=("22nd Squadron",))
    war = after(war.with_panel(Hex(2, -1), facility=None), move)
    assert AT in war.battles
    assert WEAPON in war.forces
