"""Being treated, and paying the hospital after a Mortal Wound (lines 33, 56, 71, 171 and 178)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import Option
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.health import HEALTH, full_hp, left_hp, with_hp
from rules.books.roe.lasting_rules import AN_HOUR, recovering
from rules.books.roe.wounds import given
from rules.dice import Dice
from rules.errors import RollError
from rules.modifiers import WeighedModifier
from rules.procedure import Chance, Conclusion, MethodResult, Part, Policy, Procedure, ResolutionMethod
from rules.scores import weigh_score
from rules.tables import Consequence, Tone

HP, HOURS, CREDITS = "hp", "hours", "credits"
"""The inputs of a treatment, one of the two, and of a visit to the hospital."""
_SCORES = ((RESISTER, "heal"), (ACTOR, "healing"))
"""What counts on HP that come back: of who heals, then of who is healed."""
_EFFECT = "medical-effect"


class SureMethod(ResolutionMethod):
    """A method without dice."""

    @abstractmethod
    def done(self, part: Part, book: Book) -> MethodResult:
        """Return what it comes to; refuses what cannot be done with RollError."""

    def check(self, part: Part, book: Book) -> None:
        """Refuse what cannot be done."""
        self.done(part, book)

    def play(self, part: Part, book: Book, _dice: Dice) -> MethodResult:
        """Do it."""
        return self.done(part, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return the one thing that it comes to."""
        return (Chance(self.done(part, book).conclusion, Fraction(1)),)


class TreatMethod(SureMethod):
    """The method of a treatment: HP come back, or the Wounded period gets shorter (line 171)."""

    keeps = (HEALTH,)
    discloses = True

    def done(self, part: Part, book: Book) -> MethodResult:
        """Treat somebody."""
        return _shortened(part, book) if HOURS in part.inputs else _healed(part, book)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what counts besides the amount."""
        counted = _modifiers(part, book) if HP in part.inputs else ()
        lines = [f"{item.modifier.label}: {item.amount:+d}" for item in counted if item.amount]
        share = _share(part, book)
        return lines if share == 1 else [*lines, f"{share} of that takes effect."]


class HospitalMethod(SureMethod):
    """The method of paying the hospital: half of the credits, or a debt where there are none (line 178)."""

    def done(self, part: Part, book: Book) -> MethodResult:
        """Pay, or owe."""
        credits_there = int(part.inputs[CREDITS])
        paid = given(book, credits_there)
        if not paid:
            return _ended("debt", "No credits: in debt to the hospital", "owe-hospital", "failure")
        told = f"{paid} of {credits_there} credits go to the hospital"
        return replace(_ended("paid", told, "pay-hospital", "neutral"), record={"paid": paid})


def _ended(outcome: str, text: str, deed: str, tone: Tone) -> MethodResult:
    return MethodResult((), Conclusion(outcome, text, tone, "results", (Consequence(deed, ACTOR),)))


def _shortened(part: Part, book: Book) -> MethodResult:
    if f"{ACTOR}.wounded" not in part.facts:
        raise RollError(f"{part.subjects[ACTOR]} isn't Wounded.")
    minutes = int(part.inputs[HOURS] * AN_HOUR * _share(part, book))
    text = f"Wounded for {minutes / AN_HOUR:g} hours less"
    done = Consequence("recover", ACTOR, minutes)
    return MethodResult((), Conclusion("done", text, "success", "results", (done,)))


def _healed(part: Part, book: Book) -> MethodResult:
    left, full = left_hp(part, ACTOR), full_hp(part, ACTOR)
    if left == full:
        raise RollError(f"{part.subjects[ACTOR]} already has all {full} HP.")
    amount = part.inputs[HP] + sum(item.amount for item in _modifiers(part, book))
    after = min(full, left + max(0, int(amount * _share(part, book))))
    tone: Tone = "success" if after > left else "neutral"
    text = f"{after - left} HP back: {after} of {full}"
    change = with_hp(part, ACTOR, after)
    return MethodResult((), Conclusion("done", text, tone, "results"), {"hp": after}, (change,))


def _modifiers(part: Part, book: Book) -> Iterator[WeighedModifier]:
    """Yield what counts on HP that come back."""
    for role, score in _SCORES:
        yield from weigh_score(book.scores[score], role, part.facts).modifiers


def _share(part: Part, book: Book) -> Fraction:
    """Return how much of a treatment takes effect on whoever is treated (line 71)."""
    options = (entry for entry in book.listed(Option).values() if f"{ACTOR}.option.{entry.id}" in part.facts)
    return next((Fraction(str(entry.rules[_EFFECT])) for entry in options if _EFFECT in entry.rules), Fraction(1))


def _procedure(name: str, title: str, headline: str, method: ResolutionMethod) -> Procedure:
    return Procedure(
        family=f"roe.{name}",
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=headline,
        method=method,
        policy=Policy(again="never"),
        settles={"recover": recovering},
    )


PROCEDURES = (
    _procedure("treat", "Treatment", "{actor} is treated by {resister}", TreatMethod()),
    _procedure("hospital", "Hospital", "{actor} pays the hospital", HospitalMethod()),
)
