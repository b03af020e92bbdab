"""What forces are after in wars by chance: lone rogues a stronghold to found a faction on, all others a rogue faction's, or else a capitol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.books.total_war.war import Force, War, is_lone
from rules.geometry.hexes import Hex, distance
from tests.rules.total_war.test_whole_games import RULES


def toward(war: War, name: str, offered: Sequence[str], *, lasts: bool = False) -> str | None:
    """Of panels that are offered to a force, the one nearest to what it is after; None where it is after nothing.

    In a war that `lasts` that is nothing with which its faction would have won.
    """
    force = war.forces.get(name)
    goal = None if force is None else _goal(war, force, lasts=lasts)
    return None if goal is None else min(offered, key=lambda at: distance(Hex.parse(at), goal))


def rogues(war: War) -> set[str]:
    """The rogue factions."""
    return {name for name, side in war.factions.items() if side.rogue}


def spared(war: War, name: str) -> set[str]:
    """The panels with which a force would win the war for its faction."""
    force = war.forces.get(name)
    ends = RULES.scenario.victory.ends
    return {str(side.seat) for whose, side in war.factions.items() if force and ends.get(whose) == force.faction}


def fallen(war: War) -> set[str]:
    """The factions whose capitol is somebody else's."""
    return {name for name, side in war.factions.items() if side.seat and war.panels[side.seat].owner != name}


def awaited(war: War) -> set[str]:
    """The factions whose leaders have still to say whether the war ends with a capitol that has fallen."""
    return set() if war.asked is None else {war.asked, RULES.scenario.victory.asks[war.asked]} - war.answers.keys()


def _goal(war: War, force: Force, *, lasts: bool) -> Hex | None:
    """The nearest panel that a force is after; in a war that `lasts` fleets are after capitols rather than after rogues."""
    held = {at for at, panel in war.panels.items() if RULES.kind(panel).stronghold and panel.owner != force.faction}
    if is_lone(war, force.faction):
        return _nearest(force, held)
    seats = {at for at, panel in war.panels.items() if RULES.kind(panel).seat and panel.owner != force.faction}
    rogue = {at for at in held if war.panels[at].owner in rogues(war)}
    if lasts:
        seats = {at for at in seats if str(at) not in spared(war, force.name)}
    if lasts and force.kind == "fleet":
        return _nearest(force, seats or rogue)
    return _nearest(force, rogue or seats)


def _nearest(force: Force, places: Iterable[Hex]) -> Hex | None:
    return min(places, key=lambda at: (distance(force.at, at), at), default=None)
