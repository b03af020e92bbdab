"""Moves on the board of a battle: step by step over edges, around whatever blocks (lines 132 to 152)."""

from __future__ import annotations

from functools import partial
from itertools import takewhile
from typing import NoReturn

from msgspec.structs import replace

from rules.books.total_war.board import Battlefield, Mover
from rules.books.total_war.catalog import UnitClass
from rules.books.total_war.refusal import Refused
from rules.geometry.paths import reach, shortest
from rules.geometry.squares import EDGES, Square, distance
from rules.phrases import counted


def destinations(field: Battlefield, mover: Mover) -> dict[Square, int]:
    """Return the tiles where a unit can go, with the steps that it takes; any other unit blocks (AMB-40)."""
    kind = field.terms.of(UnitClass, mover.kind)
    most, cost = kind.moves(mover.where), partial(_cost, field, mover.flags)
    if not kind.straight:
        return reach(mover.at, most, field.board.neighbours, cost)
    lanes = (field.board.lane(mover.at, way)[:most] for way in EDGES)
    return {place: steps for lane in lanes for steps, place in enumerate(takewhile(cost, lane), 1)}


def require_steps(field: Battlefield, mover: Mover, goal: Square) -> int:
    """Return how many steps a unit takes to a tile.

    Raises:
        Refused: E_NO_MOVE, E_OCCUPIED, E_TERRAIN, E_NOT_STRAIGHT, E_TOO_FAR or E_BLOCKED.

    """
    found = destinations(field, mover)
    if goal not in found:
        _refuse_goal(field, mover, goal)
        _refuse_way(field, mover, goal)
    return found[goal]


def _cost(field: Battlefield, flags: frozenset[str], place: Square) -> int | None:
    """Return the step that it takes to enter a tile, None where that is not possible."""
    return 1 if place not in field.held and field.may_enter(place, flags) else None


def _refuse_goal(field: Battlefield, mover: Mover, goal: Square) -> None:
    """Refuse a tile where a unit could not go on an empty board either, or where another stands."""
    kind = field.terms.of(UnitClass, mover.kind)
    most, steps = kind.moves(mover.where), distance(mover.at, goal)
    who = f"The {kind.label.lower()} on {mover.at}"
    if goal == mover.at:
        raise Refused("E_NO_MOVE", f"{who} is already there.")
    if goal in field.held:
        raise Refused("E_OCCUPIED", f"{who} can't go to {goal}: another unit is on that tile.")
    if not field.may_enter(goal, mover.flags):
        raise Refused("E_TERRAIN", f"{who} can't enter {goal}: {field.terrain(goal).label.lower()}.")
    if kind.straight and mover.at.column != goal.column and mover.at.row != goal.row:
        raise Refused("E_NOT_STRAIGHT", f"{who} moves in a straight line, and {goal} isn't in line with it.")
    if steps > most:
        raise Refused("E_TOO_FAR", f"{who} can move {counted(most, 'tiles')}, and {goal} is {steps} away.")


def _refuse_way(field: Battlefield, mover: Mover, goal: Square) -> NoReturn:
    """Say what is in the way to a tile that is near enough: other units, if it is free without them, or terrain."""
    kind = field.terms.of(UnitClass, mover.kind)
    who, around = f"The {kind.label.lower()} on {mover.at} can't go to {goal}", ""
    if not kind.straight:
        way = shortest(mover.at, goal, field.board.neighbours, partial(_cost, field, mover.flags))
        most = kind.moves(mover.where)
        around = f"; the way around takes {len(way) - 1} steps, and it has {most}" if way else ", with no way around"
    if goal in destinations(replace(field, held=frozenset()), mover):
        raise Refused("E_BLOCKED", f"{who}: other units are in the way{around}.")
    raise Refused("E_TERRAIN", f"{who}: terrain is in the way{around}.")
