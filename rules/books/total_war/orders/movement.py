"""Orders to forces on the map: to move, with squadrons that ride along, and to follow a fleet (lines 17 to 44)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import NoReturn

from msgspec.structs import replace

from rules.books.total_war import movement
from rules.books.total_war.battles import open_battle
from rules.books.total_war.capture import dissolve_rogues, remove_superweapons, take_panels
from rules.books.total_war.catalog import Piece
from rules.books.total_war.land import Land, are_enemies
from rules.books.total_war.movement import Follower, MoveResult, move_force, reachable_panels, starts_fight
from rules.books.total_war.order_kinds import FOLLOW, MOVE
from rules.books.total_war.order_text import (
    OrderText,
    WarOrder,
    find_name,
    is_said,
    parse_panel,
    read_name,
    require_text,
)
from rules.books.total_war.ranks import require_own
from rules.books.total_war.terms import Refused, refuse_off_map
from rules.books.total_war.war import Force, Rules, War, WarAction, land_of, require_free
from rules.geometry import DIRECTIONS, Hex, bearing, hex_distance, neighbours

_PAIR = re.compile(r"[+-]?[0-9]{1,4}\s*,\s*[+-]?[0-9]{1,4}")
_BETWEEN = re.compile(r"[\s>;→-]*")
_SIGNS = re.compile(r"[\s,>;→-]+")
_LONGEST = 40
"""Steps of a path that are read at most, far more than any piece goes."""


class Move(WarAction, frozen=True):
    """A force moves along a path; `followers` are squadrons that ride along with a fleet, beside those that have pledged to."""

    who: str
    path: tuple[str, ...]
    followers: tuple[str, ...] = ()

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war after the move: panels taken, superweapons swept away, battles opened."""
        force = war.force(self.who)
        riders = [war.force(each) for each in self.followers]
        riders += [item for item in pledges(war, force) if item not in riders]
        require_own(self.actor, force.commander, war.commanded_by(force))
        if riders:
            return _ride(rules, war, force, riders, self.path)
        require_free(war, force)
        land = land_of(rules, war, force.faction)
        land = replace(land, friends=land.friends - {force.at})  # it does not stand in its own way, there and back
        made = move_force(rules.terms, force, self.path, land)
        war = take_panels(rules, war, made.captured, force.faction)
        war = war.with_forces(replace(force, at=made.at, moved=True))
        return _come(rules, war, force.faction, [made.at], [made.fights])


class Follow(WarAction, frozen=True):
    """A squadron's commander pledges that it rides along with a fleet, which takes it along when it moves (AMB-16).

    `after` is the panel to which it goes on then, by an order of its own.
    """

    who: str
    fleet: str
    after: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the pledge, for this turn (line 32)."""
        force, fleet = war.force(self.who), war.force(self.fleet)
        require_own(self.actor, force.commander, war.commanded_by(force))
        require_free(war, force)
        _require_follow(rules, fleet, [force])
        if force.moved or force.tagged:
            raise Refused("E_ALREADY_MOVED", f"{force.name} has already moved this turn.")
        movement.require_beside(force, fleet.at, fleet.faction)
        require_free(war, fleet)
        if fleet.moved:
            raise Refused(
                "E_ALREADY_MOVED", f"{fleet.name} has already moved this turn, so no squadron can ride along."
            )
        most, others = rules.terms.number("followers"), [item for item in pledges(war, fleet) if item != force]
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
        and hex_distance(item.at, fleet.at) == 1
    ]


def ride_of(
    rules: Rules, war: War, fleet: Force, riders: Sequence[Force], path: Sequence[str]
) -> tuple[movement.MoveResult, dict[str, Follower]]:
    """Return what a fleet's way comes to with squadrons that ride along, and where each of them ends."""
    for force in (fleet, *riders):
        require_free(war, force)
    _require_follow(rules, fleet, riders)
    if fleet.moved:
        raise Refused("E_ALREADY_MOVED", f"{fleet.name} has already moved this turn.")
    if len({*path}) > 1:
        raise Refused("E_NOT_STRAIGHT", f"A fleet moves in one direction. {', '.join(path)} turns.")
    way = (path[0] if path else "N", len(path))
    return movement.ride_along(rules.terms, fleet.at, way, riders, land_of(rules, war, fleet.faction))


def _require_follow(rules: Rules, fleet: Force, riders: Iterable[Force]) -> None:
    if not rules.terms.of(Piece, fleet.kind).takes_passing:
        raise Refused("E_NOT_ALLIED", f"{fleet.name} isn't a fleet, so no squadron can ride along.")
    for item in riders:
        if not rules.terms.of(Piece, item.kind).follows:
            raise Refused("E_NOT_ALLIED", f"{item.name} isn't a squadron, so it can't ride along.", who=item.name)


def _ride(rules: Rules, war: War, fleet: Force, riders: Sequence[Force], path: Sequence[str]) -> War:
    """Return the war after a fleet has moved with squadrons that ride along; the fleet's battle opens first, then theirs."""
    made, ends = ride_of(rules, war, fleet, riders, path)
    war = take_panels(rules, war, made.captured, fleet.faction)
    shifted = [replace(item, at=ends[item.name].at, tagged=True, forced=ends[item.name].fights) for item in riders]
    war = war.with_forces(replace(fleet, at=made.at, moved=True), *shifted)
    fought = [made.fights, *(item.at for item in shifted if item.forced)]
    return _come(rules, war, fleet.faction, [made.at, *(item.at for item in shifted)], fought)


def _come(rules: Rules, war: War, faction: str, ends: Iterable[Hex], fought: Collection[Hex | None]) -> War:
    """Return the war once forces have come to panels: without superweapons that nobody defends (AMB-09), with battles where some is `fought`."""
    war = dissolve_rogues(rules, remove_superweapons(war, [at for at in ends if at not in fought], faction))
    for panel in fought:
        if panel is not None:
            war = open_battle(rules, war, panel, faction)
    return war


def reachable(rules: Rules, war: War, force: Force) -> set[Hex]:
    """Return the panels on which an order to move can end now, with those who have pledged to follow; none for a force that has moved or has to fight."""
    try:
        require_free(war, force)
        ends = reachable_panels(rules.terms, force, land_of(rules, war, force.faction))
    except Refused:
        return set()
    return {end for end in ends if _carries(rules, war, force, end)} if pledges(war, force) else ends


def _carries(rules: Rules, war: War, fleet: Force, end: Hex) -> bool:
    """Return whether a fleet can take along to a panel those who have pledged: one who cannot be shifted holds all back (AMB-14)."""
    path = (bearing(fleet.at, end) or "N",) * hex_distance(fleet.at, end)
    try:
        ride_of(rules, war, fleet, pledges(war, fleet), path)
    except Refused:
        return False
    return True


def parse_route(rules: Rules, war: War, who: str, text: str) -> tuple[str, ...]:
    """Return the directions of a force's way: as written, or to the one panel that is written.

    A path may be written with blanks, `>` or `->` between its panels, with or without the first one, or in directions.
    """
    force, text = war.force(who), text.replace("\N{MINUS SIGN}", "-")
    words = [word for word in _SIGNS.split(text.upper()) if word]
    if words and all(word in DIRECTIONS for word in words) and len(words) <= _LONGEST:
        return tuple(words)
    panels = _panels(text)
    other = find_name([*war.forces], text)
    if not panels and other is not None:
        _refuse_force(rules, force, war.forces[other])
    if not panels:
        raise _no_way(text)
    if len(panels) == 1:
        return _way_to(rules, war, force, panels[0])
    if panels[0] == force.at:
        panels = panels[1:]
    return tuple(_step(before, after) for before, after in pairwise((force.at, *panels)))


def _refuse_force(rules: Rules, force: Force, other: Force) -> NoReturn:
    """Refuse a way that is written as the name of a force: an enemy's panel is entered, and a friend's is written as a panel too."""
    starts_fight(
        rules.terms, force.kind, hostile=are_enemies(other.faction, force.faction), enters=False, where=str(other.at)
    )
    raise Refused("E_NO_TARGET", f"{other.name} is on {other.at}. Write the panel where {force.name} should go.")


def _panels(text: str) -> list[Hex]:
    """Return the panels of a way that is written so; none where it is not."""
    found = _PAIR.findall(text)
    rest = _PAIR.sub("", text)
    if not found or len(found) > _LONGEST or _BETWEEN.fullmatch(rest) is None:
        return []
    return [Hex.parse(each) for each in found]


def _no_way(text: str) -> Refused:
    """Return why a text is no way, and how one is written."""
    words = [word for word in _SIGNS.split(text.upper()) if word]
    wrong = next((word for word in words if word not in DIRECTIONS), None)
    if wrong is not None and any(word in DIRECTIONS for word in words):
        *before, last = DIRECTIONS
        ways = f"Use {', '.join(before)} or {last}, such as NW N. Or give the last panel, such as 4,-1."
        return Refused("E_BAD_DIRECTION", f"{wrong[:60]!r} in {text.strip()[:60]!r} isn't a direction. {ways}")
    ways = "where it ends (4,-1), each panel (1,0 > 2,0) or directions (NW N)"
    return Refused("E_NO_TARGET", f"{text.strip()[:60]!r} isn't a path. Write {ways}.")


def _step(before: Hex, after: Hex) -> str:
    way = bearing(before, after)
    if way is None or before.step(way) != after:
        raise Refused(
            "E_NOT_ADJACENT", f"{after} isn't next to {before}. Write every panel of the path, or only the last."
        )
    return way


def _way_to(rules: Rules, war: War, force: Force, goal: Hex) -> tuple[str, ...]:
    """Return the way to a panel: straight, or the shortest that is allowed, past enemies rather than into them.

    Where none is allowed, it is one to be refused for what is in the way.
    """
    if goal == force.at:
        raise Refused("E_NO_MOVE", f"{force.name} is already on {goal}.")
    if goal not in war.panels and goal not in rules.scenario.blocked:
        raise refuse_off_map(war.panels, goal)
    piece, apart = rules.terms.of(Piece, force.kind), hex_distance(force.at, goal)
    most = rules.terms.number("after-riding") if force.tagged else piece.most
    if most == 0:
        raise Refused("E_STATIONARY", f"{force.name} can't be moved.")
    if apart > most:
        raise Refused("E_TOO_FAR", f"{goal} is {apart} panels from {force.at}. {force.name} can move {most}.")
    straight = bearing(force.at, goal)
    if piece.straight:
        if straight is None:
            words = f"{goal} isn't in a straight line from {force.at}. A {piece.label.lower()} moves in one direction."
            raise Refused("E_NOT_STRAIGHT", words)
        return (straight,) * apart
    land = land_of(rules, war, force.faction)
    land = replace(land, friends=land.friends - {force.at})
    return _best(rules, force, goal, land, most)


def _best(rules: Rules, force: Force, goal: Hex, land: Land, most: int) -> tuple[str, ...]:
    """Return the best of the ways that end on a panel: allowed, to the panel itself, short; the first of the directions.

    One that ends before it in a fight is none where nobody could end on the panel, were the enemies gone.
    """
    ways = [
        way
        for steps in range(hex_distance(force.at, goal), most + 1)
        for way in product(DIRECTIONS, repeat=steps)
        if _end(force.at, way) == goal
    ]
    made = [(way, _tried(rules, force, way, land)) for way in ways]
    there = [way for way, end in made if end is not None and end.at == goal]
    peace = replace(land, enemies=frozenset())
    stopped = [way for way, end in made if end is not None and _tried(rules, force, way, peace) is not None]
    refused = [way for way, end in made if end is None]
    if not (there or stopped or refused):
        move_force(rules.terms, force, ways[0], peace)
    return next(iter((*there, *stopped, *refused)))


def _end(start: Hex, way: Sequence[str]) -> Hex:
    place = start
    for direction in way:
        place = place.step(direction)
    return place


def _tried(rules: Rules, force: Force, way: Sequence[str], land: Land) -> MoveResult | None:
    try:
        return move_force(rules.terms, force, way, land)
    except Refused:
        return None


def _read_move(rules: Rules, war: War, text: OrderText) -> Move:
    who = text.force(war)
    way = parse_route(rules, war, who, require_text(text.to, "where it goes, such as 4,-1"))
    return Move(actor=text.actor, who=who, path=way)


def _read_follow(_rules: Rules, war: War, text: OrderText) -> Follow:
    who, fleet = text.force(war), read_name(war.forces, text.to, "a force")
    after = None if not is_said(text.besides) else parse_panel(war.panels, text.besides or "")
    return Follow(actor=text.actor, who=who, fleet=fleet, after=after)


def read_movement(rules: Rules, war: War, text: OrderText) -> Move | Follow:
    """Return the action of an order to move or to follow."""
    return (_read_follow if text.kind == FOLLOW else _read_move)(rules, war, text)


def _ends(rules: Rules, war: War, who: str) -> Iterator[str]:
    force = war.forces.get(who)
    yield from () if force is None else map(str, sorted(reachable(rules, war, force)))


def _may_move(rules: Rules, war: War, who: str) -> bool:
    """Return whether a force can move anywhere: to a panel beside it at once, or as far as it goes."""
    force = war.forces.get(who)
    if force is None:
        return False
    piece = rules.terms.of(Piece, force.kind)
    free = not (force.moved or force.forced) and force.at not in war.battles
    if free and piece.attacks and not pledges(war, force):
        held = {item.at for item in war.forces.values() if item.faction == force.faction}
        if any(at in war.panels and at not in held for at in neighbours(force.at)):
            return True
    return free and next(_ends(rules, war, who), None) is not None


def _fleets(rules: Rules, war: War, who: str) -> Iterator[str]:
    force = war.forces.get(who)
    if force is None or not rules.terms.of(Piece, force.kind).follows:
        return
    for fleet in war.forces.values():
        near = hex_distance(fleet.at, force.at) == 1 and fleet.faction == force.faction
        if near and Follow(who=who, fleet=fleet.name).is_possible(rules, war):
            yield fleet.name


def _panels_after(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    """Yield the panels to which a squadron can go on once a fleet has taken it along, wherever the fleet goes."""
    force, fleet = war.forces.get(who), war.forces.get(to)
    if force is None or fleet is None:
        return
    ends = {force.at.shifted(fleet.at, end) for end in reachable(rules, war, fleet)}
    after = {panel for end in ends for panel in neighbours(end)} & war.panels.keys()
    yield from map(str, sorted(after - rules.scenario.blocked))


def _commander(war: War, who: str) -> tuple[str | None]:
    """Return who commands a force: it moves by their orders alone (M7)."""
    return (war.forces[who].commander,)


ORDERS = (
    WarOrder(MOVE, "Move", "force", "{force} moves to {to}", _read_move, _commander, _ends, may=_may_move),
    WarOrder(
        FOLLOW, "Ride along", "squadron", "{squadron} follows {to}", _read_follow, _commander, _fleets, _panels_after
    ),
)
