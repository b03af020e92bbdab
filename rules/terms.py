"""What a free dice expression is made of, each part with its fall, its range, its mean and, when small, its spread.

All dice of an expression are independent of each other, so ranges and means of sums and products are exact.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import TypeAlias

from msgspec import Struct

from rules.dice import Dice, DiceTerm, Roll

COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
MAX_FALLS = 6_000
Spread: TypeAlias = Mapping[int, Fraction]


class PoolDie(Struct, frozen=True):
    """One written die: what it showed, each explosion after the first, and whether it counts."""

    rolls: tuple[Roll, ...]
    kept: bool

    @property
    def faces(self) -> tuple[int, ...]:
        """All faces in the order in which they fell."""
        return tuple(face for roll in self.rolls for face in roll.faces)


class PoolRoll(Struct, frozen=True):
    """How the dice of one pool fell and what they came to."""

    pool: Pool
    dice: tuple[PoolDie, ...]
    total: int


class NumberTest(Struct, frozen=True):
    """A comparison with a number."""

    sign: str
    number: int

    def holds(self, value: int) -> bool:
        """Return whether the value passes."""
        return COMPARISONS[self.sign](value, self.number)

    def __str__(self) -> str:
        return f"{self.sign} {self.number}"


class PlainNumber(Struct, frozen=True):
    """A plain number."""

    value: int

    def roll(self, _dice: Dice, _pool_rolls: list[PoolRoll]) -> int:
        """Return the number."""
        return self.value

    def span(self) -> tuple[int, int]:
        """Return the number, twice."""
        return self.value, self.value

    def mean(self) -> Fraction:
        """Return the number."""
        return Fraction(self.value)

    def spread(self) -> Spread:
        """Return the number, for certain."""
        return {self.value: Fraction(1)}


class Pool(Struct, frozen=True):
    """Dice of one kind. Of `count` dice the `keep` highest or lowest stay; explosions stay with their die.

    A die that shows its highest face is rolled again, at most `explosions` times, and is worth the sum of its faces.
    With a test the pool is worth the number of faces that pass, otherwise the sum of all that is kept.
    """

    count: int
    sides: int
    keep: int
    highest: bool = True
    explosions: int = 0
    test: NumberTest | None = None

    def roll(self, dice: Dice, pool_rolls: list[PoolRoll]) -> int:
        """Draw every die with its explosions, then keep."""
        drawn = [self._draw(dice) for _ in range(self.count)]
        kept = self._kept_places([sum(roll.total for roll in rolls) for rolls in drawn])
        fallen_dice = tuple(PoolDie(rolls, index in kept) for index, rolls in enumerate(drawn))
        total = self._worth(face for die in fallen_dice if die.kept for face in die.faces)
        pool_rolls.append(PoolRoll(self, fallen_dice, total))
        return total

    def span(self) -> tuple[int, int]:
        """Return the exact ends; the upper end of exploding dice is that of their last explosion."""
        if not self.test:
            return self.keep, self.keep * self.sides * (self.explosions + 1)
        return 0, self.keep * (self.explosions + 1 if self.test.holds(self.sides) else 1)

    def mean(self) -> Fraction | None:
        """Return the exact mean, explosions up to the last; with dice left out, only for pools small enough to spread."""
        if self.keep < self.count:
            return _mean_of(self.spread())
        faces = sum(Fraction(1, self.sides**further) for further in range(self.explosions + 1))
        return self.count * faces * Fraction(sum(self._worth([face]) for face in self._faces()), self.sides)

    def spread(self) -> Spread | None:
        """Return the chance of every value, from every combination of faces; none of exploding dice."""
        # Combinations instead of falls: 10d6 has 60 million falls, but 3003 combinations.
        if self.explosions or comb(self.count + self.sides - 1, self.count) > MAX_FALLS:
            return None
        ways: Counter[int] = Counter()
        for faces in combinations_with_replacement(self._faces(), self.count):
            kept = faces[-self.keep :] if self.highest else faces[: self.keep]
            # In how many orders these faces can fall.
            ways[self._worth(kept)] += factorial(self.count) // prod(map(factorial, Counter(faces).values()))
        return {value: Fraction(count, self.sides**self.count) for value, count in ways.items()}

    def _draw(self, dice: Dice) -> tuple[Roll, ...]:
        die = DiceTerm(1, self.sides)
        rolls = [dice.roll(die)]
        while rolls[-1].total == self.sides and len(rolls) <= self.explosions:
            rolls.append(dice.roll(die))
        return tuple(rolls)

    def _kept_places(self, values: list[int]) -> set[int]:
        """Return which dice stay; of equals the earlier one."""
        # Sorting is stable, also reversed: equal dice keep the order in which they fell.
        order = sorted(range(self.count), key=values.__getitem__, reverse=self.highest)
        return set(order[: self.keep])

    def _worth(self, faces: Iterable[int]) -> int:
        return sum(map(self.test.holds, faces)) if self.test else sum(faces)

    def _faces(self) -> range:
        return range(1, self.sides + 1)

    def __str__(self) -> str:
        kept = "" if self.keep == self.count else f"k{'h' if self.highest else 'l'}{self.keep}"
        test = f" {self.test}" if self.test else ""
        return f"{self.count}d{self.sides}{'!' if self.explosions else ''}{kept}{test}"


class Joined(Struct, frozen=True):
    """Two or more parts under one sign: `+`, `-` or `*`, worked out from the left."""

    sign: str
    left: Term
    right: Term

    def roll(self, dice: Dice, pool_rolls: list[PoolRoll]) -> int:
        """Roll left before right."""
        left = self.left.roll(dice, pool_rolls)
        return self._join(left, self.right.roll(dice, pool_rolls))

    def span(self) -> tuple[int, int]:
        """Return the ends, which lie where both sides are at an extreme."""
        ends = [self._join(*pair) for pair in product(self.left.span(), self.right.span())]
        return min(ends), max(ends)

    def mean(self) -> Fraction | None:
        """Return the exact mean, since the sides are independent."""
        left, right = self.left.mean(), self.right.mean()
        if left is None or right is None:
            return None
        return JOINS[self.sign](left, right)

    def spread(self) -> Spread | None:
        """Return the chances from every pair of values."""
        left, right = self.left.spread(), self.right.spread()
        if left is None or right is None or len(left) * len(right) > MAX_FALLS:
            return None
        chances: dict[int, Fraction] = {}
        for (one, chance), (other, further) in product(left.items(), right.items()):
            value = self._join(one, other)
            chances[value] = chances.get(value, Fraction(0)) + chance * further
        return chances

    def _join(self, left: int, right: int) -> int:
        return int(JOINS[self.sign](Fraction(left), Fraction(right)))


JOINS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


class Success(Struct, frozen=True):
    """1 when the inner value passes the test, otherwise 0. Its mean is the chance of success."""

    inner: Term
    test: NumberTest

    def roll(self, dice: Dice, pool_rolls: list[PoolRoll]) -> int:
        """Return 1 or 0."""
        return int(self.test.holds(self.inner.roll(dice, pool_rolls)))

    def span(self) -> tuple[int, int]:
        """Return the ends, exact for an order; for `=` the upper end is 1 whenever the number lies between the inner ends."""
        low, high = self.inner.span()
        ends = self.test.holds(low), self.test.holds(high)
        reached = self.test.sign == "=" and low <= self.test.number <= high
        return int(all(ends)), int(any(ends) or reached)

    def mean(self) -> Fraction | None:
        """Return the chance of success; None when the inner value has no spread."""
        return _mean_of(self.spread())

    def spread(self) -> Spread | None:
        """Return the chances of 1 and of 0."""
        inner = self.inner.spread()
        if inner is None:
            return None
        chance = sum((chance for value, chance in inner.items() if self.test.holds(value)), Fraction(0))
        return {1: chance, 0: 1 - chance}


Term: TypeAlias = PlainNumber | Pool | Joined | Success
"""A part of an expression; of one that takes too long to work out mean and spread are None."""


def counts(term: Term) -> bool:
    """Return whether a value is a number of successes: a test, or several added up."""
    match term:
        case Pool():
            return term.test is not None
        case Joined(sign="+"):
            sides = [side for side in (term.left, term.right) if side != PlainNumber(0)]
            return bool(sides) and all(map(counts, sides))
        case _:
            return isinstance(term, Success)


def join(first: Term, rest: Iterable[tuple[str, Term]]) -> Term:
    """Join parts by the signs between them, from the left."""
    return reduce(lambda left, item: Joined(item[0], left, item[1]), rest, first)


def _mean_of(spread: Spread | None) -> Fraction | None:
    return None if spread is None else sum((value * chance for value, chance in spread.items()), Fraction(0))
