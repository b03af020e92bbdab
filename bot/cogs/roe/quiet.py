"""What is done by somebody who hides, or to one whom only some have seen: told to its maker and the staff alone (lines 353, 355)."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import BOOK
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from rules.books.roe.marks import BY, HIDDEN
from rules.effects import EFFECT
from rules.subjects import subject_key

TRAIT = HIDDEN.removeprefix(EFFECT)


def keeps_quiet(_tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return that a roll is quiet in which somebody hides in a fight whose hiding it does not end.

    What is done to somebody hidden is so where whoever does it has seen that one: the others have not.
    """
    act = roll.book.acts.get(roll.resolution.family)
    if roll.book.id != BOOK or (act is not None and act.loud):
        return ExtraChanges()
    return ExtraChanges(quiet=not {*_hiding(roll)} <= {*_shown(roll)})


def _hiding(roll: ResolvedRoll) -> Iterator[int]:
    """Yield who hides (numbers) and acts, or is known to whoever acts."""
    actor = roll.book.procedure(roll.resolution.family).actor
    for part in roll.request.parts:
        acting = {*part.ids.get(actor, ())}
        for number in (number for some in part.ids.values() for number in some if number is not None):
            value = roll.before.get((subject_key(number), HIDDEN))
            if value and value.get("scene") and acting & {number, *value.get(BY, ())}:
                yield number


def _shown(roll: ResolvedRoll) -> Iterator[int]:
    """Yield who (numbers) hides no more by it."""
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        for item in made.conclusion.consequences if made.conclusion else ():
            if TRAIT in roll.resolution.deeds[item.do].ends:
                yield from (number for number in asked.ids.get(item.to or "", ()) if number is not None)
