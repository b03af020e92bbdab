"""Squadrons that ride along with a fleet: who has pledged to, and where the ride would take them (lines 32 to 44)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from rules.books.total_war import moving
from rules.books.total_war.catalog import Piece
from rules.books.total_war.deeds import Follow
from rules.books.total_war.moving import Follower, Ride, Rider
from rules.books.total_war.ranks import require_own
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Force, Rules, War, land_of, require_free
from rules.geometry.hexes import distance


def followed(rules: Rules, war: War, asked: Follow) -> War:
    """Return the war with a squadron that has pledged to ride along with a fleet in this turn (line 32).

    Raises:
        Refused: it is somebody else's, has moved, or is not beside an allied fleet that is still to move.

    """
    force, fleet = war.force(asked.who), war.force(asked.fleet)
    require_own(asked.actor, force.commander, war.commanded_by(force))
    require_free(war, force)
    _require_follow(rules, fleet, [force])
    if force.moved or force.tagged:
        raise Refused("E_ALREADY_MOVED", f"{force.name} has already moved this turn.")
    moving.require_beside(Rider(force.name, force.at, force.faction), fleet.at, fleet.faction)
    require_free(war, fleet)
    if fleet.moved:
        raise Refused("E_ALREADY_MOVED", f"{fleet.name} has already moved this turn, so no squadron can ride along.")
    most, others = rules.terms.number("followers"), [item for item in pledges(war, fleet) if item.name != force.name]
    if len(others) >= most:
        raise Refused(
            "E_TAG_LIMIT", f"{len(others)} squadrons already follow {fleet.name}, the most allowed is {most}."
        )
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


def ride_of(
    rules: Rules, war: War, fleet: Force, riders: Sequence[Force], path: Sequence[str]
) -> tuple[moving.Move, dict[str, Follower]]:
    """Return what a fleet's way comes to with squadrons that ride along, and where each of them ends.

    Raises:
        Refused: it is not possible.

    """
    for force in (fleet, *riders):
        require_free(war, force)
    _require_follow(rules, fleet, riders)
    if fleet.moved:
        raise Refused("E_ALREADY_MOVED", f"{fleet.name} has already moved this turn.")
    if len({*path}) > 1:
        raise Refused("E_NOT_STRAIGHT", f"A fleet moves in one direction. {', '.join(path)} turns.")
    beside = tuple(Rider(item.name, item.at, item.faction, item.moved or item.tagged) for item in riders)
    ride = Ride(fleet.at, path[0] if path else "N", len(path), beside)
    return moving.ride(rules.terms, ride, land_of(rules, war, fleet.faction))


def _require_follow(rules: Rules, fleet: Force, riders: Iterable[Force]) -> None:
    if not rules.terms.of(Piece, fleet.kind).takes_passing:
        raise Refused("E_NOT_ALLIED", f"{fleet.name} isn't a fleet, so no squadron can ride along.")
    for item in riders:
        if not rules.terms.of(Piece, item.kind).follows:
            raise Refused("E_NOT_ALLIED", f"{item.name} isn't a squadron, so it can't ride along.", who=item.name)
