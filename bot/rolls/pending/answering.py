"""How the rolls of a family that wait are answered: what is pressed or typed, and what of that becomes of the request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from discord import ui
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.rolls.request import RollRequest


class Answer(Struct, frozen=True):
    """An answer: the word of what was pressed, what was typed by the names of the fields, and the name of who answers on the server."""

    name: str
    choice: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


Fold = Callable[[RollRequest, int, Answer | None], RollRequest]
"""Return the request with the answer of a seat (its place) in it; None is nobody's answer, which only what does not lapse gets.

Raises BadInput or RollError for an answer that cannot be used.
"""

Window = Callable[[Mapping[str, str], str], Iterable[ui.Label[ui.Modal]]]
"""Return the fields of the window for an answer; takes what is to stand in them, and the name of who answers."""


Others = Callable[[RollRequest, int], Iterable[tuple[str, RollRequest]]]
"""Yield other answers of a seat (its place) that might do where the one in the request cannot be used: what is said of each, and the request with it."""

There = Callable[[Connection, Campaign, RollRequest, Collection[int]], Collection[int] | None]
"""Return who of those asked (numbers) can still take part in a roll that waits; None where nothing is left to roll."""


def _as_it_is(request: RollRequest) -> RollRequest:
    return request


class Answering(Struct, frozen=True):
    """How rolls of a family are answered: by what is pressed (`choices`: labels by their words), or else in a `window`.

    Choices that `open` the window are answered by what is typed there. `made` is what is rolled once nothing is missing any more.
    `there` tells who can still take part, where that may change meanwhile. Where an answer is refused, the first of the `others`
    that can be used is told.
    """

    fold: Fold
    choices: Mapping[str, str] = field(default_factory=dict)
    window: Window | None = None
    open: Collection[str] = ()
    made: Callable[[RollRequest], RollRequest] = _as_it_is
    there: There | None = None
    others: Others | None = None

    @property
    def pressed(self) -> frozenset[str]:
        """The words that an answer can have been pressed by: none where it was typed."""
        typed = {""} if self.open or not self.choices else set()
        return frozenset({word for word in self.choices if word not in self.open} | typed)
