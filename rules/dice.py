"""Dice, and the port that faces come through; the caller decides who draws them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import accumulate, product
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, NamedTuple, Protocol, Self

from msgspec import Meta, Struct
from msgspec.structs import replace

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

    @property
    def cases(self) -> int:
        """How many throws there are."""
        return int(self.sides**self.count)

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


class PoolTerm(DiceTerm, frozen=True, kw_only=True):
    """Dice read as their highest or lowest face, or as a count of those from `target` up.

    Those from `twice` up count two, each 1 adds `ones`. A second highest face adds `pair` to the first. With `below`, all
    but the faces to `keep` are thrown again, once, where less came up: they follow the `first` ones.
    """

    reads: Literal["highest", "lowest", "count"]
    target: int = 0
    twice: int = MAX_SIDES + 1
    ones: int = 0
    pair: int = 0
    below: int | None = None
    keep: tuple[int, ...] = ()
    first: int | None = None

    @property
    def low(self) -> int:
        """The lowest total."""
        return min(self.ways())

    @property
    def high(self) -> int:
        """The highest total."""
        return max(self.ways())

    @property
    def cases(self) -> int:
        """How many throws there are, the second ones included."""
        return sum(self.ways().values())

    def settle(self, faces: Sequence[int]) -> tuple[int, ...]:
        """Return the faces that count, of all that were thrown."""
        first, again = faces[: self.first], iter(faces[self.first :] if self.first is not None else ())
        return tuple(face if face in self.keep else next(again, face) for face in first)

    def total(self, faces: Iterable[int]) -> int:
        """Read faces."""
        return reduce(self.count_face, self.settle([*faces]), self.start)

    @property
    def start(self) -> int:
        """The total of no dice."""
        return self.sides if self.reads == "lowest" else 0

    def count_face(self, total: int, face: int) -> int:
        """Return a total with one more face."""
        match self.reads:
            case "count":
                return total + (face >= self.target) + (face >= self.twice) + (self.ones if face == 1 else 0)
            case "lowest":
                return min(total, face)
            case "highest":
                return self.sides + self.pair if face == self.sides <= total else max(total, face)

    def ways(self) -> Mapping[int, int]:
        """Return how many throws give each total, from the lowest total up."""
        return _pool_ways(self)

    def __str__(self) -> str:
        return f"{self.count}d{self.sides}"


class Push(kinds.RuleItem, frozen=True):
    """Which faces of a pool `keep`, if less than `below` came up and the rest is thrown again."""

    noun = "push"
    examples: ClassVar[Mapping[str, str]] = {"below": "below = 1", "keep": "keep = [1, 6]"}
    below: kinds.Whole
    keep: tuple[kinds.Count, ...] = ()


class TablePool(kinds.RuleItem, frozen=True):
    """How a table's die is thrown several times and read: `dice`, and one for each 1 that modifiers add.

    Without a die, `zero` ones are thrown and read at the other end. The rest is as in `rules.dice.PoolTerm`.
    """

    noun = "pool"
    derived = frozenset({"pushed"})
    examples: ClassVar[Mapping[str, str]] = {
        "reads": 'reads = "highest", "lowest" or "count"',
        "dice": "dice = 1",
        "target": "target = 6",
        "twice": "twice = 10",
        "ones": "ones = -1",
        "pair": "pair = 1",
        "zero": "zero = 2",
        "push": "push = { below = 1, keep = [1, 6] }",
    }

    reads: Literal["highest", "lowest", "count"]
    line: kinds.Line
    dice: Annotated[int, Meta(ge=0, le=MAX_DICE)] = 0
    target: kinds.Count | None = None
    twice: kinds.Count | None = None
    ones: Annotated[int, Meta(ge=-1, le=1)] = 0
    pair: Annotated[int, Meta(ge=0, le=1)] = 0
    zero: Annotated[int, Meta(ge=0, le=MAX_DICE)] = 0
    push: Push | None = None
    pushed: bool = False

    def term(self, sides: int, added: int) -> PoolTerm:
        """Return the dice to throw; a pushed pool has room for half as many."""
        count, reads, pair = min(self.dice + added, MAX_DICE // 2 if self.push else MAX_DICE), self.reads, self.pair
        if count < 1 and reads != "count":
            count, reads, pair = max(self.zero, 1), _OTHER_END[reads] if self.zero else reads, 0
        push = self.push if self.pushed and self.push else None
        below, keep = (push.below, push.keep) if push else (None, ())
        target, twice = self.target or 0, self.twice or MAX_SIDES + 1
        return PoolTerm(
            max(count, 0),
            sides,
            reads=reads,
            target=target,
            twice=twice,
            ones=self.ones,
            pair=pair,
            below=below,
            keep=keep,
        )

    def describe(self, die: str, reads: str | None = None) -> str:
        """Return the dice, such as `4d6` or `d6s`, and how they're read."""
        how = f"how many show {self.target or 0} or more" if self.reads == "count" else f"the {reads or self.reads}"
        return f"{die}, {how}" + (", pushed" if self.pushed else "")


_OTHER_END: Mapping[str, Literal["highest", "lowest"]] = {"highest": "lowest", "lowest": "highest"}


def throw(dice: "Dice", term: DiceTerm) -> "Roll":
    """Throw a term, and of a pool that came up too low once more what isn't kept."""
    if not term.count:
        return Roll(term, (), "")
    roll = dice.roll(term)
    if not isinstance(term, PoolTerm) or term.below is None or roll.total >= term.below:
        return roll
    again = sum(face not in term.keep for face in roll.faces)
    if not again:
        return roll
    more = dice.roll(replace(term, count=again, first=0))
    sources = dict.fromkeys([*roll.source.split(" and "), *more.source.split(" and ")])
    both = replace(term, count=term.count + again, first=term.count)
    return Roll(both, roll.faces + more.faces, " and ".join(sources))


@lru_cache(maxsize=256)
def _pool_ways(term: PoolTerm) -> Mapping[int, int]:
    faces, ends = range(1, term.sides + 1), Counter({(term.start, term.start): 1})
    for _ in range(term.count if term.first is None else term.first):
        before, ends = ends, Counter()
        for (first, second), ways in before.items():
            for face in faces:
                now = term.count_face(first, face)
                if term.below is None:
                    ends[now, now] += ways
                elif face in term.keep:
                    ends[now, term.count_face(second, face)] += ways * term.sides
                else:
                    for other in faces:
                        ends[now, term.count_face(second, other)] += ways
    found = Counter[int]()
    for (first, second), ways in ends.items():
        found[second if term.below is not None and first < term.below else first] += ways
    return MappingProxyType({total: found[total] for total in range(min(found), max(found) + 1)})


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


class FallenDie(NamedTuple):
    """A die of an earlier roll; `again` if a pool's second throw had it."""

    sides: int
    face: int
    source: str
    again: bool = False


class KeptDice:
    """Faces of an earlier roll, in order; `others` throws missing ones.

    `SHARED` ones come last: they count only if no other part throws them. A face typed by hand stays marked.
    """

    def __init__(self, fallen: Iterable[FallenDie], others: Dice) -> None:
        self._left: dict[int, list[Roll]] = {}
        self._again: dict[int, list[Roll]] = {}
        self._shared: dict[int, list[Roll]] = {}
        for die in fallen:
            kept = BY_HAND if die.source == BY_HAND else KEPT
            among = self._shared if die.source == SHARED else self._again if die.again else self._left
            among.setdefault(die.sides, []).append(Roll(DiceTerm(1, die.sides), (die.face,), kept))
        self._others = others

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next kept faces, then new ones."""
        rolls: list[Roll] = []
        own = self._again if isinstance(term, PoolTerm) and term.first == 0 else self._left
        for left in (own.get(term.sides, []), self._shared.get(term.sides, [])):
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
        return tuple(roll for some in (self._left, self._again) for left in some.values() for roll in left)
