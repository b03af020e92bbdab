"""Totals can be checked on every table of every book that ships."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.rolls.fairness.totals import total_faults
from rules.dump import canonical_book
from rules.shelf import shipped_books

BOOKS = {book.id: json.loads(canonical_book(book))["tables"] for book in shipped_books().values()}


def steps(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A step for each outcome that a table has and each way to come to it: each face that decides alone, and both ends of each row."""
    ends = [(row["outcome"], end) for row in table["rows"] for end in (row["min"], row["max"]) if end is not None]
    for outcome, face in [*ends, *((item["outcome"], item["face"]) for item in table["naturals"])]:
        yield {
            "table": table["id"],
            "dice": [{"die": "1d20", "faces": [face], "drawn": "seed"}],
            "modifiers": [],
            "adjustments": [],
            "sum": 0,
            "total": face,
            "outcome": outcome,
        }


@pytest.mark.parametrize("book", BOOKS)
def test_every_outcome_of_every_table_is_known(book: str) -> None:
    """At the ends of its row, or on the face that decides alone, an outcome is what the verifier expects; and no table is unreadable."""
    for table in BOOKS[book].values():
        for step in steps(table):
            assert [*total_faults(step, BOOKS[book])] == [], step
