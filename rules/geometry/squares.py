"""A board of squares, with columns A, B ... and rows 1, 2 ...: steps along edges, over corners or both, lines and lanes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

MAX_COLUMNS, MAX_ROWS = 26, 99

_TEXT = re.compile(r"\s*([A-Za-z])\s*([1-9][0-9]?)\s*")


class Square(NamedTuple):
    """A square by column and row, both from 1."""

    column: int
    row: int

    @classmethod
    def parse(cls, text: str) -> Square:
        """Read `A1`.

        Raises:
            ValueError: it is no letter with a number from 1.

        """
        match = _TEXT.fullmatch(text)
        if match is None:
            msg = f"{text!r} isn't a square: write a letter and a number such as C4"
            raise ValueError(msg)
        return cls(ord(match[1].upper()) - ord("A") + 1, int(match[2]))

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.column - 1)}{self.row}"


EDGES: Mapping[str, Square] = {"N": Square(0, 1), "E": Square(1, 0), "S": Square(0, -1), "W": Square(-1, 0)}
"""One step over each edge, rows going north."""

CORNERS: Mapping[str, Square] = {"NE": Square(1, 1), "SE": Square(1, -1), "SW": Square(-1, -1), "NW": Square(-1, 1)}
"""One step over each corner."""

AROUND: Mapping[str, Square] = {**EDGES, **CORNERS}


def stepped(place: Square, direction: str) -> Square:
    """Return the square one step away in one of the eight directions."""
    step = AROUND[direction]
    return Square(place.column + step.column, place.row + step.row)


def distance(a: Square, b: Square, *, over_corners: bool = False) -> int:
    """Return the fewest steps from one to the other on an empty board, over edges alone or over corners too."""
    across, up = abs(a.column - b.column), abs(a.row - b.row)
    return max(across, up) if over_corners else across + up


def touches(a: Square, b: Square) -> bool:
    """Return whether two squares share an edge or a corner."""
    return distance(a, b, over_corners=True) == 1


class Board(Struct, frozen=True):
    """How many columns, 1 to 26 since they are letters, and rows, 1 to 99, a board has."""

    columns: int
    rows: int

    def __post_init__(self) -> None:
        if not (1 <= self.columns <= MAX_COLUMNS and 1 <= self.rows <= MAX_ROWS):
            msg = f"a board has 1 to {MAX_COLUMNS} columns and 1 to {MAX_ROWS} rows"
            raise ValueError(msg)

    def __contains__(self, place: Square) -> bool:
        return 1 <= place.column <= self.columns and 1 <= place.row <= self.rows

    def squares(self) -> Iterator[Square]:
        """Yield every square, row by row."""
        return (Square(column, row) for row in range(1, self.rows + 1) for column in range(1, self.columns + 1))

    def neighbours(self, place: Square) -> Iterator[Square]:
        """Yield the squares over its edges."""
        return self._beside(EDGES, place)

    def around(self, place: Square) -> Iterator[Square]:
        """Yield the squares over its edges and corners."""
        return self._beside(AROUND, place)

    def lane(self, start: Square, direction: str) -> tuple[Square, ...]:
        """Return all squares from one to the edge of the board in one of the eight directions, the start left out."""
        lane: list[Square] = []
        while (place := stepped(lane[-1] if lane else start, direction)) in self:
            lane.append(place)
        return tuple(lane)

    def within(
        self, start: Square, most: int, free: Callable[[Square], bool], *, over_corners: bool = False
    ) -> set[Square]:
        """Return the squares at most so many steps away to which a shortest run of steps leads over free squares alone.

        Shortest is what it would be on an empty board; whether the square itself is free is no matter.
        """
        steps = self.around if over_corners else self.neighbours
        found: set[Square] = set()
        edge = {start}
        for taken in range(1, most + 1):
            beside = {other for place in edge for other in steps(place)}
            new = {place for place in beside if distance(start, place, over_corners=over_corners) == taken}
            found |= new
            edge = {place for place in new if free(place)}
        return found

    def leads(self, start: Square, goal: Square, free: Callable[[Square], bool], *, over_corners: bool = False) -> bool:
        """Return whether another square is `within` as many steps as it is away; only what lies between is looked at."""
        steps = self.around if over_corners else self.neighbours
        edge = {start}
        for left in reversed(range(1, distance(start, goal, over_corners=over_corners))):
            nearer = {
                other
                for place in edge
                for other in steps(place)
                if distance(other, goal, over_corners=over_corners) == left
            }
            edge = {place for place in nearer if free(place)}
        return bool(edge)

    def _beside(self, directions: Iterable[str], place: Square) -> Iterator[Square]:
        return (other for direction in directions if (other := stepped(place, direction)) in self)
