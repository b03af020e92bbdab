"""What forces are after in wars by chance: lone rogues a stronghold to found a faction on, all others a rogue faction's, or else a capitol."""

from __future__ import annotations

from collections.abc import Sequence

from rules.books.total_war.war import Force, War, is_lone
from rules.geometry.hexes import Hex, distance
from tests.rules.total_war.test_whole_games import RULES


def toward(war: War, name: str, offered: Sequence[str]) -> str | None:
    """Of panels that are offered to a force, the one nearest to what it is after; None where it is after nothing."""
    force = war.forces.get(name)
    goal = None if force is None else _goal(war, force)
    return None if goal is None else min(offered, key=lambda at: distance(Hex.parse(at), goal))


def strongholds(war: War) -> dict[Hex, str]:
    """Colonies and fortresses, with whose they are."""
    return {at: panel.owner for at, panel in war.panels.items() if RULES.kind(panel).stronghold}


def rogues(war: War) -> set[str]:
    """The rogue factions."""
    return {name for name, side in war.factions.items() if side.rogue}


def _goal(war: War, force: Force) -> Hex | None:
    """The nearest panel that a force is after."""
    others = {at: owner for at, owner in strongholds(war).items() if owner != force.faction}
    if not is_lone(war, force.faction):
        seats = [at for at, panel in war.panels.items() if RULES.kind(panel).seat and panel.owner != force.faction]
        others = {at: owner for at, owner in others.items() if owner in rogues(war)} or dict.fromkeys(seats, "")
    return min(others, key=lambda at: (distance(force.at, at), at), default=None)
