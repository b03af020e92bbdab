"""Exact odds, as fractions: of one table, of how many of several things come true, and of parts that share a die."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, product
from math import lcm, prod
from operator import mul
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from rules.dice import DiceTerm
    from rules.tables import Reading, RollTable, TableRow

MAX_COMBINATIONS = 16
"""So many combinations of what parts come to are told one by one."""


class Joint(Struct, frozen=True):
    """What several parts come to together: by outcome, how likely it is that none of them comes to it, one, two, up to all.

    `each` is how likely every combination is, by the outcomes in the order of the parts; empty where those are too many.
    """

    counts: Mapping[str, tuple[Fraction, ...]]
    each: Mapping[tuple[str, ...], Fraction]


def table_odds(
    table: RollTable, modifier_sum: int, reading: Reading | None = None, value: int | None = None
) -> dict[str, Fraction]:
    """Return the chance of each outcome of a table under a sum of modifiers, in row order; outcomes out of reach are 0."""
    of = table.die.sides**table.die.count
    ways = table_ways(table, modifier_sum, reading, value)
    return {outcome: Fraction(number, of) for outcome, number in ways.items()}


def table_ways(
    table: RollTable, modifier_sum: int, reading: Reading | None = None, value: int | None = None
) -> dict[str, int]:
    """Return in how many falls of the die a table comes to each outcome, in row order."""
    counts = {row.outcome: 0 for row in table.rows}
    upto = _ways_upto(table.die)
    for outcome, low, high in table_spans(table, modifier_sum, reading, value):
        counts[outcome] += upto[high] - upto[low - 1]  # as many ways as fall up to one end, less those up to the other
    return counts


def table_spans(
    table: RollTable, modifier_sum: int, reading: Reading | None = None, value: int | None = None
) -> Iterator[tuple[str, int, int]]:
    """Yield what every throw comes to: outcomes, each with the lowest and the highest throw of a run that comes to it."""
    naturals = {} if reading and reading.plain else {item.face: item.outcome for item in reversed(table.naturals)}
    for row in table.rows:
        outcome = reading.rows.get(row.outcome, row.outcome) if reading else row.outcome
        low, high = _faces(row, table, modifier_sum, value)
        for end in (*sorted(face for face in naturals if low <= face <= high), high + 1):
            if low < end:
                yield outcome, low, end - 1
            low = end + 1
    for face, outcome in naturals.items():
        yield outcome, face, face


def count_ways(ways: Iterable[int], of: int) -> tuple[int, ...]:
    """Return in how many ways none of several things comes true, one does, two do, up to all; each does in its ways `of` so many."""
    counts: tuple[int, ...] = (1,)
    for way in ways:
        pairs = zip((*counts, 0), (0, *counts), strict=True)
        counts = tuple(stays * (of - way) + rises * way for stays, rises in pairs)
    return counts


def joint_odds(die: DiceTerm, parts: Sequence[Mapping[str, Sequence[Fraction]]]) -> Joint:
    """Return what parts come to together that share this die, of which each gives its outcomes' odds under every throw.

    Under any one throw the rest of each part falls by itself.
    """
    # In whole numbers: with fractions it takes thirty times as long.
    of = lcm(*(chance.denominator for part in parts for under in part.values() for chance in under))
    whole = die.sides**die.count * of ** len(parts)
    ways = [{name: [int(chance * of) for chance in under] for name, under in part.items()} for part in parts]
    falls, never = [*die.ways().values()], [0] * len(die.ways())
    counts, each = {}, {}
    for name in dict.fromkeys(name for part in ways for name in part):
        under = [count_ways(throw, of) for throw in zip(*(part.get(name, never) for part in ways), strict=True)]
        counts[name] = tuple(Fraction(sum(map(mul, falls, number)), whole) for number in zip(*under, strict=True))
    if prod(map(len, ways)) <= MAX_COMBINATIONS:
        for names in product(*ways):
            throws = zip(*(part[name] for part, name in zip(ways, names, strict=True)), strict=True)
            each[names] = Fraction(sum(map(mul, falls, map(prod, throws))), whole)
    return Joint(counts, each)


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
def _ways_upto(die: DiceTerm) -> dict[int, int]:
    """Return in how many ways each throw or a lower one falls."""
    return dict(enumerate(accumulate(die.ways().values(), initial=0), start=die.low - 1))
