"""Battles that are lost: which forces have to leave (lines 25, 226)."""

from __future__ import annotations

from rules.books.total_war import after
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Battle, Force, Rules, War, is_lone
from rules.geometry.hexes import Hex


def retreating(rules: Rules, war: War, at: Hex) -> list[Force]:
    """Return the forces that have lost a battle and have to say where they go: those of which anything is left, or will come.

    Raises:
        Refused: there is no battle.

    """
    battle = battle_on(war, at)
    if not battle.fight.ended.over:
        return []
    lost = [war.force(name) for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    return [item for item in lost if _has_rest(rules, war, battle, item)]


def battle_on(war: War, at: Hex) -> Battle:
    """Return the battle on a panel.

    Raises:
        Refused: E_NO_TARGET.

    """
    if at not in war.battles:
        raise Refused("E_NO_TARGET", f"There is no battle on {at}.")
    return war.battles[at]


def _has_rest(rules: Rules, war: War, battle: Battle, force: Force) -> bool:
    rest = any(unit.id in battle.fight.units for unit in force.units)
    if rest or is_lone(war, force.faction):
        return rest
    return after.grunts(rules.terms, battle.result(force.name), len(force.units)) > 0
