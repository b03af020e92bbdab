"""How far somebody gets in one movement phase (lines 124 to 129, 390, 522, 527, 554)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Stance, Vehicle, entry_of
from rules.books.roe.conditions import stance_named
from rules.books.roe.marks import TURN_NOTES
from rules.books.roe.sides import Named, counted, racial_facts
from rules.errors import RollError
from rules.facts import Facts
from rules.scores import weigh_score

SPRINTED = f"{TURN_NOTES}sprint"
"""The fact that a sprint was made in this turn."""


class Way(Struct, frozen=True):
    """How somebody moves: stance, sprint, class of vehicle, a pet on its own, and what is in the way."""

    stance: str | None = None
    sprint: bool = False
    vehicle: str | None = None
    pet: bool = False
    climbing: bool = False
    obstacles: int = 0


def metres(book: Book, way: Way, racial: str | None = None, mods: Sequence[int | Named] = ()) -> int:
    """Return the metres of one movement phase.

    Nothing that is the rider's counts in a vehicle, nothing of its owner's for a pet.
    """
    stance = stance_named(book, way.stance, seated=way.vehicle is not None)
    if way.sprint and not stance.sprints:
        raise RollError(f"{stance.label}: sprinting isn't possible.")
    if way.obstacles < 0:
        raise RollError("Obstacles can't be below 0.")
    reached = _with_modifiers(book, way, stance, racial, mods)
    if way.climbing:
        reached //= book.number("climbing-part")
    return max(reached - way.obstacles * book.number("obstacle-m"), 0)


def _with_modifiers(book: Book, way: Way, stance: Stance, racial: str | None, mods: Sequence[int | Named]) -> int:
    facts = racial_facts(book, "actor", racial)
    base = book.number("pet-m") if way.pet else book.scores["movement-m"].base
    if way.vehicle is not None:
        return base + entry_of(book.listed(Vehicle), way.vehicle).metres
    weighed = weigh_score(book.scores["movement-m"], "actor", {} if way.pet else facts)
    added = [item.amount for item in weighed.modifiers] + [item.value for item in counted(mods)]
    return _phase(book, stance, base, added, sprint=way.sprint)


def movement_m(book: Book, facts: Facts, role: str) -> int:
    """Return the metres of one movement phase of whoever stands in a role, by what is true of that one.

    Nothing that is the rider's counts in a vehicle (line 522).
    """
    score, carried = book.scores["movement-m"], facts.get(f"{role}.carried-m")
    if f"{role}.vehicle" in facts:
        return score.base + (carried.count if carried else 0)
    added = [item.amount for item in weigh_score(score, role, facts).modifiers]
    stances = [*book.listed(Stance).values()]
    held = (item for item in stances if item.fact and f"{role}.{item.fact}" in facts)
    return _phase(book, next(held, stances[0]), score.base, added, sprint=SPRINTED in facts)


def _phase(book: Book, stance: Stance, base: int, added: Sequence[int], *, sprint: bool) -> int:
    if stance.metres is not None:
        part = book.number("positive-part-prone")
        slowed = stance.metres + sum(value // part if value > 0 else value for value in added)
        return max(slowed, book.number("prone-least-m"))
    return max(base + sum(added) + (book.number("sprint-m") if sprint else 0), 0)
