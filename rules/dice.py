"""Dice terms, rolls and the port through which faces arrive. Who draws the faces is the caller's business."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import accumulate, product
from types import MappingProxyType
from typing import Annotated, Protocol, Self

from msgspec import Struct

from rules.errors import WrongDice
from rules.kinds import BadSpelling, Spelling
from rules.typed_text import keyboard_signs

MAX_DICE = 20
MIN_SIDES, MAX_SIDES = 2, 1000
BY_HAND = "by hand"
"""The source of faces that a person typed in."""

KEPT = "kept"
"""The source of faces that fell in an earlier roll, which is amended."""

SHARED = "shared"
"""The source of faces that were thrown once for several parts, in those but the first."""

_TERM = re.compile(r"(?:(?P<count>[1-9]\d?)?d)?(?P<sides>[1-9]\d{0,3})", re.ASCII)
_DIGITS = re.compile(r"d(66{1,2})", re.ASCII)


class DiceTerm(Struct, frozen=True):
    """`count` dice of `sides` sides each, added up: 1d20, 2d6; `NO_DIE` has none.

    Of `digits`, each die is a digit of one number instead: d66 is two d6, the first for the tens.
    """

    count: int
    sides: int
    digits: bool = False

    def __post_init__(self) -> None:
        if not (0 <= self.count <= MAX_DICE and MIN_SIDES <= self.sides <= MAX_SIDES):
            msg = f"dice must be 1 to {MAX_DICE} dice of {MIN_SIDES} to {MAX_SIDES} sides"
            raise ValueError(msg)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `20`, `d20`, `2d6`, `d%` or `d66`; `66` and `1d66` are one die; raise ValueError for anything else."""
        plain = keyboard_signs(text).strip().lower().replace("%", "100")
        if found := _DIGITS.fullmatch(plain):
            return cls(len(found[1]), 6, digits=True)
        match = _TERM.fullmatch(plain)
        if match is None:
            msg = f"{text!r} isn't a die: write 20 or 2d6"
            raise ValueError(msg)
        return cls(int(match["count"] or 1), int(match["sides"]))

    @property
    def low(self) -> int:
        """The lowest total."""
        return self.total([1] * self.count)

    @property
    def high(self) -> int:
        """The highest total."""
        return self.total([self.sides] * self.count)

    def total(self, faces: Iterable[int]) -> int:
        """Return what faces come to: their sum, or the number that they are the digits of."""
        return reduce(_append, faces, 0) if self.digits else sum(faces)

    def ways(self) -> Mapping[int, int]:
        """Return how many of the sides**count equally likely falls come to each total, from the lowest up, also those that none does."""
        return _ways(self)

    def __str__(self) -> str:
        return f"d{self.high}" if self.digits else f"{self.count}d{self.sides}"


def term_of(die: str) -> DiceTerm:
    """Return the term that a text such as `2d6` or `d66` was made of, also one that throws nothing."""
    count, _, sides = die.partition("d")
    return DiceTerm(int(count), int(sides)) if count else DiceTerm(len(sides), int(sides[0]), digits=True)


NO_DIE = DiceTerm(0, MIN_SIDES)
"""The term of a table that reads a number and throws nothing."""


def _die(value: object) -> DiceTerm:
    """Read `20`, `"2d6"`, and what people write for these, such as `"D20"`; 0 stands for no die at all."""
    text = str(value).strip().lower() if type(value) in {int, str} else ""
    if text in {"0", "d0"}:
        return NO_DIE
    try:
        return DiceTerm.parse(text)
    except ValueError as error:
        raise BadSpelling("is not a die", _limit(text.removeprefix("d"))) from error


def _limit(die: str) -> str:
    """Return which bound a die is out of, if it is one at all."""
    match = re.fullmatch(r"(?:(\d{1,9})d)?(\d{1,9})", die, re.ASCII)
    if match and not 1 <= int(match[1] or 1) <= MAX_DICE:
        return f"write 1 to {MAX_DICE} dice"
    return f"a die has 2 to {MAX_SIDES} sides" if match else ""


Die = Annotated[DiceTerm, Spelling(_die, object)]
"""A die as a rule file writes it."""


def _append(number: int, digit: int) -> int:
    return 10 * number + digit


@lru_cache(maxsize=256)
def _ways(term: DiceTerm) -> Mapping[int, int]:
    """Count die by die: a sum is reached from each of as many sums next to each other as the die has sides."""
    if term.digits:
        numbers = {term.total(faces) for faces in product(range(1, term.sides + 1), repeat=term.count)}
        return MappingProxyType({number: int(number in numbers) for number in range(term.low, term.high + 1)})
    ways = [1]
    for _ in range(term.count):
        # Running sums: the ways to as many neighbours as the die has sides are the difference of two of them.
        below = [0] * term.sides + list(accumulate(ways))
        below += below[-1:] * (term.sides - 1)
        ways = [high - low for low, high in zip(below, below[term.sides :], strict=False)]
    return MappingProxyType(dict(enumerate(ways, start=term.low)))


class Roll(Struct, frozen=True):
    """The faces that fell for one term, and the name of the source that drew them."""

    term: DiceTerm
    faces: tuple[int, ...]
    source: str

    @property
    def total(self) -> int:
        """What the faces come to."""
        return self.term.total(self.faces)


class Dice(Protocol):
    """Where faces come from. Synchronous: a source that needs a network has its faces ready before."""

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die of the term."""
        ...


class ScriptedDice:
    """Faces written down beforehand; refuses a die that was not written down.

    `script` holds (sides, face) in the order in which the dice are to be asked for.
    """

    def __init__(self, script: Iterable[tuple[int, int]], *, source: str = "scripted") -> None:
        self._script = list(script)
        self._next = 0
        self._source = source

    @classmethod
    def of(cls, faces: Sequence[int], sides: int = 20) -> Self:
        """Return a script of dice that all have the same number of sides."""
        return cls((sides, face) for face in faces)

    def roll(self, term: DiceTerm) -> Roll:
        """Hand out the next faces; raise WrongDice where those written down don't fit."""
        return Roll(term, tuple(self._take(term) for _ in range(term.count)), self._source)

    def _take(self, term: DiceTerm) -> int:
        if self._next == len(self._script):
            msg = f"a d{term.sides} is needed, but there are no more faces"
            raise WrongDice(msg)
        sides, face = self._script[self._next]
        if sides != term.sides:
            msg = f"a d{term.sides} is asked for, but the next die written down is a d{sides}"
            raise WrongDice(msg)
        if not 1 <= face <= sides:
            msg = f"a d{sides} has no face {face}"
            raise WrongDice(msg)
        self._next += 1
        return face

    def finish(self) -> None:
        """Say that no more dice will be asked for; raise WrongDice where faces are left over."""
        if self._next != len(self._script):
            msg = f"{len(self._script) - self._next} of {len(self._script)} dice written down were never asked for"
            raise WrongDice(msg)


class KeptDice:
    """Dice that fell before and keep their faces, in the order in which they fell; `others` throw what never was.

    `fallen` holds sides, face and source of each die; those that are `SHARED` fell elsewhere and come last: they are asked for
    only where nobody throws them there any more. A face that was typed by hand stays known as one.
    """

    def __init__(self, fallen: Iterable[tuple[int, int, str]], others: Dice) -> None:
        self._left: dict[int, list[Roll]] = {}
        self._shared: dict[int, list[Roll]] = {}
        for sides, face, source in fallen:
            kept = BY_HAND if source == BY_HAND else KEPT
            among = self._shared if source == SHARED else self._left
            among.setdefault(sides, []).append(Roll(DiceTerm(1, sides), (face,), kept))
        self._others = others

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next faces, of which those that are missing are thrown."""
        rolls: list[Roll] = []
        for left in (self._left.get(term.sides, []), self._shared.get(term.sides, [])):
            more = term.count - len(rolls)
            rolls += left[:more]
            del left[:more]
        if len(rolls) < term.count:
            rolls.append(self._others.roll(DiceTerm(term.count - len(rolls), term.sides)))
        faces = tuple(face for roll in rolls for face in roll.faces)
        return Roll(term, faces, " and ".join(dict.fromkeys(roll.source for roll in rolls)))

    @property
    def unused(self) -> tuple[Roll, ...]:
        """The dice for which there was no use."""
        return tuple(roll for left in self._left.values() for roll in left)
