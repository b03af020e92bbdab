"""A grid of flat-topped hexes in axial coordinates: six directions, N and S among them, and none to the east or west."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import NamedTuple

from rules.keyboard import keyboard_signs

_TEXT = re.compile(r"\s*([+-]?[0-9]{1,4})\s*,\s*([+-]?[0-9]{1,4})\s*")


class Hex(NamedTuple):
    """A hex by its column and its place along the axis from north-west to south-east."""

    q: int
    r: int

    @classmethod
    def parse(cls, text: str) -> Hex:
        """Read `q,r`.

        Raises:
            ValueError: it is no pair of whole numbers.

        """
        match = _TEXT.fullmatch(keyboard_signs(text))
        if match is None:
            msg = f"{text!r} isn't a hex: write two whole numbers such as 4,-1"
            raise ValueError(msg)
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.q},{self.r}"

    def step(self, direction: str, steps: int = 1) -> Hex:
        """Return the hex so many steps away.

        Raises:
            KeyError: there is no such direction.

        """
        dq, dr = DIRECTIONS[direction]
        return Hex(self.q + dq * steps, self.r + dr * steps)

    def shifted(self, before: Hex, after: Hex) -> Hex:
        """Return where it is when it moves as something moved from one hex to another."""
        return Hex(self.q + after.q - before.q, self.r + after.r - before.r)


DIRECTIONS: Mapping[str, Hex] = {
    "N": Hex(0, -1),
    "NE": Hex(1, -1),
    "SE": Hex(1, 0),
    "S": Hex(0, 1),
    "SW": Hex(-1, 1),
    "NW": Hex(-1, 0),
}
"""One step in each direction, clockwise from the north."""


def neighbours(place: Hex) -> Iterator[Hex]:
    """Yield the six around it, clockwise from the north."""
    q, r = place
    return (Hex(q + dq, r + dr) for dq, dr in DIRECTIONS.values())


def distance(a: Hex, b: Hex) -> int:
    """Return the fewest steps from one to the other."""
    dq, dr = b.q - a.q, b.r - a.r
    return max(abs(dq), abs(dr), abs(dq + dr))


def bearing(a: Hex, b: Hex) -> str | None:
    """Return the direction of the straight line from one hex to another, or None when there is none."""
    steps = distance(a, b)
    return next((name for name in DIRECTIONS if steps and a.step(name, steps) == b), None)


def line(start: Hex, direction: str, steps: int) -> tuple[Hex, ...]:
    """Return the hexes of a straight line in turn, the start left out."""
    return tuple(start.step(direction, number) for number in range(1, steps + 1))


def ring(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """Return the hexes at just this distance, clockwise from the north: 6 for each step, or the centre itself."""
    if radius == 0:
        return (centre,)
    place, found = centre.step("N", radius), []
    for direction in (name for way in ("SE", "S", "SW", "NW", "N", "NE") for name in repeat(way, radius)):
        found.append(place)
        place = place.step(direction)
    return tuple(found)


def disc(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """Return the hexes within this distance, from the centre outwards."""
    return tuple(place for distant in range(radius + 1) for place in ring(centre, distant))
