"""The board of a battle: terrain, moves, ranges and lanes (lines 110 to 163)."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.catalog import Enter, Refused, Terms, Terrain, UnitClass, Where
from rules.geometry import AROUND, CORNERS, EDGES, Board, Square, reach, shortest, square_distance, step_from, touches
from rules.phrases import format_count


class Attack(Struct, frozen=True):
    """Attempts with one die each, and the accuracy in percent (None: always hits)."""

    attempts: int
    sides: int
    accuracy: int | None = None

    def __str__(self) -> str:
        return f"{self.attempts}x 1d{self.sides}"


class Ground(Struct, frozen=True):
    """Terrain by tile where it isn't the usual one, and posted exceptions to `enter` (line 128)."""

    terrain: Mapping[str, str] = field(default_factory=dict)
    enter: Mapping[str, Enter] = field(default_factory=dict)


class Mover(Struct, frozen=True):
    """A unit about to move, with flags such as flying."""

    kind: str
    at: Square
    where: Where
    flags: frozenset[str] = frozenset()


class Shooter(Struct, frozen=True):
    """A unit about to attack, with flags such as flying."""

    kind: str
    at: Square
    flags: frozenset[str] = frozenset()
    melee: bool = False


class Fighter(Struct, frozen=True):
    """A unit on the board, with what it did this turn; `fired` is the turn of its last fire."""

    side: str
    kind: str
    at: Square
    attack: Attack | None
    defense: int
    flags: frozenset[str] = frozenset()
    ace: int = 0
    hero: bool = False
    fired: int | None = None
    moved: bool = False
    attacked: bool = False

    def shooter(self, *, melee: bool = False) -> Shooter:
        """Return what board rules need to know of the unit's attack."""
        return Shooter(self.kind, self.at, self.flags, melee)

    def mover(self, where: Where) -> Mover:
        """Return what board rules need to know of the unit's move."""
        return Mover(self.kind, self.at, where, self.flags)


def board_of(terms: Terms) -> Board:
    """Return the square board (line 112)."""
    size = terms.number("board")
    return Board(size, size)


def tile(terms: Terms, text: str) -> Square:
    """Read a tile; refuse one off the board, and raise ValueError for other texts."""
    board = board_of(terms)
    try:
        place = Square.parse(text)
    except ValueError:
        if re.fullmatch(r"\s*[A-Za-z]+\s*[0-9]+\s*", text) is None:
            raise
        place = None
    if place is None or place not in board:
        last = Square(board.columns, board.rows)
        raise Refused("E_OFF_BOARD", f"{text.strip()} is off the board, which goes from A1 to {last}.")
    return place


class Battlefield(Struct, frozen=True):
    """The board as one unit sees it: rules, terrain, and tiles that others occupy."""

    terms: Terms
    ground: Ground
    held: frozenset[Square] = frozenset()

    @property
    def board(self) -> Board:
        """The square board with all tiles."""
        return board_of(self.terms)

    def terrain(self, place: Square) -> Terrain:
        """Return the terrain of a tile."""
        listed = self.terms.book.entries_of(Terrain)
        named = self.ground.terrain.get(str(place))
        return listed[named] if named is not None else next(iter(listed.values()))

    def may_enter(self, place: Square, flags: Collection[str]) -> bool:
        """Check whether terrain lets a unit with these flags enter; other units don't count (lines 120, 126)."""
        found = self.terrain(place)
        posted = self.ground.enter.get(found.id)
        who = posted or found.enter
        if who == "all" or who in flags:
            return True
        opened = found.opened_by is not None and self.terms.setting(found.opened_by, bool)
        return posted is None and opened and found.opened_to in flags

    def is_passed(self, place: Square) -> bool:
        """Check whether a tile lets an attack pass: no unit or obstacle is on it (line 160)."""
        return place not in self.held and not self.terrain(place).obstructs

    def is_exposed(self, place: Square, shooter: Square, flags: Collection[str]) -> bool:
        """Check whether terrain lets a shooter hit a tile (line 126)."""
        found = self.terrain(place)
        if found.hit_from is not None:
            return self.terrain(shooter).id == found.hit_from
        if found.hit_by is not None:
            return found.hit_by in flags
        return not found.obstructs


def destinations(field: Battlefield, mover: Mover) -> dict[Square, int]:
    """Return reachable tiles with their steps; every unit blocks (AMB-40)."""
    kind = field.terms.of(UnitClass, mover.kind)
    most, cost = kind.moves(mover.where), partial(_cost, field, mover.flags)
    if not kind.straight:
        return reach(mover.at, most, field.board.neighbours, cost)
    lanes = (field.board.lane(mover.at, way)[:most] for way in EDGES)
    return {place: steps for lane in lanes for steps, place in enumerate(takewhile(cost, lane), 1)}


def _cost(field: Battlefield, flags: frozenset[str], place: Square) -> int | None:
    return 1 if place not in field.held and field.may_enter(place, flags) else None


def require_steps(field: Battlefield, mover: Mover, goal: Square) -> int:
    """Return the steps to a tile, or refuse with what is in the way."""
    found, kind = destinations(field, mover), field.terms.of(UnitClass, mover.kind)
    if goal in found:
        return found[goal]
    most, steps = kind.moves(mover.where), square_distance(mover.at, goal)
    who, around = f"The {kind.label.lower()} on {mover.at}", ""
    if goal == mover.at:
        raise Refused("E_NO_MOVE", f"{who} is already there.")
    if goal in field.held:
        raise Refused("E_OCCUPIED", f"{who} can't go to {goal}: another unit is on that tile.")
    if not field.may_enter(goal, mover.flags):
        raise Refused("E_TERRAIN", f"{who} can't enter {goal}: {field.terrain(goal).label.lower()}.")
    if kind.straight and mover.at.column != goal.column and mover.at.row != goal.row:
        raise Refused("E_NOT_STRAIGHT", f"{who} moves in a straight line, and {goal} isn't in line with it.")
    if steps > most:
        raise Refused("E_TOO_FAR", f"{who} can move {format_count(most, 'tiles')}, and {goal} is {steps} away.")
    if not kind.straight:
        way = shortest(mover.at, goal, field.board.neighbours, partial(_cost, field, mover.flags))
        around = f"; the way around takes {len(way) - 1} steps, and it has {most}" if way else ", with no way around"
    if goal in destinations(replace(field, held=frozenset()), mover):
        raise Refused("E_BLOCKED", f"{who} can't go to {goal}: other units are in the way{around}.")
    raise Refused("E_TERRAIN", f"{who} can't go to {goal}: terrain is in the way{around}.")


_MELEE_TILES: Mapping[str, Iterable[str]] = {"diagonal": CORNERS, "orthogonal": EDGES, "all": AROUND}
"""Directions of melee attacks, by the switch (AMB-46)."""


def require_attacker(terms: Terms, kind: str, who: str | None = None, *, melee: bool = False) -> UnitClass:
    """Return the class of a unit that can attack (or fight in melee), else refuse; `who` names the unit."""
    found = terms.of(UnitClass, kind)
    who = f"{who}, a {found.label.lower()}," if who else f"A {found.label.lower()}"
    if melee and not found.melee:
        able = " or ".join(each.label.lower() for each in terms.book.entries_of(UnitClass).values() if each.melee)
        raise Refused("E_NO_MELEE", f"{who} has no melee attack. Only a {able} has one.")
    if not melee and found.range is None and not found.lanes:
        raise Refused("E_CANNOT_ATTACK", f"{who} never attacks.")
    return found


def require_foe(terms: Terms, shooter: Shooter, target: str = "a unit") -> None:
    """Refuse a target on the own side, except for warships' fire, which hits friends too (AMB-76)."""
    kind = terms.of(UnitClass, shooter.kind)
    if shooter.melee or not kind.lanes:
        what = f"The {kind.label.lower()} on {shooter.at} can't attack {target}: both are on the same side."
        raise Refused("E_OWN_UNIT", what)


def target_tiles(field: Battlefield, shooter: Shooter) -> set[Square]:
    """Return the tiles that a unit can attack (AMB-45)."""
    kind = require_attacker(field.terms, shooter.kind, melee=shooter.melee)
    if shooter.melee:
        within = _melee_tiles(field, shooter.at)
    elif kind.lanes:
        within = {place for way in EDGES for place in lane_tiles(field, shooter, way)}
    else:
        within = _in_range(field, shooter.at, kind.range or 0)
    return {place for place in within if field.is_exposed(place, shooter.at, shooter.flags)}


def require_target(field: Battlefield, shooter: Shooter, goal: Square) -> None:
    """Refuse a tile that the unit can't attack, and say why."""
    kind, at = require_attacker(field.terms, shooter.kind, melee=shooter.melee), shooter.at
    who = f"The {kind.label.lower()} on {at}"
    if goal == at:
        raise Refused("E_NO_TARGET", f"{who} can't attack its own tile.")
    if shooter.melee:
        tiles = _melee_tiles(field, at)
        if goal not in tiles:
            named = ", ".join(map(str, sorted(tiles)))
            raise Refused("E_NOT_MELEE_TILE", f"{who} can attack in melee on {named}, not on {goal}.")
    elif not kind.lanes:
        _require_range(field.terms, who, at, kind.range or 0, goal)
    elif at.column != goal.column and at.row != goal.row:
        what = f"can fire along column {str(at)[0]} and row {at.row}, not at {goal}"
        raise Refused("E_OUT_OF_RANGE", f"{who} {what}.")
    if not field.is_exposed(goal, at, shooter.flags):
        raise Refused("E_TARGET_TILE", f"{who} can't attack {goal}: {_exposure(field, goal)}.")
    if not _is_free(field, kind, shooter, goal):
        raise Refused("E_OBSTRUCTED", f"{who} can't attack {goal}: {_obstacle(field, kind, at, goal)}.")


def lane_tiles(field: Battlefield, shooter: Shooter, way: str) -> tuple[Square, ...]:
    """Return a lane up to the first obstacle, included if a target on it can be hit (lines 126, 163)."""
    found: list[Square] = []
    for place in field.board.lane(shooter.at, way):
        closed = field.terrain(place).obstructs
        if not closed or field.is_exposed(place, shooter.at, shooter.flags):
            found.append(place)
        if closed:
            break
    return tuple(found)


def _melee_tiles(field: Battlefield, at: Square) -> set[Square]:
    directions = _MELEE_TILES[field.terms.setting("melee-tiles", str)]
    return {place for way in directions if (place := step_from(at, way)) in field.board}


def _is_free(field: Battlefield, kind: UnitClass, shooter: Shooter, goal: Square) -> bool:
    # Check the way to one tile by the same rules as `target_tiles`, but faster.
    at, counted = shooter.at, field.terms.setting("range", str)
    if touches(at, goal):
        return True
    if kind.lanes:
        return any(goal in lane_tiles(field, shooter, way) for way in EDGES)
    if counted == "lines":
        return any(goal in _free_line(field, field.board.lane(at, way)) for way in EDGES)
    return field.board.leads(at, goal, field.is_passed, over_corners=counted == "king")


def _in_range(field: Battlefield, at: Square, most: int) -> set[Square]:
    beside, counted = {*field.board.around(at)}, field.terms.setting("range", str)
    if counted == "lines":
        return beside.union(*(_free_line(field, field.board.lane(at, way)[:most]) for way in EDGES))
    return beside | field.board.within(at, most, field.is_passed, over_corners=counted == "king")


def _free_line(field: Battlefield, line: Sequence[Square]) -> Sequence[Square]:
    first = next((steps for steps, place in enumerate(line, 1) if not field.is_passed(place)), len(line))
    return line[:first]


def _require_range(terms: Terms, who: str, at: Square, most: int, goal: Square) -> None:
    counted = terms.setting("range", str)
    steps = square_distance(at, goal, over_corners=counted == "king")
    off_line = counted == "lines" and at.column != goal.column and at.row != goal.row
    if (steps > most or off_line) and not touches(at, goal):
        in_line = " in its column and row" if counted == "lines" else ""
        raise Refused("E_OUT_OF_RANGE", f"{who} can shoot {most} tiles far{in_line}. {goal} is {steps} away.")


def _obstacle(field: Battlefield, kind: UnitClass, at: Square, goal: Square) -> str:
    ways = (field.board.lane(at, way) for way in EDGES)
    line = next((line[: line.index(goal)] for line in ways if goal in line), ())
    passed = replace(field, held=frozenset()) if kind.lanes else field
    first = next((place for place in line if not passed.is_passed(place)), None)
    if first is None:
        return f"terrain and units block every path of {kind.range} tiles"
    terrain = field.terrain(first)
    return f"{terrain.label.lower() if terrain.obstructs else 'a unit'} on {first} is in the way"


def _exposure(field: Battlefield, place: Square) -> str:
    found = field.terrain(place)
    label = found.label.lower()
    if found.hit_by is not None:
        return f"only {found.hit_by} units can hit targets on {label}"
    return f"only units on {label} can hit targets there" if found.hit_from else f"no unit can be on {label}"
