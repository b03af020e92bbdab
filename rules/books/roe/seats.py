"""Getting into a vehicle, and driving it into somebody (lines 502 to 523)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER
from rules.books.roe.arms import arms_of
from rules.books.roe.arsenal import begun_anew, fighter, with_marks
from rules.books.roe.bonuses import with_kind
from rules.books.roe.catalog import DamageKind, Seat
from rules.books.roe.contests import BY_WINNER
from rules.books.roe.damage import Blow, Typed, blow
from rules.books.roe.exposing import exposed
from rules.books.roe.health import HEALTH, left_hp, with_hp
from rules.books.roe.hulls import SEAT, seat_for, slot_weapons
from rules.books.roe.injury import SAVING, befallen, harm, saving, throws
from rules.books.roe.lasting_rules import wounding
from rules.books.roe.marks import DRAWN, UNREAD
from rules.books.roe.skills import lost_by
from rules.contests import contest_method
from rules.dice import Dice, DiceTerm
from rules.effects import EFFECT, Change
from rules.procedure import (
    Chance,
    Conclusion,
    FrozenMethod,
    MethodResult,
    Part,
    WeighedStage,
)
from rules.scenes import MEMBER
from rules.scores import weigh_score
from rules.subjects import PROFILE
from rules.tables import Consequence

RAM = ("roe.act.drive", "roe.resist.ram")
_RAM = contest_method("roe.ram", RAM, BY_WINNER)
_SIDES = "ram-sides"


class MountMethod(FrozenMethod, frozen=True):
    """The method of getting into a vehicle: no dice, but a seat that is free."""

    keeps: tuple[str, ...] = (MEMBER, PROFILE)

    def check(self, part: Part, book: Book) -> None:
        """Refuse a vehicle without such a seat, or with all of them taken."""
        seat_for(part, book, RESISTER, part.inputs.get(SEAT))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - none is thrown
        """Take the seat; the weapon that is built in is at hand there."""
        seat = seat_for(part, book, RESISTER, part.inputs.get(SEAT))
        return MethodResult((), _seated(seat), {SEAT: seat.id}, tuple(_at_hand(part, book, seat)))

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return that it is certain."""
        return (Chance(_seated(seat_for(part, book, RESISTER, part.inputs.get(SEAT))), Fraction(1)),)


def _seated(seat: Seat) -> Conclusion:
    return Conclusion("done", seat.label, "neutral", "results", (Consequence(seat.deed, ACTOR),))


def _at_hand(part: Part, book: Book, seat: Seat) -> Iterator[Change]:
    """Yield that the weapons of the vehicle are at hand for whoever has a slot."""
    value = fighter(part.kept, part.subjects[ACTOR])
    fields = part.kept.get(part.subjects[RESISTER], {}).get(PROFILE, {})
    if value is not None and seat.may_fire:
        arms = arms_of(book, slot_weapons(book, fields))
        marks = {**value.get("marks", {}), **{DRAWN + arm.id: 1 for arm in arms}}
        yield part.subjects[ACTOR], MEMBER, with_marks(value, marks)


class RamMethod(FrozenMethod, frozen=True):
    """The method of driving a vehicle into somebody: the driver's die against a dodge, which costs the next movement (A32); who fails critically loses an Action."""

    tables: tuple[str, ...] = (*RAM, SAVING)
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, book: Book) -> None:
        """Refuse what the contest does, and somebody whose HP are not known."""
        left_hp(part, RESISTER)
        _RAM.check(part, book)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Roll both, and the damage of whoever was too slow."""
        met = _RAM.play(part, book, dice)
        lost = (*lost_by(part, book, met), *exposed(part, ACTOR, RESISTER))
        moved = tuple(begun_anew(part))
        if met.conclusion.outcome != ACTOR:
            spent = Consequence("lose-movement", RESISTER)
            told = _told(met.conclusion, met.conclusion.text, spent, *lost)
            return MethodResult(met.steps, told, {"damage": 0}, moved)
        roll = dice.roll(DiceTerm(1, book.number(_SIDES)))
        hp, done = left_hp(part, RESISTER), _damage(part, book, roll.total)
        record = {
            "effects": [],
            "actor_loses": "nothing",
            "resister_loses": "nothing",
            **harm(book, hp, done, mortal=True),
        }
        saved = saving(record, part, book, dice)
        text = f"{met.conclusion.text}: {done.damage} damage{'; down' if record['wounded'] else ''}"
        conclusion = _told(met.conclusion, text, *befallen(record, part, book, saved), *lost)
        changes = (with_hp(part, RESISTER, record["hp"]),) if done.damage else ()
        return MethodResult((*met.steps, *throws(hp, [roll], done), *saved), conclusion, record, (*moved, *changes))

    def stages(self, part: Part, book: Book) -> tuple[WeighedStage, ...]:
        """Return the rolls of both sides."""
        return _RAM.stages(part, book)

    def odds(self, part: Part, book: Book) -> tuple[Chance, ...]:
        """Return how likely it hits."""
        return _RAM.odds(part, book)


def _told(conclusion: Conclusion, text: str, *follows: Consequence) -> Conclusion:
    return Conclusion(conclusion.outcome, text, conclusion.tone, conclusion.audience, follows)


def _damage(part: Part, book: Book, die: int) -> Blow:
    """Return what a vehicle does to whoever it hits: melee damage, to which nothing adds (line 522)."""
    kind = next(item for item in book.listed(DamageKind).values() if item.contest == "roe.strike")
    facts = with_kind(part.facts, kind)
    reduced = sum(weigh_score(book.scores[score], RESISTER, facts, part.marks).raw for score in kind.dr)
    return blow(book, die, [Typed(kind.id, 0, reduced)])


PROCEDURES = (
    wounding("roe.mount", "Mount", "{actor} gets into {resister}", MountMethod()),
    wounding("roe.ramming", "Ram", "{actor} rams {resister}", RamMethod()),
)
