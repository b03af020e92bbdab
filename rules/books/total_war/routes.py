"""Ways across the strategy map as people write them: a path of panels, of directions, or the panel where it ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, product
from typing import NoReturn

from msgspec.structs import replace

from rules.books.total_war.catalog import Piece
from rules.books.total_war.land import Land, hostile
from rules.books.total_war.moving import Force as Mover
from rules.books.total_war.moving import Move, fights, move
from rules.books.total_war.names_read import named
from rules.books.total_war.refusal import Refused, off_map
from rules.books.total_war.war import Force, Rules, War, land_of
from rules.geometry.hexes import DIRECTIONS, Hex, bearing, distance

_PAIR = re.compile(r"[+-]?[0-9]{1,4}\s*,\s*[+-]?[0-9]{1,4}")
_BETWEEN = re.compile(r"[\s>;→-]*")
_SIGNS = re.compile(r"[\s,>;→-]+")
_LONGEST = 40
"""Steps of a path that are read at most, far more than any piece goes."""


def panel_of(war: War, text: str) -> Hex:
    """Return the panel that is written, one of the map."""
    try:
        found = Hex.parse(text)
    except ValueError as error:
        raise Refused(
            "E_NO_TARGET", f"{text.strip()!r} isn't a panel. Write two whole numbers, such as 4,-1."
        ) from error
    if found not in war.panels:
        raise off_map(war.panels, found)
    return found


def route(rules: Rules, war: War, who: str, text: str) -> tuple[str, ...]:
    """Return the directions of a force's way: as written, or to the one panel that is written.

    A path may be written with blanks, `>` or `->` between its panels, with or without the first one, or in directions.
    """
    force, text = war.force(who), text.replace("\N{MINUS SIGN}", "-")
    words = [word for word in _SIGNS.split(text.upper()) if word]
    if words and all(word in DIRECTIONS for word in words) and len(words) <= _LONGEST:
        return tuple(words)
    panels = _panels(text)
    other = named([*war.forces], text)
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
    fights(rules.terms, force.kind, hostile=hostile(other.faction, force.faction), enters=False, where=str(other.at))
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
        raise off_map(war.panels, goal)
    piece, apart = rules.terms.of(Piece, force.kind), distance(force.at, goal)
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
        for steps in range(distance(force.at, goal), most + 1)
        for way in product(DIRECTIONS, repeat=steps)
        if _end(force.at, way) == goal
    ]
    mover = mover_of(force)
    made = [(way, _tried(rules, mover, way, land)) for way in ways]
    there = [way for way, end in made if end is not None and end.at == goal]
    peace = replace(land, enemies=frozenset())
    stopped = [way for way, end in made if end is not None and _tried(rules, mover, way, peace) is not None]
    refused = [way for way, end in made if end is None]
    if not (there or stopped or refused):
        move(rules.terms, mover, ways[0], peace)
    return next(iter((*there, *stopped, *refused)))


def _end(start: Hex, way: Sequence[str]) -> Hex:
    place = start
    for direction in way:
        place = place.step(direction)
    return place


def _tried(rules: Rules, mover: Mover, way: Sequence[str], land: Land) -> Move | None:
    try:
        return move(rules.terms, mover, way, land)
    except Refused:
        return None


def mover_of(force: Force) -> Mover:
    """Return a force as it moves."""
    return Mover(force.kind, force.at, force.moved, force.tagged, force.forced)
