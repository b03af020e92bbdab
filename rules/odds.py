"""Exact odds as fractions, and Pearson's chi-square of faces."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, count, product
from math import exp, fsum, lcm, lgamma, log, prod
from operator import mul

from msgspec import Struct

from rules.dice import DiceTerm
from rules.tables import DOUBLES, Reading, RollTable, TableRow

MAX_COMBINATIONS = 16


class JointOdds(Struct, frozen=True):
    """By outcome, the chance that none, one, two … parts have it.

    `each` has the chances of combinations; it's empty if there are too many.
    """

    counts: Mapping[str, tuple[Fraction, ...]]
    each: Mapping[tuple[str, ...], Fraction]


def table_odds(
    table: RollTable, modifier_sum: int, reading: Reading | None = None, value: int | None = None
) -> dict[str, Fraction]:
    """Return each outcome's chance, in row order."""
    table, modifier_sum = table.with_added(modifier_sum)
    of, ways = table.die.cases, table_ways(table, modifier_sum, reading, value)
    return {outcome: Fraction(number, of) for outcome, number in ways.items()}


def table_ways(table: RollTable, modifier_sum: int, reading: Reading | None, value: int | None) -> dict[str, int]:
    """Count the throws that give each outcome, in row order."""
    counts = {row.outcome: 0 for row in table.rows}
    upto = _ways_upto(table.die)
    for outcome, low, high in table_spans(table, modifier_sum, reading, value):
        counts[outcome] += upto[high] - upto[low - 1]  # as many ways as fall up to one end, less those up to the other
    return counts


def table_spans(
    table: RollTable, modifier_sum: int, reading: Reading | None, value: int | None
) -> Iterator[tuple[str, int, int]]:
    """Yield (outcome, lowest, highest throw) for each run of throws; outcomes can repeat."""
    naturals = {} if reading and reading.plain else {item.face: item.outcome for item in reversed(table.naturals)}
    for row in table.rows:
        outcome = reading.rows.get(row.outcome, row.outcome) if reading else row.outcome
        low, high = _faces(row, table, modifier_sum, value)
        doubles = (
            [face for face in DOUBLES if low <= face <= high and face not in naturals]
            if outcome in table.doubles
            else []
        )
        yield from ((table.doubles[outcome], face, face) for face in doubles)
        for end in (*sorted([*doubles, *(face for face in naturals if low <= face <= high)]), high + 1):
            if low < end:
                yield outcome, low, end - 1
            low = end + 1
    for face, outcome in naturals.items():
        yield outcome, face, face


def count_ways(ways: Iterable[int], of: int) -> tuple[int, ...]:
    """Return in how many ways none, one, two … things happen; each happens in `way` of `of` cases."""
    counts: tuple[int, ...] = (1,)
    for way in ways:
        pairs = zip((*counts, 0), (0, *counts), strict=True)
        counts = tuple(stays * (of - way) + rises * way for stays, rises in pairs)
    return counts


def joint_odds(die: DiceTerm, parts: Sequence[Mapping[str, Sequence[Fraction]]]) -> JointOdds:
    """Combine parts whose odds depend on a shared die, and are independent otherwise."""
    # In whole numbers: with fractions it takes thirty times as long.
    of = lcm(*(chance.denominator for part in parts for under in part.values() for chance in under))
    whole = die.cases * of ** len(parts)
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
    return JointOdds(counts, each)


def _faces(row: TableRow, table: RollTable, modifier_sum: int, value: int | None) -> tuple[int, int]:
    die = table.die
    _, at_zero = table.score(0, modifier_sum, value)
    low = None if row.min is None else row.min - at_zero
    high = None if row.max is None else row.max - at_zero
    if table.against is not None and table.against.reads == "under":
        low, high = (None if end is None else -end for end in (high, low))
    return max(die.low, die.low if low is None else low), min(die.high, die.high if high is None else high)


@lru_cache(maxsize=256)
def _ways_upto(die: DiceTerm) -> dict[int, int]:
    return dict(enumerate(accumulate(die.ways().values(), initial=0), start=die.low - 1))


LEAST_EXPECTED = 5
"""The least expected count of a group of faces; below it the approximation fails."""
_CLOSE = 1e-15
_TINY = 1e-300


class FairnessFit(Struct, frozen=True):
    """A chi-square, its degrees of freedom and chance; `grouped` is how many faces a group has."""

    statistic: float
    freedom: int
    chance: float
    grouped: int


def fit_to_fair(counts: Sequence[int]) -> FairnessFit | None:
    """Compare counts by face with a fair die; None if there are too few.

    Neighbouring faces are grouped until each group is expected often enough.
    """
    sides, thrown = len(counts), sum(counts)
    size = next((size for size in range(1, sides // 2 + 1) if thrown * size >= LEAST_EXPECTED * sides), None)
    if size is None:
        return None
    groups = [counts[start : start + size] for start in range(0, sides - sides % size, size)]
    groups[-1] = counts[(len(groups) - 1) * size :]  # the last one takes those that are left over
    expected = [thrown * len(group) / sides for group in groups]
    statistic = fsum((sum(group) - due) ** 2 / due for group, due in zip(groups, expected, strict=True))
    freedom = len(groups) - 1
    return FairnessFit(statistic, freedom, chance_of(statistic, freedom), size)


def chance_of(statistic: float, freedom: int) -> float:
    """Return the chance of a chi-square at least this large: the upper incomplete gamma function."""
    shape, at = freedom / 2, statistic / 2
    if at <= 0:
        return 1.0
    scale = exp(shape * log(at) - at - lgamma(shape))
    return 1 - scale * _series(shape, at) if at < shape + 1 else scale * _fraction(shape, at)


def _series(shape: float, at: float) -> float:
    term = total = 1 / shape
    for place in count(1):
        term *= at / (shape + place)
        total += term
        if term < total * _CLOSE:
            break
    return total


def _fraction(shape: float, at: float) -> float:
    below = at + 1 - shape
    c, d = 1 / _TINY, 1 / below
    found = d
    for place in count(1):
        step, below = -place * (place - shape), below + 2
        d, c = 1 / (step * d + below or _TINY), below + step / c or _TINY
        found *= c * d
        if abs(c * d - 1) < _CLOSE * 10:
            break
    return found
