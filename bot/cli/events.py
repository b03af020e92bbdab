"""Random events by number: one line of JSON in, one out. A bad line is answered with its error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bot.cli.queries import BadLine, read_query
from rules.book import Book
from rules.books.battlesystem.random_events import TABLE
from rules.books.battlesystem.turn import number, row_at
from rules.errors import RollError

EXAMPLES: Mapping[str, str] = {"op": '"op": "event"', "d100": '"d100": 42'}


class EventQuery(BaseModel):
    """The face of the d100, from 1 to 100; there is no 0."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    op: Literal["event"]
    d100: int


def answer_event(line: bytes, book: Book) -> dict[str, Any]:
    """Return the event of a face, that there is none, or what is wrong with the line."""
    table = book.table(TABLE)
    try:
        row = row_at(table, read_query(EventQuery, line, EXAMPLES).d100)
    except (RollError, BadLine) as error:
        return {"error": str(error)}
    if row.event is None:
        return {"event": None, "happens": False}
    return {
        "event": number(table, row),
        "happens": True,
        "restriction": row.event.letter,
        "duration": row.event.lasts,
        "scope": row.event.scope,
        "text": row.text,
    }
