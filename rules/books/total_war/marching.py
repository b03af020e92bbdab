"""Orders to move, as a war resolves them: each panel taken, followers shifted, battles opened, the war's end looked for."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from rules.books.total_war import moving
from rules.books.total_war.catalog import Piece
from rules.books.total_war.deeds import Follow, Move
from rules.books.total_war.holding import settled, swept, taken
from rules.books.total_war.moving import Ride, Rider
from rules.books.total_war.opening import opened
from rules.books.total_war.ranks import require_own
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Force, Rules, War, land_of, require_free
from rules.geometry.hexes import Hex, distance


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


def followed(rules: Rules, war: War, asked: Follow) -> War:
    """Return the war with a squadron that has pledged to ride along with a fleet in this turn (line 32).

    Raises:
        Refused: it is somebody else's, has moved, or is not beside an allied fleet that is still to move.

    """
    force, fleet = war.force(asked.who), war.force(asked.fleet)
    require_own(asked.actor, force.commander)
    require_free(war, force)
    _require_follow(rules, fleet, [force])
    if force.moved or force.tagged:
        raise Refused("E_ALREADY_MOVED", f"{force.name} has moved in this turn.")
    moving.require_beside(Rider(force.name, force.at, force.faction), fleet.at, fleet.faction)
    require_free(war, fleet)
    if fleet.moved:
        raise Refused("E_ALREADY_MOVED", f"{fleet.name} has moved in this turn: nobody rides along any more.")
    most, others = rules.terms.number("followers"), [item for item in pledges(war, fleet) if item.name != force.name]
    if len(others) >= most:
        raise Refused("E_TAG_LIMIT", f"{len(others)} squadrons follow {fleet.name}, and {most} can at most.")
    return war.with_forces(replace(force, follows=fleet.name))


def pledges(war: War, fleet: Force) -> list[Force]:
    """Return the squadrons that have pledged to follow a fleet and still can: free, beside it, and not moved."""
    fighting = {name for battle in war.battles.values() for name in battle.forces}
    return [
        item
        for item in war.forces.values()
        if item.follows == fleet.name
        and item.faction == fleet.faction
        and not (item.moved or item.tagged)
        and item.name not in fighting
        and distance(item.at, fleet.at) == 1
    ]


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
