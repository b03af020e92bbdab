"""Weapons between attacks: reloading, the bolt, special ammunition, drawing, and what moving undoes (lines 264 to 274, 313 to 325)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from rules.acts import EFFECTIVE
from rules.book import Book
from rules.books.roe.ammunition import LOADED
from rules.books.roe.arsenal import ANEW, DREW, Marks, fighter, in_hand, restarted, state_of, with_marks, with_state
from rules.books.roe.marks import DRAWN, GONE
from rules.books.roe.movement import movement_m
from rules.books.roe.readiness import handled
from rules.books.roe.weapons import Weapon, special_actions, weapon_named
from rules.dice import Dice
from rules.errors import RollError
from rules.fields import word_id
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, ResolutionMethod
from rules.scenes import MEMBER

ACTOR = "actor"
WEAPON, TOKEN, AMMUNITION, METRES = "weapon", "token", "ammunition", "metres"
"""The inputs of a part: what the weapon is called, its token, what is loaded into it, and how far somebody moves."""
HELD = f"{ACTOR}.held"
"""The fact of whoever is held."""
NOW = "now"
"""How an act says that it takes effect at once."""


class Handled(NamedTuple):
    """What came of it: in words, and the marks of whoever did it."""

    text: str
    marks: Marks


class HandlingMethod(FrozenMethod, frozen=True):
    """What is done without a die and changes the marks of whoever does it."""

    keeps: tuple[str, ...] = (MEMBER,)

    def check(self, part: Part, book: Book) -> None:
        """Refuse what cannot be done so."""
        self.handled(part, book, _marks(part))

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:  # noqa: ARG002 - no die is thrown
        """Do it."""
        value = fighter(part.kept, part.subjects[ACTOR])
        done = self.handled(part, book, _marks(part))
        changes = () if value is None else ((part.subjects[ACTOR], MEMBER, with_marks(value, done.marks)),)
        return MethodResult((), Conclusion("done", done.text, "neutral", "results"), changes=changes)

    @abstractmethod
    def handled(self, part: Part, book: Book, marks: Marks) -> Handled:
        """Return what comes of it; raise RollError where it cannot be done."""


class Reloading(HandlingMethod, frozen=True):
    """Reloading a weapon that has fired, one Action of it (lines 264 to 268); with special ammunition also one that has not."""

    def handled(self, part: Part, book: Book, marks: Marks) -> Handled:
        """Return the weapon with one Action less to go."""
        name, weapon = _weapon(part, book)
        _require_in_hand(marks, name)
        state, kind = state_of(marks, name), part.inputs.get(AMMUNITION)
        after = handled(weapon, "reload", state, name)
        if kind is None and not (state.reload or state.used):
            raise RollError(f"{name} doesn't need reloading.")
        left = after.reload if state.reload or state.used else special_actions(book, weapon) - 1
        now = {**with_state(marks, name, after), f"reload.{word_id(name)}": left, DRAWN + word_id(name): 1}
        now[ANEW + word_id(name)] = max(weapon.reload_actions, left + 1) if left else 0
        with_kind = f" with {kind}" if kind else ""
        text = f"{left} more to go, without moving or attacking" if left else "ready"
        return Handled(f"{name}{with_kind}: {text}", _loaded(now, name, kind) if kind else now)


class Bolting(HandlingMethod, frozen=True):
    """Working the bolt of a weapon after a shot (line 293)."""

    def handled(self, part: Part, book: Book, marks: Marks) -> Handled:
        """Return the weapon with its bolt worked."""
        name, weapon = _weapon(part, book)
        _require_in_hand(marks, name)
        state = state_of(marks, name)
        after = handled(weapon, "bolt", state, name)
        if not state.bolt:
            raise RollError(f"{name}'s bolt is already worked.")
        return Handled(f"{name}: ready", with_state(marks, name, after))


class Drawing(HandlingMethod, frozen=True):
    """Drawing weapons, in exchange for what was in the hands (line 313)."""

    def handled(self, part: Part, book: Book, marks: Marks) -> Handled:
        """Return the hands with these weapons in them."""
        names = [name.strip() for name in str(part.inputs[WEAPON]).split(",")]
        if len(names) > book.number("hands"):
            raise RollError(f"You have {book.number('hands')} hands for weapons, not {len(names)}.")
        ids = [word_id(name) for name in names]
        for name, called in zip(names, ids, strict=True):
            if any(marks.get(gone + called) for gone in GONE):
                raise RollError(f"{name} is out of reach. Pick it up first.")
        if all(marks.get(DRAWN + called) for called in ids):
            raise RollError(f"{' and '.join(names)}: already in hand.")
        away = {mark: 0 for mark in marks if mark.startswith(DRAWN)}
        later = part.inputs.get(EFFECTIVE, NOW) != NOW
        new = {DREW + called for called in ids if later and not marks.get(DRAWN + called)}
        now = {**marks, **away, **{DRAWN + called: 1 for called in ids}, **dict.fromkeys(new, 1)}
        when = ", usable from next turn" if new else ""
        return Handled(f"{' and '.join(names)} in hand{when}", now)


class Moving(HandlingMethod, frozen=True):
    """Moving, as far as a movement phase goes; what was being reloaded is begun anew (lines 124, 266)."""

    def handled(self, part: Part, book: Book, marks: Marks) -> Handled:
        """Return the marks of whoever has moved."""
        most, metres = _most_m(part, book), part.inputs.get(METRES)
        if metres is not None and metres > most:
            raise RollError(f"{part.subjects[ACTOR]} can move up to {most} m, not {metres} m.")
        far = f"up to {most} m" if metres is None else f"{metres} m of {most} m"
        return Handled(f"Moved, {far}", restarted(marks))

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return how far it goes."""
        return [f"Up to {_most_m(part, book)} m."]


def _most_m(part: Part, book: Book) -> int:
    """Return how far whoever acts gets, which is little in a hold (line 426)."""
    most = movement_m(book, part.facts, ACTOR)
    return min(most, book.number("held-m")) if HELD in part.facts else most


def _marks(part: Part) -> Marks:
    marks: Marks = (fighter(part.kept, part.subjects[ACTOR]) or {}).get("marks", {})
    return marks


def _weapon(part: Part, book: Book) -> tuple[str, Weapon]:
    return part.inputs[WEAPON], weapon_named(book, part.inputs[TOKEN])


def _require_in_hand(marks: Marks, name: str) -> None:
    if marks and not in_hand(marks, name):
        raise RollError(f"{name} isn't in hand. Draw it first.")


def _loaded(marks: Marks, name: str, kind: str) -> Marks:
    """Return marks with one kind of ammunition in a weapon (line 325)."""
    of = f"{LOADED}{word_id(name)}."
    return {mark: count for mark, count in marks.items() if not mark.startswith(of)} | {of + word_id(kind): 1}


def _procedure(name: str, title: str, method: ResolutionMethod) -> Procedure:
    told = f"{{actor}}: {title.lower()}"
    return Procedure(
        family=f"roe.{name}",
        title=title,
        actor=ACTOR,
        subject="thing",
        headline=told,
        headline_alone=told,
        method=method,
        policy=Policy(again="never", on_request=False),
    )


PROCEDURES = (
    _procedure("reloading", "Reload", Reloading()),
    _procedure("bolting", "Work the bolt", Bolting()),
    _procedure("drawing", "Draw", Drawing()),
    _procedure("moving", "Move", Moving()),
)
