"""Orders to move, as a war resolves them: each panel taken, followers shifted, battles opened, the war's end looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec.structs import replace

from rules.books.total_war import moving
from rules.books.total_war.deeds import Move
from rules.books.total_war.holding import settled, swept, taken
from rules.books.total_war.opening import opened
from rules.books.total_war.pledging import pledges, ride_of
from rules.books.total_war.ranks import require_own
from rules.books.total_war.routes import mover_of
from rules.books.total_war.war import Rules, War, land_of, require_free
from rules.geometry.hexes import Hex


def marched(rules: Rules, war: War, asked: Move) -> War:
    """Return the war after a force has moved along a path; with squadrons that ride along, as `ridden`.

    Those that have pledged to follow a fleet ride along if they still can.

    Raises:
        Refused: it is not possible.

    """
    force = war.force(asked.who)
    pledged = tuple(item.name for item in pledges(war, force) if item.name not in asked.followers)
    if asked.followers or pledged:
        return ridden(rules, war, replace(asked, followers=(*asked.followers, *pledged)))
    require_own(asked.actor, force.commander, war.commanded_by(force))
    require_free(war, force)
    land = land_of(rules, war, force.faction)
    land = replace(land, friends=land.friends - {force.at})  # it does not stand in its own way, there and back
    made = moving.move(rules.terms, mover_of(force), asked.path, land)
    war = taken(rules, war, made.captured, force.faction)
    war = war.with_forces(replace(force, at=made.at, moved=True))
    war = settled(rules, _come(war, force.faction, [made.at], {made.fights}))
    return war if made.fights is None else opened(rules, war, made.fights, force.faction)


def ridden(rules: Rules, war: War, asked: Move) -> War:
    """Return the war after a fleet has moved with squadrons that ride along; the fleet's battle opens first, then theirs."""
    fleet, riders, path = war.force(asked.who), [war.force(each) for each in asked.followers], asked.path
    require_own(asked.actor, fleet.commander, war.commanded_by(fleet))
    made, ends = ride_of(rules, war, fleet, riders, path)
    war = taken(rules, war, made.captured, fleet.faction)
    shifted = [replace(item, at=ends[item.name].at, tagged=True, forced=ends[item.name].fights) for item in riders]
    war = war.with_forces(replace(fleet, at=made.at, moved=True), *shifted)
    fought = [made.fights, *(item.at for item in shifted if item.forced)]
    war = settled(rules, _come(war, fleet.faction, [made.at, *(item.at for item in shifted)], fought))
    return _all_opened(rules, war, fleet.faction, fought)


def _come(war: War, faction: str, ends: Iterable[Hex], fought: Collection[Hex | None]) -> War:
    """Return the war without superweapons where forces have come to and nobody defends them; the others fall with their panel (AMB-09)."""
    return swept(war, [at for at in ends if at not in fought], faction)


def _all_opened(rules: Rules, war: War, faction: str, panels: Iterable[Hex | None]) -> War:
    for panel in panels:
        if panel is not None:
            war = opened(rules, war, panel, faction)
    return war
