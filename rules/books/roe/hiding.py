"""Hiding in a fight, and finding whoever hides: one roll against each who could see it (lines 355, 367)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.arsenal import fighter
from rules.books.roe.contests import ACTOR, BY_WINNER, RESISTER
from rules.books.roe.marks import BY, HIDDEN, SPOTTED
from rules.books.roe.skills import SkillMethod
from rules.books.roe.struggles import StruggleMethod
from rules.contests import contest_method
from rules.dice import Dice
from rules.effects import AppliedConsequence, Change
from rules.procedure import MethodResult, Part, Policy, Procedure, Step
from rules.stages import TableMethod
from rules.tables import Consequence

VANISH, NOTICED = "vanish", "be-noticed"
NOBODY = "No one of that name is hiding here"
_HIDE = ("roe.act.stealth", "roe.resist.hide")
_SPOT = ("roe.act.perception", "roe.resist.spot")


class UnseenMethod(StruggleMethod, frozen=True):
    """A contest of which its maker and the staff hear alone: in `hides` whoever acts hides, otherwise the other one is looked for."""

    hides: bool = False

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Throw it, and tell who sees whom by it."""
        played = StruggleMethod.play(self, part, book, dice)
        done, won = played.conclusion, played.conclusion.outcome == ACTOR
        if not self.hides and fighter(part.kept, part.subjects[RESISTER]) is None:
            return _nobody(played, sure=won)
        role, deed = (ACTOR, VANISH if won else NOTICED) if self.hides else (RESISTER, NOTICED)
        seen = (Consequence(deed, role),) if self.hides or won else ()
        told = replace(done, audience="maker", consequences=(*done.consequences, *seen))
        return replace(played, conclusion=told)

    def unopposed(self, part: Part, book: Book) -> MethodResult | None:  # noqa: ARG002 - as above
        """Return that dice decide: to notice somebody is no resistance."""
        return None

    def _exposed(self, part: Part) -> tuple[Consequence, ...]:  # noqa: ARG002 - of those who touch each other
        return ()


def _nobody(played: MethodResult, *, sure: bool) -> MethodResult:
    """Return a search for somebody who is not there at all: `sure` where that one would have been found, otherwise as any that fails."""
    done = played.conclusion
    own = tuple(item for item in done.consequences if item.to != RESISTER)
    told = replace(done, audience="maker", consequences=own)
    *steps, last = played.steps
    if not (sure and isinstance(last, Step)):
        return replace(played, conclusion=told)
    told = replace(told, outcome=RESISTER, text=NOBODY, tone="failure")
    return replace(played, steps=(*steps, replace(last, row=replace(last.row, text=NOBODY))), conclusion=told)


def vanished(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what changes for whoever hides from one more: those who have seen it in the same roll are kept."""
    before = [applied.kept.get(name) for name in (HIDDEN, SPOTTED)]
    seen = {
        number for value in before if value and value["entry"] == applied.moment.entry for number in value.get(BY, ())
    }
    yield applied.name, SPOTTED, None
    yield applied.name, HIDDEN, _by(applied, seen)


def noticed(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what changes for whoever is seen by one more."""
    name = HIDDEN if HIDDEN in applied.kept else SPOTTED
    before = applied.kept.get(name)
    seen = {*(before or {}).get(BY, ()), *([applied.other] if applied.other else [])}
    yield applied.name, name, {**(before or {}), **_by(applied, seen), **({"entry": before["entry"]} if before else {})}


def _by(applied: AppliedConsequence, seen: set[int]) -> dict[str, Any]:
    return {**{key: value for key, value in applied.effect().items() if key != "other"}, BY: sorted(seen)}


def _unseen(contest: str, title: str, tables: tuple[str, str], *, hides: bool) -> Procedure:
    base = contest_method(f"roe.{contest}", tables, BY_WINNER)
    return _procedure(contest, title, UnseenMethod(tables, BY_WINNER, base.plan, shares=base.shares, hides=hides))


def _procedure(name: str, title: str, method: TableMethod) -> Procedure:
    return Procedure(
        family=f"roe.turn.{name}",
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=f"{{actor}} against {{resister}}: {title.lower()}",
        method=method,
        policy=Policy(again="never", on_request=False),
        settles={VANISH: vanished, NOTICED: noticed},
    )


PROCEDURES = (
    _unseen("hide", "Hide", _HIDE, hides=True),
    _unseen("spot", "Search", _SPOT, hides=False),
    _procedure("hack", "Hack", SkillMethod(("roe.check.hacking",), BY_WINNER)),
)
