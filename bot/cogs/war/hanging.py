"""What is nothing without a war's beginning: all that is kept of it."""

from __future__ import annotations

from bot.core.records import Change
from rules.books.total_war.keeping import WAR


def hangs(change: Change) -> tuple[str, ...]:
    """Return that all of a war hangs on its beginning."""
    begins = change.name == WAR and change.after and (change.before is None or change.before["over"])
    return ("",) if begins else ()
