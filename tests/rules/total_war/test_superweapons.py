"""Superweapons that are guarded: who comes for one has to beat its guards, and it falls with its panel alone (AMB-09)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.aftermath import list_retreats
from rules.books.total_war.battles import retreating_forces
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import Rules, War
from rules.geometry import Hex
from tests.rules.total_war.wars import RULES, after, code, rogue, rules, started

WEAPON, AT, BESIDE = "Solar System", Hex(3, -2), Hex(2, -1)
FREE = rules(lambda data: data.update(switches={"stacking": 0}))
"""The example where a panel holds any number of forces."""
EMPTY = War({}, {}, {})


def garrisoned(war: War) -> War:
    """The war with a garrison beside the superweapon of the Federation."""
    war, guards = war.new_units(["gm", "gm"])
    return war.with_panel(AT, garrison=guards)


def escorted(war: War) -> War:
    """The war with a squadron beside it, on land of nobody."""
    guard = replace(war.forces["12th Squadron"], at=AT)
    return war.with_panel(AT, owner="N").with_forces(guard)


def coming(war: War, who: str, by: Rules) -> War:
    """The war after a force has attacked the panel of the superweapon."""
    force = replace(war.forces[who], at=BESIDE)
    return after(war.with_forces(force), actions.Move(actor=force.commander, who=who, path=("NE",)), by=by)


def left(war: War, side: str, by: Rules) -> War:
    """The war after a side has withdrawn from that battle, and its forces have gone."""
    war = after(war, actions.FightAction(at=AT, order=Withdraw(side)), by=by)
    while AT in war.battles:
        force = retreating_forces(by, war, AT)[0]
        to = next(iter(list_retreats(by, war, AT, force)), None)
        war = after(war, actions.Retreat(who=force.name, to=to), by=by)
    assert not war.battles
    assert find_misfits(by, war, EMPTY) == []
    return war


CASES = [
    (garrisoned(started()), "22nd Squadron", "Z", RULES),
    (garrisoned(started()), "2nd Fleet", "Z", RULES),
    (escorted(started(FREE)), "22nd Squadron", "Z", FREE),
    (garrisoned(rogue()), "11th Squadron", "Bob", RULES),
]


@pytest.mark.parametrize(("war", "who", "side", "by"), CASES)
def test_a_guarded_superweapon_falls_with_its_panel_alone(war: War, who: str, side: str, by: Rules) -> None:
    """AMB-09, C1: it stays while there is a fight for it, survives a beaten attack, and is lost to whoever wins, be it a lone rogue."""
    war = coming(war, who, by)
    assert find_misfits(by, war, EMPTY) == []
    assert WEAPON not in war.battles[AT].forces
    assert WEAPON in left(war, side, by).forces
    assert WEAPON not in left(war, "E", by).forces


def test_a_superweapon_waits_while_it_is_fought_for() -> None:
    """C2, T6, AMB-09: whoever has attacked it first is beaten or wins, till then it has no order, nor is it placed elsewhere; a follower into a guarded panel opens a fight there too."""
    war = coming(garrisoned(started()), "22nd Squadron", RULES)
    assert code(war, actions.Move(actor="Ann", who=WEAPON, path=("NW",))) == "E_BATTLE_PENDING"
    assert code(war, actions.PlaceForce(who=WEAPON, at=Hex(2, -2))) == "E_BATTLE_PENDING"
    war = garrisoned(started())
    war = war.with_forces(
        replace(war.forces["2nd Fleet"], at=Hex(1, 0)), replace(war.forces["22nd Squadron"], at=BESIDE)
    )
    move = actions.Move(actor="Cid", who="2nd Fleet", path=("NE",), followers=("22nd Squadron",))
    war = after(war.with_panel(Hex(2, -1), facility=None), move)
    assert AT in war.battles
    assert WEAPON in war.forces
