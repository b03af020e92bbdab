"""Questions that rolls leave for game masters to answer, such as who has won a battle: each feature asks and answers its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.ui.text import shorten
from bot.ui.todo import FEW, Todo, counted, few, tally
from rules.ends import Moment

MAX_LABEL = 80
"""Characters of a button, as Discord has them."""


class Question(Struct, frozen=True):
    """What the roll of an `entry` leaves to be answered about somebody (a name): one line, and the button that answers it.

    It `holds` something back where somebody's move waits for the answer.
    """

    entry: int
    about: str
    line: str
    label: str
    custom_id: str
    holds: bool = False

    @property
    def button(self) -> ui.Button[Any]:
        """The button that answers it."""
        return ui.Button(label=shorten(self.label, MAX_LABEL), custom_id=self.custom_id)


Asking = Callable[[Connection, Campaign, Moment], Iterable[Question]]
"""Tell what is to be answered in a campaign at a moment; only game masters read it."""


def open_questions(asking: Iterable[Asking], tx: Connection, campaign: Campaign, now: Moment) -> list[Question]:
    """Return what is to be answered in a campaign at a moment: first what holds something back, of that the oldest first."""
    return sorted((item for ask in asking for item in ask(tx, campaign, now)), key=_place)


def as_todo(title: str, what: str, found: Iterable[Question], rest: str) -> Iterator[Todo]:
    """Yield questions of one kind for the desk of a game master; `what` they are has `{s}` where several have an s, `rest` is where all are."""
    asked, count = counted(found)
    if asked:
        lines = few((f"\N{BULLET} {item.line}" for item in asked), count, rest)
        undone = tally(count, what, (item.about for item in asked))
        yield Todo(title, lines, [[item.button for item in asked[:FEW]]], undone=undone)


def _place(item: Question) -> tuple[bool, int, str]:
    return not item.holds, item.entry, item.custom_id
