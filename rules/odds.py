"""Exact odds, as fractions: of one table, and of how many of several things come true."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.dice import DiceTerm
    from rules.tables import Reading, RollTable, TableRow


def table_odds(
    table: RollTable, modifier_sum: int, reading: Reading | None = None, value: int | None = None
) -> dict[str, Fraction]:
    """Return the chance of each outcome of a table under a sum of modifiers, in row order; outcomes out of reach are 0."""
    die = table.die
    counts = {row.outcome: 0 for row in table.rows}
    naturals = {} if reading and reading.plain else {item.face: item.outcome for item in reversed(table.naturals)}
    for face, outcome in naturals.items():
        counts[outcome] += die.ways()[face]
    upto = _ways_upto(die, frozenset(naturals))
    for row in table.rows:
        outcome = reading.rows.get(row.outcome, row.outcome) if reading else row.outcome
        low, high = _faces(row, table, modifier_sum, value)
        if low <= high:  # as many ways as fall up to one end, less those up to the other
            counts[outcome] += upto[high] - upto[low - 1]
    return {outcome: Fraction(ways, die.sides**die.count) for outcome, ways in counts.items()}


def count_odds(chances: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Return how likely it is that none of several things comes true, that one does, that two do, up to all of them."""
    counts: tuple[Fraction, ...] = (Fraction(1),)
    for chance in chances:
        pairs = zip((*counts, Fraction(0)), (Fraction(0), *counts), strict=True)
        counts = tuple(stays * (1 - chance) + rises * chance for stays, rises in pairs)
    return counts


def _faces(row: TableRow, table: RollTable, modifier_sum: int, value: int | None) -> tuple[int, int]:
    """Return the lowest and the highest throw that a row holds; the lowest is higher where there is none."""
    die = table.die
    _, at_zero = table.score(0, modifier_sum, value)
    low = None if row.min is None else row.min - at_zero
    high = None if row.max is None else row.max - at_zero
    if table.against is not None and table.against.reads == "under":
        low, high = (None if end is None else -end for end in (high, low))
    return max(die.low, die.low if low is None else low), min(die.high, die.high if high is None else high)


@lru_cache(maxsize=256)
def _ways_upto(die: DiceTerm, without: frozenset[int]) -> dict[int, int]:
    """Return in how many ways each throw or a lower one falls, faces left out that are read otherwise."""
    ways = [0 if face in without else number for face, number in die.ways().items()]
    return dict(enumerate(accumulate(ways, initial=0), start=die.low - 1))
