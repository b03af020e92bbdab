"""What a unit can attack from a tile: at range, in melee, or down the lanes of a warship (lines 126, 160 to 163)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from rules.books.total_war.board import Battlefield, Shooter
from rules.books.total_war.catalog import UnitClass
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms
from rules.geometry.squares import AROUND, CORNERS, EDGES, Square, distance, stepped, touches

MELEE_TILES: Mapping[str, Iterable[str]] = {"diagonal": CORNERS, "orthogonal": EDGES, "all": AROUND}
"""In which directions a melee attack goes, by how its switch is set (AMB-46)."""


def require_attacker(terms: Terms, kind: str, who: str | None = None, *, melee: bool = False) -> UnitClass:
    """Return the class of a unit that attacks so; `who` is what it is called in a refusal."""
    found = terms.of(UnitClass, kind)
    who = f"{who}, a {found.label.lower()}," if who else f"A {found.label.lower()}"
    if melee and not found.melee:
        able = " or ".join(each.label.lower() for each in terms.book.listed(UnitClass).values() if each.melee)
        raise Refused("E_NO_MELEE", f"{who} has no melee attack. Only a {able} has one.")
    if not melee and found.range is None and not found.lanes:
        raise Refused("E_CANNOT_ATTACK", f"{who} never attacks.")
    return found


def require_foe(terms: Terms, shooter: Shooter, target: str = "a unit") -> None:
    """Refuse an attack that a unit aims at one of its own side, called `target`; a warship's shot tests friends too (AMB-76)."""
    kind = terms.of(UnitClass, shooter.kind)
    if shooter.melee or not kind.lanes:
        raise Refused(
            "E_OWN_UNIT", f"The {kind.label.lower()} on {shooter.at} can't attack {target}: both are on the same side."
        )


def targets(field: Battlefield, shooter: Shooter) -> set[Square]:
    """Return the tiles on which a unit can attack another (AMB-45).

    Raises:
        Refused: it cannot attack so at all.

    """
    kind = require_attacker(field.terms, shooter.kind, melee=shooter.melee)
    if shooter.melee:
        within = _melee_tiles(field, shooter.at)
    elif kind.lanes:
        within = {place for way in EDGES for place in lane(field, shooter, way)}
    else:
        within = _in_range(field, shooter.at, kind.range or 0)
    return {place for place in within if field.is_exposed(place, shooter.at, shooter.flags)}


def require_target(field: Battlefield, shooter: Shooter, goal: Square) -> None:
    """Refuse a tile that a unit cannot attack.

    Raises:
        Refused: E_CANNOT_ATTACK, E_NO_MELEE, E_NO_TARGET, E_NOT_MELEE_TILE, E_OUT_OF_RANGE, E_TARGET_TILE or E_OBSTRUCTED.

    """
    kind = require_attacker(field.terms, shooter.kind, melee=shooter.melee)
    who = f"The {kind.label.lower()} on {shooter.at}"
    if goal == shooter.at:
        raise Refused("E_NO_TARGET", f"{who} can't attack its own tile.")
    if shooter.melee:
        _require_melee_tile(field, who, shooter.at, goal)
    elif kind.lanes:
        _require_line(who, shooter.at, goal)
    else:
        _require_range(field.terms, who, shooter.at, kind.range or 0, goal)
    if not field.is_exposed(goal, shooter.at, shooter.flags):
        raise Refused("E_TARGET_TILE", f"{who} can't attack {goal}: {_exposure(field, goal)}.")
    if not _is_free(field, kind, shooter, goal):
        raise Refused("E_OBSTRUCTED", f"{who} can't attack {goal}: {_obstacle(field, kind, shooter.at, goal)}.")


def lane(field: Battlefield, shooter: Shooter, way: str) -> tuple[Square, ...]:
    """Return the tiles of one lane of a warship up to the first that obstructs, since units do not (line 163).

    That one is of the lane too where the ship can hit what stands on it (line 126).
    """
    found: list[Square] = []
    for place in field.board.lane(shooter.at, way):
        closed = field.terrain(place).obstructs
        if not closed or field.is_exposed(place, shooter.at, shooter.flags):
            found.append(place)
        if closed:
            break
    return tuple(found)


def _melee_tiles(field: Battlefield, at: Square) -> set[Square]:
    directions = MELEE_TILES[field.terms.setting("melee-tiles", str)]
    return {place for way in directions if (place := stepped(at, way)) in field.board}


def _is_free(field: Battlefield, kind: UnitClass, shooter: Shooter, goal: Square) -> bool:
    """Return whether nothing is in the way to a tile in range, as it is to those among the `targets`: what is not between is not looked at."""
    at, counted = shooter.at, field.terms.setting("range", str)
    if touches(at, goal):
        return True
    if kind.lanes:
        return any(goal in lane(field, shooter, way) for way in EDGES)
    if counted == "lines":
        return any(goal in _free_line(field, field.board.lane(at, way)) for way in EDGES)
    return field.board.leads(at, goal, field.is_passed, over_corners=counted == "king")


def _in_range(field: Battlefield, at: Square, most: int) -> set[Square]:
    """Return the tiles to which a free path leads, and those that touch, since nothing is between (AMB-45)."""
    beside, counted = {*field.board.around(at)}, field.terms.setting("range", str)
    if counted == "lines":
        return beside.union(*(_free_line(field, field.board.lane(at, way)[:most]) for way in EDGES))
    return beside | field.board.within(at, most, field.is_passed, over_corners=counted == "king")


def _free_line(field: Battlefield, line: Sequence[Square]) -> Sequence[Square]:
    """Return the tiles of a line up to the first over which no attack passes, and that one."""
    first = next((steps for steps, place in enumerate(line, 1) if not field.is_passed(place)), len(line))
    return line[:first]


def _require_melee_tile(field: Battlefield, who: str, at: Square, goal: Square) -> None:
    tiles = _melee_tiles(field, at)
    if goal not in tiles:
        named = ", ".join(map(str, sorted(tiles)))
        raise Refused("E_NOT_MELEE_TILE", f"{who} can attack in melee on {named}, not on {goal}.")


def _require_line(who: str, at: Square, goal: Square) -> None:
    if at.column != goal.column and at.row != goal.row:
        what = f"can fire along column {str(at)[0]} and row {at.row}, not at {goal}"
        raise Refused("E_OUT_OF_RANGE", f"{who} {what}.")


def _require_range(terms: Terms, who: str, at: Square, most: int, goal: Square) -> None:
    counted = terms.setting("range", str)
    steps = distance(at, goal, over_corners=counted == "king")
    off_line = counted == "lines" and at.column != goal.column and at.row != goal.row
    if (steps > most or off_line) and not touches(at, goal):
        in_line = " in its column and row" if counted == "lines" else ""
        raise Refused("E_OUT_OF_RANGE", f"{who} can shoot {most} tiles far{in_line}. {goal} is {steps} away.")


def _obstacle(field: Battlefield, kind: UnitClass, at: Square, goal: Square) -> str:
    """Return what is in the way of an attack: on a line by its tile, else that there is no free path."""
    ways = (field.board.lane(at, way) for way in EDGES)
    line = next((line[: line.index(goal)] for line in ways if goal in line), ())
    passed = replace(field, held=frozenset()) if kind.lanes else field
    first = next((place for place in line if not passed.is_passed(place)), None)
    if first is None:
        return f"terrain and units block every path of {kind.range} tiles"
    return (
        f"{field.terrain(first).label.lower() if field.terrain(first).obstructs else 'a unit'} on {first} is in the way"
    )


def _exposure(field: Battlefield, place: Square) -> str:
    """Return who alone can attack what stands on a tile."""
    found = field.terrain(place)
    label = found.label.lower()
    if found.hit_by is not None:
        return f"only {found.hit_by} units can hit targets on {label}"
    return (
        f"only units on {label} can hit targets there" if found.hit_from is not None else f"no unit can be on {label}"
    )
