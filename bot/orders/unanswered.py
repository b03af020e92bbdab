"""What waits for answers of game masters: the questions that rolls have left, and the orders that hang on these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from discord import ui
from msgspec import Struct

from bot.orders.standing import StandingOrder
from bot.rolls.questions import Question
from bot.ui.text import plain

MAX_BUTTONS = 10
"""The questions that stand as buttons in one message, what holds something back first; others move up as these are answered."""


class WaitingOrder(Struct, frozen=True):
    """An order that waits until something is answered, and why."""

    order: StandingOrder
    why: str


class Unanswered(Struct, frozen=True):
    """What waits: orders that hang on an answer, the questions of rolls, and in sentences what `holds` the end of scenes back."""

    orders: Sequence[WaitingOrder] = ()
    questions: Sequence[Question] = ()
    holds: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        """The questions, a line for each."""
        return [f"\N{BULLET} {item.line}" for item in self.questions]

    @property
    def buttons(self) -> list[ui.Button[Any]]:
        """The buttons that answer the first questions."""
        return [item.button for item in self.questions[:MAX_BUTTONS]]


def left_by(orders: Iterable[StandingOrder], questions: Iterable[Question]) -> list[Question]:
    """Return those of these questions that entries have left to which orders have come."""
    made = {number for item in orders for number in item.entries}
    return [item for item in questions if item.entry in made]


def waiting_lines(waiting: Sequence[WaitingOrder]) -> Iterator[str]:
    """Yield the orders that wait, and why."""
    yield from (f"\N{HOURGLASS} {plain(item.order.who.name)} is waiting: {plain(item.why)}" for item in waiting)
