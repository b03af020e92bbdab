"""Rolls that happen in a war: the war as their parts carry it, and what they come to as everybody may read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.war import Rules, War
from rules.effects import SCENE
from rules.errors import RollError
from rules.procedure import Conclusion, Part, Throw
from rules.tables import Tone


def war_of(part: Part, book: Book) -> tuple[Rules, War]:
    """Return the war in which a roll happens."""
    kept = part.kept.get(SCENE, {})
    if keeping.SCENARIO not in kept:
        raise RollError("No war is on here. A game master starts one with /war new.")
    return keeping.read(book, kept)


def concluded(outcome: str, lines: Sequence[str], rules: Rules, tone: Tone = "neutral") -> Conclusion:
    """Return what something came to, by the first of the lines that tell it; where there is fog it is the staff's alone.

    The other lines are `further` steps.
    """
    audience: Literal["results", "staff"] = "results" if rules.scenario.fog == "open" else "staff"
    return Conclusion(outcome, lines[0] if lines else "Done", tone, audience)


def for_maker(conclusion: Conclusion) -> Conclusion:
    """Return what something came to, told to whoever has done it too, where it is not everybody's: a side knows its own battle, and who joins their own side."""
    return conclusion if conclusion.audience == "results" else replace(conclusion, audience="maker")


def further(lines: Sequence[str]) -> tuple[Throw, ...]:
    """Return what is told behind the first line, as steps without dice."""
    return tuple(Throw("", line) for line in lines[1:])
