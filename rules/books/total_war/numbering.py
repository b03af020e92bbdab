"""The numbers by which units of a war are called: in a row, or where there is fog in an order that is drawn as the war begins.

Drawn, a number tells nobody how many units there were before it, and so not what others have bought.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

FEWEST_DIGITS = 3
"""How many digits drawn numbers have, until all of these are given out."""


def number_of(key: str, place: int) -> int:
    """Return the number of the unit that comes in a place (from 1) of all that there ever were; in a row where the `key` of the order is empty."""
    if not key:
        return place
    digits, left = FEWEST_DIGITS, place - 1
    while left >= len(_drawn(key, digits)):
        left -= len(_drawn(key, digits))
        digits += 1
    return _drawn(key, digits)[left]


@lru_cache(maxsize=32)
def _drawn(key: str, digits: int) -> tuple[int, ...]:
    """Return all numbers of so many digits, in the order that a key stands for."""
    by_chance = (
        (sha256(f"{key}:{number}".encode()).digest(), number) for number in range(10 ** (digits - 1), 10**digits)
    )
    return tuple(number for _, number in sorted(by_chance))
