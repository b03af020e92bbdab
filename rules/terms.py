"""The parts of a free dice expression; dice are independent, so results are exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from operator import add, eq, ge, gt, le, lt, mul, sub
from typing import TypeAlias

from msgspec import Struct

from rules.dice import Dice, DiceTerm, Roll

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {">=": ge, "<=": le, ">": gt, "<": lt, "=": eq}
MAX_FALLS = 6_000
_Spread: TypeAlias = Mapping[int, Fraction]


class PoolDie(Struct, frozen=True):
    """One die, with explosions."""

    rolls: tuple[Roll, ...]
    kept: bool

    @property
    def faces(self) -> tuple[int, ...]:
        """All faces as they fell."""
        return tuple(face for roll in self.rolls for face in roll.faces)


class PoolRoll(Struct, frozen=True):
    """The dice of one thrown pool, and their total or number of successes."""

    pool: Pool
    dice: tuple[PoolDie, ...]
    total: int


class NumberTest(Struct, frozen=True):
    """A comparison with a number."""

    sign: str
    number: int

    def holds(self, value: int) -> bool:
        """Check whether a value passes."""
        return _COMPARISONS[self.sign](value, self.number)

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

    def spread(self) -> _Spread:
        """Return the number as certain."""
        return {self.value: Fraction(1)}


class Pool(Struct, frozen=True):
    """Dice of one kind, of which `keep` stay.

    Highest faces explode up to `explosions` times. With a test, faces that pass are counted.
    """

    count: int
    sides: int
    keep: int
    highest: bool = True
    explosions: int = 0
    test: NumberTest | None = None

    def roll(self, dice: Dice, pool_rolls: list[PoolRoll]) -> int:
        """Throw all dice, keep some, add the pool to `pool_rolls`, and return the total."""
        drawn = [self._draw(dice) for _ in range(self.count)]
        values = [sum(roll.total for roll in rolls) for rolls in drawn]
        # Sorting is stable, also reversed: equal dice keep the order in which they fell.
        kept = sorted(range(self.count), key=values.__getitem__, reverse=self.highest)[: self.keep]
        fallen_dice = tuple(PoolDie(rolls, index in kept) for index, rolls in enumerate(drawn))
        total = self._worth(face for die in fallen_dice if die.kept for face in die.faces)
        pool_rolls.append(PoolRoll(self, fallen_dice, total))
        return total

    def span(self) -> tuple[int, int]:
        """Return the lowest and highest total, all explosions included."""
        if not self.test:
            return self.keep, self.keep * self.sides * (self.explosions + 1)
        return 0, self.keep * (self.explosions + 1 if self.test.holds(self.sides) else 1)

    def mean(self) -> Fraction | None:
        """Return the exact mean; None if it takes too long."""
        if self.keep < self.count:
            return _mean_of(self.spread())
        faces = sum(Fraction(1, self.sides**further) for further in range(self.explosions + 1))
        return self.count * faces * Fraction(sum(self._worth([face]) for face in self._faces()), self.sides)

    def spread(self) -> _Spread | None:
        """Return each value's chance; None if it takes too long."""
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

    def _worth(self, faces: Iterable[int]) -> int:
        return sum(map(self.test.holds, faces)) if self.test else sum(faces)

    def _faces(self) -> range:
        return range(1, self.sides + 1)

    def __str__(self) -> str:
        kept = "" if self.keep == self.count else f"k{'h' if self.highest else 'l'}{self.keep}"
        test = f" {self.test}" if self.test else ""
        return f"{self.count}d{self.sides}{'!' if self.explosions else ''}{kept}{test}"


class Operation(Struct, frozen=True):
    """Two parts under `+`, `-` or `*`."""

    sign: str
    left: Term
    right: Term

    def roll(self, dice: Dice, pool_rolls: list[PoolRoll]) -> int:
        """Roll left before right."""
        left = self.left.roll(dice, pool_rolls)
        return self._join(left, self.right.roll(dice, pool_rolls))

    def span(self) -> tuple[int, int]:
        """Return the lowest and highest value."""
        ends = [self._join(*pair) for pair in product(self.left.span(), self.right.span())]
        return min(ends), max(ends)

    def mean(self) -> Fraction | None:
        """Return the exact mean; None if it takes too long."""
        left, right = self.left.mean(), self.right.mean()
        if left is None or right is None:
            return None
        return _JOINS[self.sign](left, right)

    def spread(self) -> _Spread | None:
        """Return each value's chance; None if it takes too long."""
        left, right = self.left.spread(), self.right.spread()
        if left is None or right is None or len(left) * len(right) > MAX_FALLS:
            return None
        chances: dict[int, Fraction] = {}
        for (one, chance), (other, further) in product(left.items(), right.items()):
            value = self._join(one, other)
            chances[value] = chances.get(value, Fraction(0)) + chance * further
        return chances

    def _join(self, left: int, right: int) -> int:
        return int(_JOINS[self.sign](Fraction(left), Fraction(right)))


_JOINS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul}


class Success(Struct, frozen=True):
    """1 if a value passes, else 0."""

    inner: Term
    test: NumberTest

    def roll(self, dice: Dice, pool_rolls: list[PoolRoll]) -> int:
        """Return 1 or 0."""
        return int(self.test.holds(self.inner.roll(dice, pool_rolls)))

    def span(self) -> tuple[int, int]:
        """Return the ends; `=` may look reachable when it isn't."""
        low, high = self.inner.span()
        ends = self.test.holds(low), self.test.holds(high)
        reached = self.test.sign == "=" and low <= self.test.number <= high
        return int(all(ends)), int(any(ends) or reached)

    def mean(self) -> Fraction | None:
        """Return the chance of success; None if it takes too long."""
        return _mean_of(self.spread())

    def spread(self) -> _Spread | None:
        """Return the chances of 1 and 0."""
        inner = self.inner.spread()
        if inner is None:
            return None
        chance = sum((chance for value, chance in inner.items() if self.test.holds(value)), Fraction(0))
        return {1: chance, 0: 1 - chance}


Term: TypeAlias = PlainNumber | Pool | Operation | Success
"""A part of an expression; mean and spread are None if they take too long."""


def counts(term: Term) -> bool:
    """Check whether values are successes."""
    match term:
        case Pool():
            return term.test is not None
        case Operation(sign="+"):
            sides = [side for side in (term.left, term.right) if side != PlainNumber(0)]
            return bool(sides) and all(map(counts, sides))
        case _:
            return isinstance(term, Success)


def join(first: Term, rest: Iterable[tuple[str, Term]]) -> Term:
    """Join parts by their signs, from the left."""
    return reduce(lambda left, item: Operation(item[0], left, item[1]), rest, first)


def _mean_of(spread: _Spread | None) -> Fraction | None:
    return None if spread is None else sum((value * chance for value, chance in spread.items()), Fraction(0))
