"""Totals can be checked on every table of every book that ships."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import convert

from bot.rolls.fairness.forms import BookForm, StepForm
from bot.rolls.fairness.totals import total_faults
from rules.library import shipped_books
from rules.ruleset import canonical_book

BOOKS = {book.id: json.loads(canonical_book(book))["tables"] for book in shipped_books().values()}


def steps(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A step for each outcome that a table has and each way to come to it: each face that decides alone, and both ends of each row."""
    naturals = [(item["outcome"], item["face"]) for item in table["naturals"]]
    ends = [(row["outcome"], end) for row in table["rows"] for end in (row["min"], row["max"]) if end is not None]
    against = {"reads": table["against"]["reads"], "value": 0} if "against" in table else {}
    for outcome, face in [*ends, *naturals]:
        thrown = table["die"] != "0d2"
        yield {
            "table": table["id"],
            "dice": [{"die": table["die"], "faces": [face] if thrown else [], "drawn": "seed"}],
            **(against if thrown else {**against, "value": face}),
            "natural": (outcome, face) in naturals,
            "modifiers": [],
            "adjustments": [],
            "sum": 0,
            "total": face,
            "outcome": outcome,
        }


@pytest.mark.parametrize("book", BOOKS)
def test_every_outcome_of_every_table_is_known(book: str) -> None:
    """At the ends of its row, or on the face that decides alone, an outcome is what the verifier expects; and no table is unreadable."""
    tables = convert({"tables": BOOKS[book]}, BookForm)["tables"]
    for table in BOOKS[book].values():
        for step in steps(table):
            assert [*total_faults(convert(step, StepForm), tables)] == [], step


@pytest.mark.parametrize(("total", "faults"), [(35, []), (8, ["on t the total is 35, not 8"])])
def test_dice_that_are_digits_are_checked_as_one_number(total: int, faults: list[str]) -> None:
    """A d66 that shows 3 and 5 comes to 35."""
    rows = [{"outcome": "low", "min": None, "max": 34}, {"outcome": "high", "min": 35, "max": None}]
    table = {"t": {"die": "d66", "rows": rows, "naturals": [], "modifiers": [], "readings": {}}}
    tables = convert({"tables": table}, BookForm)["tables"]
    made = {"table": "t", "dice": [{"die": "d66", "faces": [3, 5], "drawn": "seed"}], "natural": False}
    step = convert({**made, "modifiers": [], "adjustments": [], "sum": 0, "total": total, "outcome": "high"}, StepForm)
    assert [*total_faults(step, tables)] == faults
