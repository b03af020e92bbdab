"""Battles that are lost: which forces have to leave (lines 25, 226)."""

from __future__ import annotations

from rules.books.total_war import after
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Battle, Force, Rules, War, is_lone
from rules.geometry.hexes import Hex


def retreating(rules: Rules, war: War, at: Hex) -> list[Force]:
    """Return the forces that have lost a battle and have to say where they go: those of which anything is left, or will come."""
    battle = battle_on(war, at)
    if not battle.fight.ended.over:
        return []
    lost = [war.force(name) for name in battle.forces if battle.result(name) != "won" and name not in battle.retreats]
    return [item for item in lost if _has_rest(rules, war, battle, item)]


def battle_on(war: War, at: Hex) -> Battle:
    """Return the battle on a panel."""
    if at not in war.battles:
        raise Refused("E_NO_TARGET", f"No battle is on at {at}.")
    return war.battles[at]


def _has_rest(rules: Rules, war: War, battle: Battle, force: Force) -> bool:
    return _is_left(battle, force) or relief(rules, war, battle, force) > 0


def why_retreats(rules: Rules, war: War, at: Hex, force: Force) -> str:
    """Return why a beaten force has to retreat of which all units fell: the basic units that it gets; nothing of one that has units left."""
    battle = battle_on(war, at)
    count = 0 if _is_left(battle, force) else relief(rules, war, battle, force)
    if not count:
        return ""
    return f"It lost all its units and gets {count} {war.factions[force.faction].grunt} where it retreats to, unless cut off there."


def _is_left(battle: Battle, force: Force) -> bool:
    return any(unit.id in battle.fight.units for unit in force.units)


def relief(rules: Rules, war: War, battle: Battle, force: Force) -> int:
    """Return how many basic units a force gets for those that it has lost; a lone rogue's gets none."""
    if is_lone(war, force.faction):
        return 0
    lost = sum(unit.id not in battle.fight.units for unit in force.units)
    return after.grunts(rules.terms, battle.result(force.name), lost)
