"""Attacks that go at a random target (line 57): whom else, by a die before the attack, which is made on that one instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from rules.book import Book
from rules.books.roe.arsenal import fighter, with_marks
from rules.books.roe.catalog import Option
from rules.books.roe.contests import ACTOR
from rules.books.roe.marks import ACTIONS, STRAY
from rules.dice import Dice, DiceTerm
from rules.effects import Change
from rules.facts import Facts
from rules.procedure import Chance, Conclusion, MethodResult, Part, Throw
from rules.scenes import MEMBER
from rules.tables import Source

RULE = "random-target"
"""The rule of an option by which attacks go astray: its value says how often, as `1 in 10`."""
OUTCOME = "astray"
_PAGE = Source("roe-7th-edition-dice", "Racial Traits")


class Straying(Struct, frozen=True):
    """How many faces of a die lead astray, of how many, and where that is printed."""

    faces: int
    sides: int
    line: int

    @property
    def chance(self) -> Fraction:
        """How likely it is."""
        return Fraction(self.faces, self.sides)


def straying_of(book: Book, facts: Facts) -> Straying | None:
    """Return how often attacks of whoever acts go astray; None where they never do."""
    for option in book.listed(Option).values():
        if RULE in option.rules and f"{ACTOR}.option.{option.id}" in facts:
            faces, sides = str(option.rules[RULE]).split(" in ")
            return Straying(int(faces), int(sides), option.line)
    return None


def strayed(part: Part, straying: Straying, dice: Dice) -> tuple[Throw, MethodResult | None]:
    """Throw the die of an attack that may go astray, and return what that comes to; None where it goes at its target.

    An attack that has gone astray is to be made on somebody else: its Action is given back, and a mark says on whom.
    """
    first = dice.roll(DiceTerm(1, straying.sides))
    others: Sequence[tuple[int, str]] = part.inputs["strays"]
    title = "Target"
    if first.total > straying.faces:
        return Throw(title, part.subjects["resister"], (first,), _PAGE, straying.line), None
    picks = (dice.roll(DiceTerm(1, len(others))),) if len(others) > 1 else ()
    number, name = others[picks[0].total - 1 if picks else 0]
    throw = Throw(title, f"{name} instead", (first, *picks), _PAGE, straying.line)
    text = f"Astray: attack {name} instead"
    ends = Conclusion(OUTCOME, text, "danger", "results", stops=f"It goes at {name} instead.")
    return throw, MethodResult((throw,), ends, {}, tuple(_noted(part, number)))


def with_straying(chances: Sequence[Chance], straying: Straying) -> tuple[Chance, ...]:
    """Return chances with that of going astray."""
    others = (Chance(item.conclusion, item.chance * (1 - straying.chance)) for item in chances)
    astray = Conclusion(OUTCOME, "Goes astray by chance", "danger", "results")
    return (*others, Chance(astray, straying.chance))


def _noted(part: Part, number: int) -> Iterator[Change]:
    who = part.subjects[ACTOR]
    value = fighter(part.kept, who)
    if value is not None:
        marks = value.get("marks", {})
        yield who, MEMBER, with_marks(value, {**marks, ACTIONS: marks.get(ACTIONS, 0) + 1, STRAY: number})
