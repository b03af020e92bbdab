"""How well counts of faces fit a fair die: Pearson's chi-square, and how often chance alone gives so wide a spread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import exp, fsum, lgamma, log

from msgspec import Struct

LEAST = 5
"""How often each group of faces is to be expected at least: below that the approximation is none."""

_CLOSE = 1e-15
_TINY = 1e-300


class Fit(Struct, frozen=True):
    """The chi-square of counts, its degrees of freedom, and the chance of one as large or larger; `grouped` faces count together."""

    statistic: float
    freedom: int
    chance: float
    grouped: int


def fit(counts: Sequence[int]) -> Fit | None:
    """Return how well counts by face fit a fair die, None where there are too few.

    Where there are few, neighbouring faces count together, so many that each group is to be expected `LEAST` times.
    """
    sides, thrown = len(counts), sum(counts)
    size = next((size for size in range(1, sides // 2 + 1) if thrown * size >= LEAST * sides), None)
    if size is None:
        return None
    groups = [counts[start : start + size] for start in range(0, sides - sides % size, size)]
    groups[-1] = counts[(len(groups) - 1) * size :]  # the last one takes those that are left over
    expected = [thrown * len(group) / sides for group in groups]
    statistic = fsum((sum(group) - due) ** 2 / due for group, due in zip(groups, expected, strict=True))
    freedom = len(groups) - 1
    return Fit(statistic, freedom, chance_of(statistic, freedom), size)


def chance_of(statistic: float, freedom: int) -> float:
    """Return the chance that a chi-square of so many degrees of freedom (1 at least) is as large as this or larger, 0 to 1.

    It is the upper incomplete gamma function: by its series where that converges quickly, by its continued fraction elsewhere.
    """
    shape, at = freedom / 2, statistic / 2
    if at <= 0:
        return 1.0
    scale = exp(shape * log(at) - at - lgamma(shape))
    return 1 - scale * _series(shape, at) if at < shape + 1 else scale * _fraction(shape, at)


def _series(shape: float, at: float) -> float:
    """Return the lower incomplete gamma function over its scale, as a sum."""
    term = total = 1 / shape
    for place in count(1):
        term *= at / (shape + place)
        total += term
        if term < total * _CLOSE:
            break
    return total


def _fraction(shape: float, at: float) -> float:
    """Return the upper incomplete gamma function over its scale, as a continued fraction (Lentz's way)."""
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
