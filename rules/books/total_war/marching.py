"""Orders to move, as a war resolves them: each panel taken, followers shifted, battles opened, the war's end looked for."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rules.books.total_war import moving
from rules.books.total_war.catalog import Piece
from rules.books.total_war.deeds import Move
from rules.books.total_war.holding import settled, swept, taken
from rules.books.total_war.moving import Ride, Rider
from rules.books.total_war.opening import opened
from rules.books.total_war.ranks import require_own
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Force, Rules, War, land_of, require_free
from rules.geometry.hexes import Hex


def marched(rules: Rules, war: War, asked: Move) -> War:
    """Return the war after a force has moved along a path; with squadrons that ride along, as `ridden`.

    Raises:
        Refused: it is not possible.

    """
    if asked.followers:
        return ridden(rules, war, asked)
    force = war.force(asked.who)
    require_own(asked.actor, force.commander)
    require_free(war, force)
    mover = moving.Force(force.kind, force.at, force.moved, force.tagged, force.forced)
    land = land_of(rules, war, force.faction)
    land = replace(land, friends=land.friends - {force.at})  # it does not stand in its own way, there and back
    made = moving.move(rules.terms, mover, asked.path, land)
    war = taken(rules, war, made.captured, force.faction)
    war = swept(war.with_forces(replace(force, at=made.at, moved=True)), [made.at], force.faction)
    war = settled(rules, war)
    return war if made.fights is None else opened(rules, war, made.fights, force.faction)


def ridden(rules: Rules, war: War, asked: Move) -> War:
    """Return the war after a fleet has moved with squadrons that ride along; the fleet's battle opens first, then theirs.

    Raises:
        Refused: it is not possible.

    """
    fleet, riders, path = war.force(asked.who), [war.force(each) for each in asked.followers], asked.path
    require_own(asked.actor, fleet.commander)
    for force in (fleet, *riders):
        require_free(war, force)
    _require_follow(rules, fleet, riders)
    if fleet.moved:
        raise Refused("E_ALREADY_MOVED", f"{fleet.name} has moved in this turn.")
    if len({*path}) > 1:
        raise Refused("E_NOT_STRAIGHT", f"A fleet moves in one direction: {', '.join(path)} turns.")
    beside = tuple(Rider(item.name, item.at, item.faction, item.moved or item.tagged) for item in riders)
    ride = Ride(fleet.at, path[0] if path else "N", len(path), beside)
    made, ends = moving.ride(rules.terms, ride, land_of(rules, war, fleet.faction))
    war = taken(rules, war, made.captured, fleet.faction)
    shifted = [replace(item, at=ends[item.name].at, tagged=True, forced=ends[item.name].fights) for item in riders]
    war = war.with_forces(replace(fleet, at=made.at, moved=True), *shifted)
    war = settled(rules, swept(war, [made.at, *(item.at for item in shifted)], fleet.faction))
    return _all_opened(rules, war, fleet.faction, [made.fights, *(item.at for item in shifted if item.forced)])


def _require_follow(rules: Rules, fleet: Force, riders: Iterable[Force]) -> None:
    if not rules.terms.of(Piece, fleet.kind).takes_passing:
        raise Refused("E_NOT_ALLIED", f"{fleet.name} is no fleet: nobody rides along with it.")
    for item in riders:
        if not rules.terms.of(Piece, item.kind).follows:
            raise Refused("E_NOT_ALLIED", f"{item.name} is no squadron: it does not ride along.", who=item.name)


def _all_opened(rules: Rules, war: War, faction: str, panels: Iterable[Hex | None]) -> War:
    for panel in panels:
        if panel is not None:
            war = opened(rules, war, panel, faction)
    return war
