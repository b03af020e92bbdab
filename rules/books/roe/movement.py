"""How far somebody gets in one movement phase (lines 124 to 129, 390, 522, 527, 554)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.book import Book
from rules.books.roe.catalog import Stance
from rules.books.roe.marks import TURN_NOTES
from rules.facts import Facts
from rules.scores import weigh_score

SPRINTED = f"{TURN_NOTES}sprint"
"""The fact that a sprint was made in this turn."""


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
