"""Dice, and the port that faces come through; the caller decides who draws them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, product
from types import MappingProxyType
from typing import Annotated, Protocol, Self

from msgspec import Struct

from rules import errors, kinds, typed_text

MAX_DICE = 20
MIN_SIDES, MAX_SIDES = 2, 1000
BY_HAND = "by hand"
KEPT = "kept"
"""The source of faces from an earlier roll that is amended."""
SHARED = "shared"
"""The source of faces thrown once for several parts, in all parts but the first."""
_TERM = re.compile(r"(?:(?P<count>[1-9]\d?)?d)?(?P<sides>[1-9]\d{0,3})", re.ASCII)
_DIGITS = re.compile(r"d(66{1,2})", re.ASCII)


class DiceTerm(Struct, frozen=True):
    """`count` dice of `sides` sides, added up; with `digits`, read as one number."""

    count: int
    sides: int
    digits: bool = False

    def __post_init__(self) -> None:
        if not (0 <= self.count <= MAX_DICE and MIN_SIDES <= self.sides <= MAX_SIDES):
            raise ValueError(f"dice must be 1 to {MAX_DICE} dice of {MIN_SIDES} to {MAX_SIDES} sides")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `20`, `2d6`, `d%` or `d66`; raise ValueError."""
        plain = typed_text.keyboard_signs(text).strip().lower().replace("%", "100")
        if found := _DIGITS.fullmatch(plain):
            return cls(len(found[1]), 6, digits=True)
        match = _TERM.fullmatch(plain)
        if match is None:
            raise ValueError(f"{text!r} isn't a die: write 20 or 2d6")
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
        """Add faces up, or read them as digits."""
        if self.digits:
            return sum(10**place * face for place, face in enumerate(reversed([*faces])))
        return sum(faces)

    def ways(self) -> Mapping[int, int]:
        """Return how many throws give each total, from the lowest total up."""
        return _ways(self)

    def __str__(self) -> str:
        return f"d{self.high}" if self.digits else f"{self.count}d{self.sides}"


def term_of(die: str) -> DiceTerm:
    """Read the text of a term, even of 0 dice."""
    count, _, sides = die.partition("d")
    return DiceTerm(int(count), int(sides)) if count else DiceTerm(len(sides), int(sides[0]), digits=True)


_NO_DIE = DiceTerm(0, MIN_SIDES)
"""The term of a table that reads a number and throws nothing."""


def _die(value: object) -> DiceTerm:
    text = str(value).strip().lower() if type(value) in {int, str} else ""
    if text in {"0", "d0"}:
        return _NO_DIE
    try:
        return DiceTerm.parse(text)
    except ValueError as error:
        match = re.fullmatch(r"(?:(\d{1,9})d)?(\d{1,9})", text.removeprefix("d"), re.ASCII)
        mend = f"a die has 2 to {MAX_SIDES} sides" if match else ""
        if match and not 1 <= int(match[1] or 1) <= MAX_DICE:
            mend = f"write 1 to {MAX_DICE} dice"
        raise kinds.BadSpelling("is not a die", mend) from error


Die = Annotated[DiceTerm, kinds.Spelling(_die, object)]


@lru_cache(maxsize=256)
def _ways(term: DiceTerm) -> Mapping[int, int]:
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
    """The faces of one thrown term; `source` says where they come from."""

    term: DiceTerm
    faces: tuple[int, ...]
    source: str

    @property
    def total(self) -> int:
        """The faces added up, or read as digits."""
        return self.term.total(self.faces)


class Dice(Protocol):
    """A source of faces. One that needs a network gets them beforehand."""

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die of the term."""
        ...


class ScriptedDice:
    """Written faces, as (sides, face); refuses other dice."""

    def __init__(self, script: Iterable[tuple[int, int]]) -> None:
        self._script = list(script)
        self._next = 0

    @classmethod
    def of(cls, faces: Sequence[int], sides: int = 20) -> Self:
        """Script dice that all have the same sides."""
        return cls((sides, face) for face in faces)

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next faces; raise WrongDice."""
        return Roll(term, tuple(self._take(term) for _ in range(term.count)), "scripted")

    def _take(self, term: DiceTerm) -> int:
        if self._next == len(self._script):
            raise errors.WrongDice(f"a d{term.sides} is needed, but there are no more faces")
        sides, face = self._script[self._next]
        if sides != term.sides:
            raise errors.WrongDice(f"a d{term.sides} is asked for, but the next die written down is a d{sides}")
        if not 1 <= face <= sides:
            raise errors.WrongDice(f"a d{sides} has no face {face}")
        self._next += 1
        return face

    def finish(self) -> None:
        """Raise WrongDice if faces are left over."""
        if self._next != len(self._script):
            raise errors.WrongDice(
                f"{len(self._script) - self._next} of {len(self._script)} dice written down were never asked for"
            )


class KeptDice:
    """Faces of an earlier roll, in order; `others` throws missing ones.

    `SHARED` ones come last: they count only if no other part throws them. A face typed by hand stays marked.
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
        """Return the next kept faces, then new ones."""
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
    def spare_dice(self) -> tuple[Roll, ...]:
        """Kept dice that no roll has asked for, without `SHARED` ones."""
        return tuple(roll for left in self._left.values() for roll in left)
