"""Rolls that happen in a war: the war as their parts carry it, and what they come to as everybody may read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rules.book import Book
from rules.books.total_war import keeping
from rules.books.total_war.war import Rules, War
from rules.effects import SCENE
from rules.errors import RollError
from rules.procedure import Conclusion, Part
from rules.subjects import name_key
from rules.tables import Tone


def war_of(part: Part, book: Book) -> tuple[Rules, War]:
    """Return the war in which a roll happens.

    Raises:
        RollError: it happens in none.

    """
    kept = part.kept.get(SCENE, {})
    if keeping.SCENARIO not in kept:
        raise RollError("No war is on here: a game master begins one with /war new.")
    return keeping.read(book, kept)


def faction_named(war: War, typed: str) -> str:
    """Return the id of the faction that is called so; what is typed where none is."""
    key = name_key(typed)
    return next((name for name, item in war.factions.items() if key in {name_key(name), name_key(item.name)}), typed)


def concluded(outcome: str, lines: Sequence[str], rules: Rules, tone: Tone = "neutral") -> Conclusion:
    """Return what something came to, in lines; where there is fog it is the staff's alone, and each faction's picture tells its own."""
    audience: Literal["results", "staff"] = "results" if rules.scenario.fog == "open" else "staff"
    return Conclusion(outcome, "\n".join(lines), tone, audience)
