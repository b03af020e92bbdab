"""Grids of hexes and squares, and paths between places."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count, repeat
from typing import NamedTuple, TypeVar

from msgspec import Struct

from rules.typed_text import keyboard_signs

_HEX_TEXT = re.compile(r"\s*([+-]?[0-9]{1,4})\s*,\s*([+-]?[0-9]{1,4})\s*")


class Hex(NamedTuple):
    """A hex: column `q`, and `r` from north-west to south-east."""

    q: int
    r: int

    @classmethod
    def parse(cls, text: str) -> Hex:
        """Read `q,r`; raise ValueError."""
        match = _HEX_TEXT.fullmatch(keyboard_signs(text))
        if match is None:
            raise ValueError(f"{text!r} isn't a hex: write two whole numbers such as 4,-1")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.q},{self.r}"

    def step(self, direction: str, steps: int = 1) -> Hex:
        """Return the hex that many steps away."""
        dq, dr = DIRECTIONS[direction]
        return Hex(self.q + dq * steps, self.r + dr * steps)

    def shift(self, before: Hex, after: Hex) -> Hex:
        """Move by the step from `before` to `after`."""
        return Hex(self.q + after.q - before.q, self.r + after.r - before.r)


DIRECTIONS: Mapping[str, Hex] = {
    "N": Hex(0, -1),
    "NE": Hex(1, -1),
    "SE": Hex(1, 0),
    "S": Hex(0, 1),
    "SW": Hex(-1, 1),
    "NW": Hex(-1, 0),
}
"""One step in each direction, clockwise from north."""


def neighbours(place: Hex) -> Iterator[Hex]:
    """Yield the six hexes around, clockwise from north."""
    q, r = place
    return (Hex(q + dq, r + dr) for dq, dr in DIRECTIONS.values())


def hex_distance(a: Hex, b: Hex) -> int:
    """Count the fewest steps between two hexes."""
    dq, dr = b.q - a.q, b.r - a.r
    return max(abs(dq), abs(dr), abs(dq + dr))


def find_direction(a: Hex, b: Hex) -> str | None:
    """Return the direction of the straight line from `a` to `b`; None if none joins them."""
    steps = hex_distance(a, b)
    return next((name for name in DIRECTIONS if steps and a.step(name, steps) == b), None)


def line(start: Hex, direction: str, steps: int) -> tuple[Hex, ...]:
    """Return a straight line's hexes, without the start."""
    return tuple(start.step(direction, number) for number in range(1, steps + 1))


def ring(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """Return hexes at this distance, clockwise from north."""
    if radius == 0:
        return (centre,)
    place, found = centre.step("N", radius), []
    for direction in (name for way in ("SE", "S", "SW", "NW", "N", "NE") for name in repeat(way, radius)):
        found.append(place)
        place = place.step(direction)
    return tuple(found)


def disc(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """Return hexes within a distance, centre first."""
    return tuple(place for distant in range(radius + 1) for place in ring(centre, distant))


MAX_COLUMNS, MAX_ROWS = 26, 99
_SQUARE_TEXT = re.compile(r"\s*([A-Za-z])\s*([1-9][0-9]?)\s*")


class Square(NamedTuple):
    """A square by column and row, from 1."""

    column: int
    row: int

    @classmethod
    def parse(cls, text: str) -> Square:
        """Read `A1`; raise ValueError."""
        match = _SQUARE_TEXT.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} isn't a square: write a letter and a number such as C4")
        return cls(ord(match[1].upper()) - ord("A") + 1, int(match[2]))

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.column - 1)}{self.row}"


EDGES: Mapping[str, Square] = {"N": Square(0, 1), "E": Square(1, 0), "S": Square(0, -1), "W": Square(-1, 0)}
"""One step over each edge; rows go north."""
CORNERS: Mapping[str, Square] = {"NE": Square(1, 1), "SE": Square(1, -1), "SW": Square(-1, -1), "NW": Square(-1, 1)}
"""One step over each corner."""
AROUND: Mapping[str, Square] = {**EDGES, **CORNERS}


def step_from(place: Square, direction: str) -> Square:
    """Return the next square in one of eight directions."""
    step = AROUND[direction]
    return Square(place.column + step.column, place.row + step.row)


def square_distance(a: Square, b: Square, *, over_corners: bool = False) -> int:
    """Count the fewest steps between squares over edges, or over corners too."""
    across, up = abs(a.column - b.column), abs(a.row - b.row)
    return max(across, up) if over_corners else across + up


def touches(a: Square, b: Square) -> bool:
    """Check whether two different squares share an edge or corner."""
    return square_distance(a, b, over_corners=True) == 1


class Board(Struct, frozen=True):
    """A board of 1 to 26 columns and 1 to 99 rows."""

    columns: int
    rows: int

    def __post_init__(self) -> None:
        if not (1 <= self.columns <= MAX_COLUMNS and 1 <= self.rows <= MAX_ROWS):
            raise ValueError(f"a board has 1 to {MAX_COLUMNS} columns and 1 to {MAX_ROWS} rows")

    def __contains__(self, place: Square) -> bool:
        return 1 <= place.column <= self.columns and 1 <= place.row <= self.rows

    def squares(self) -> Iterator[Square]:
        """Yield every square, row by row."""
        return (Square(column, row) for row in range(1, self.rows + 1) for column in range(1, self.columns + 1))

    def neighbours(self, place: Square) -> Iterator[Square]:
        """Yield the squares on the board over a square's edges."""
        return self._beside(EDGES, place)

    def around(self, place: Square) -> Iterator[Square]:
        """Yield the squares over its edges and corners."""
        return self._beside(AROUND, place)

    def lane(self, start: Square, direction: str) -> tuple[Square, ...]:
        """Return the squares in a direction up to the board's edge, without the start."""
        lane: list[Square] = []
        while (place := step_from(lane[-1] if lane else start, direction)) in self:
            lane.append(place)
        return tuple(lane)

    def within(
        self, start: Square, most: int, free: Callable[[Square], bool], *, over_corners: bool = False
    ) -> set[Square]:
        """Return squares up to `most` steps from the start by a shortest path; all squares between are `free`."""
        steps = self.around if over_corners else self.neighbours
        found: set[Square] = set()
        edge = {start}
        for taken in range(1, most + 1):
            beside = {other for place in edge for other in steps(place)}
            new = {place for place in beside if square_distance(start, place, over_corners=over_corners) == taken}
            found |= new
            edge = {place for place in new if free(place)}
        return found

    def leads(self, start: Square, goal: Square, free: Callable[[Square], bool], *, over_corners: bool = False) -> bool:
        """Check whether a shortest path joins start and goal; all squares between have to be `free`."""
        steps = self.around if over_corners else self.neighbours
        edge = {start}
        for left in reversed(range(1, square_distance(start, goal, over_corners=over_corners))):
            nearer = {
                other
                for place in edge
                for other in steps(place)
                if square_distance(other, goal, over_corners=over_corners) == left
            }
            edge = {place for place in nearer if free(place)}
        return bool(edge)

    def _beside(self, directions: Iterable[str], place: Square) -> Iterator[Square]:
        return (other for direction in directions if (other := step_from(place, direction)) in self)


P = TypeVar("P")
Neighbours = Callable[[P], Iterable[P]]
Cost = Callable[[P], int | None]
"""What entering a place costs; None if it's closed."""


def _anywhere(_place: object) -> int:
    return 1


def _nowhere(_place: object) -> bool:
    return False


def reach(
    start: P, most: int, neighbours: Neighbours[P], cost: Cost[P] = _anywhere, stops: Callable[[P], bool] = _nowhere
) -> dict[P, int]:
    """Return the cheapest costs up to `most` by place, without the start; paths end where one `stops`."""
    return {place: spent for place, spent, _ in _spread(start, most, neighbours, cost, stops) if place != start}


def shortest(
    start: P, goal: P, neighbours: Neighbours[P], cost: Cost[P] = _anywhere, most: int | None = None
) -> tuple[P, ...] | None:
    """Return a cheapest path with both ends, or None."""
    came: dict[P, P] = {}
    for place, _, before in _spread(start, most, neighbours, cost, _nowhere):
        came[place] = before
        if place == goal:
            way = [goal]
            while way[-1] != start:
                way.append(came[way[-1]])
            return tuple(reversed(way))
    return None


def find_connected(sources: Iterable[P], within: Collection[P], neighbours: Neighbours[P]) -> set[P]:
    """Return places `within` that neighbours join to a source."""
    joined = {source for source in sources if source in within}
    waiting = list(joined)
    while waiting:
        fresh = {place for place in neighbours(waiting.pop()) if place in within} - joined
        joined |= fresh
        waiting += fresh
    return joined


def _spread(
    start: P, most: int | None, neighbours: Neighbours[P], cost: Cost[P], stops: Callable[[P], bool]
) -> Iterator[tuple[P, int, P]]:
    """Yield places by cost, with the place before."""
    order = count()  # places need not compare; of equals the one found first comes first
    waiting = [(0, next(order), start, start)]
    seen: set[P] = set()
    while waiting:
        spent, _, place, before = heappop(waiting)
        if place in seen:
            continue
        seen.add(place)
        yield place, spent, before
        if place != start and stops(place):
            continue
        for other in neighbours(place):
            price = cost(other)
            if price is not None and other not in seen and (most is None or spent + price <= most):
                heappush(waiting, (spent + price, next(order), other, place))
