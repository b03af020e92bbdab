"""Sneak attacks: what is needed for one, and the stealth roll before it (lines 359 to 362)."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.roe.arsenal import fighter
from rules.books.roe.contests import ACTOR, BY_WINNER
from rules.books.roe.marks import FIRST_ATTACK
from rules.contests import contest_method
from rules.errors import RollError
from rules.procedure import Part

SNEAK = ("roe.act.stealth", "roe.resist.sneak")
STEALTH_ROLL = contest_method("roe.sneak", SNEAK, BY_WINNER)


def creeping(part: Part) -> Part:
    """Return the stealth roll before an attack as a part of its own, with the adjustments that are made to it."""
    return replace(part, adjustments=tuple(item for item in part.adjustments if item.table in SNEAK), inputs={})


def check_sneak(part: Part) -> None:
    """Refuse a sneak attack that is not the first attack of a fight, or without an Action of setting up before (line 359)."""
    value = fighter(part.kept, part.subjects[ACTOR])
    if value is not None and not value.get("marks", {}).get(FIRST_ATTACK):
        raise RollError("A sneak attack must be the character's first attack of the fight.")
    if f"{ACTOR}.set-up" not in part.facts:
        raise RollError("Spend at least one Action on setting up before a sneak attack.")
