"""What lies on the ground since it was struck from a hand: picked up, also by others, or kicked away (lines 419, 420)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from rules.book import Book
from rules.books.roe.arsenal import Marks, fighter, restarted, with_marks
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.marks import DRAWN, LYING, PICKED, TAKEN
from rules.dice import Dice
from rules.effects import Change
from rules.errors import RollError
from rules.fields import word_id
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, ResolutionMethod
from rules.scenes import MEMBER

ITEM = "item"
"""The input of a part: what is meant."""


class GroundMethod(FrozenMethod, frozen=True):
    """What is done without a die to what lies on the ground: that of the other one in the part, or of whoever acts."""

    keeps: tuple[str, ...] = (MEMBER,)

    def check(self, part: Part, book: Book) -> None:  # noqa: ARG002 - as the engine calls it
        """Refuse where nothing lies there."""
        _lying(part)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - no die is thrown
        """Do it."""
        item = _lying(part)
        text, new = self.done(part, book, item)
        changes = (change for role, marks in new.items() for change in marked(part, role, marks))
        return MethodResult((), Conclusion("done", text, "neutral", "results"), changes=tuple(changes))

    @abstractmethod
    def done(self, part: Part, book: Book, item: str) -> tuple[str, dict[str, Marks]]:
        """Return what is told of it, and new marks by role."""


class PickingUp(GroundMethod, frozen=True):
    """Picking up what is one's own, or another one's, to use it until the end of the fight."""

    def done(self, part: Part, book: Book, item: str) -> tuple[str, dict[str, Marks]]:  # noqa: ARG002 - as above
        """Return it in the hands of whoever picks it up."""
        name, whose = part.inputs.get(ITEM) or item, _owner(part)
        text = f"{name} in hand"
        own = restarted(_marks(part, ACTOR))  # who picks something up has moved to it
        if whose == ACTOR:
            return text, {ACTOR: {**own, LYING + item: 0, DRAWN + item: 1}}
        number = (fighter(part.kept, part.subjects[whose]) or {})["id"]
        return text, {
            ACTOR: {**own, DRAWN + item: 1, f"{PICKED}{number}.{item}": 1},
            whose: {LYING + item: 0, TAKEN + item: 1},
        }


class Kicking(GroundMethod, frozen=True):
    """Kicking it away, some metres farther."""

    def done(self, part: Part, book: Book, item: str) -> tuple[str, dict[str, Marks]]:
        """Return it farther off."""
        metres = book.number("disarm-m")
        whose = _owner(part)
        return f"{part.inputs.get(ITEM) or item}: up to {metres} m farther", {
            whose: {LYING + item: _marks(part, whose)[LYING + item] + metres}
        }


def marked(part: Part, role: str, new: Marks) -> Iterator[Change]:
    """Yield how the marks change of whoever stands in a role, in a fight."""
    who = part.subjects[role]
    value = fighter(part.kept, who)
    if value is not None:
        yield who, MEMBER, with_marks(value, {**value.get("marks", {}), **new})


def _owner(part: Part) -> str:
    return RESISTER if RESISTER in part.subjects else ACTOR


def _marks(part: Part, role: str) -> Marks:
    marks: Marks = (fighter(part.kept, part.subjects[role]) or {}).get("marks", {})
    return marks


def _lying(part: Part) -> str:
    """Return what is meant, by its id: what is named, or what lies there."""
    whose = _owner(part)
    there = [
        mark.removeprefix(LYING) for mark, count in _marks(part, whose).items() if mark.startswith(LYING) and count
    ]
    named = part.inputs.get(ITEM)
    found = [item for item in there if named is None or word_id(named) == item]
    if not found:
        raise RollError(f"{part.subjects[whose]} has no {named or 'weapon'} on the ground.")
    return found[0]


def _procedure(name: str, title: str, method: ResolutionMethod) -> Procedure:
    told = f"{{actor}}: {title.lower()}"
    return Procedure(
        family=f"roe.turn.{name}",
        title=title,
        actor=ACTOR,
        subject=RESISTER,
        headline=told,
        headline_alone=told,
        method=method,
        policy=Policy(again="never", on_request=False),
    )


PROCEDURES = (_procedure("picking-up", "Pick up", PickingUp()), _procedure("kicking", "Kick away", Kicking()))
