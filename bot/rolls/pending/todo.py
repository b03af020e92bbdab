"""Rolls that wait for an answer on the desk of the week."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from sqlalchemy import Connection

from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.rolls.pending.messages import describe_end, name_asked
from bot.rolls.pending.panel import heading, selects
from bot.rolls.pending.service import PendingRoll, find_waiting
from bot.ui.text import plain
from bot.ui.todo import Todo, few, tally
from rules.phrases import inside


def open_answers(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what waits for an answer by and of the viewer, or all for game masters, to be answered or withdrawn."""
    found = find_waiting(tx, viewer.person, viewer.campaign)
    if found:
        title = heading(found)
        lines = few(map(_line, count(1), found), len(found), found[0].pending.words.listed)
        undone = tally(len(found), inside(title)[:-1] + "{s}", (item.pending.words.name for item in found))
        yield Todo(title, lines, [[select] for select in selects(found, viewer.person)], undone=undone)


def _line(place: int, item: PendingRoll) -> str:
    pending = item.pending
    return (
        f"{place}. **{plain(pending.words.name)}** to {name_asked(pending, pending.awaited)}, {describe_end(pending)}"
    )
