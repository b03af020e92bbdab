"""The dice of a battle, each asked for when it falls: what it is thrown for, and its sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NoReturn

from msgspec import Struct

from rules.geometry.squares import Square

Use = Literal["accuracy", "damage", "coin", "counter", "fire"]
Side = Literal["heads", "tails"]
COIN: tuple[Side, Side] = ("heads", "tails")
"""The sides of the coin, the first for its face 1."""

PERCENT = 100
"""Sides of the die by which a chance in percent is tried."""


class Die(Struct, frozen=True):
    """A die of so many sides, what for, and in which try (from 1) or for the unit on which tile."""

    use: Use
    sides: int
    attempt: int | None = None
    tile: Square | None = None


Throw = Callable[[Die], int]
"""Returns the face, from 1, that a die falls on."""


def no_die(die: Die) -> NoReturn:
    """Refuse to throw a die where none falls."""
    msg = f"an order without dice asked for one: {die.use}"
    raise AssertionError(msg)
