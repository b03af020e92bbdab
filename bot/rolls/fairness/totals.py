"""Whether a total follows from faces and what counted, and an outcome from the total and the table. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Read = Mapping[str, Any]


def total_faults(step: Read, tables: Mapping[str, Read]) -> Iterator[str]:
    """Yield what is wrong with how the dice of a step were read; nothing of dice that are read otherwise than on a table.

    `tables` are those of the book, as its canonical JSON has them.
    """
    if "table" not in step:
        return
    counted = sum(value * count for _, value, count in step["modifiers"]) + sum(step["adjustments"])
    if step.get("uncapped", step["sum"]) != counted:
        yield f"on {step['table']} what counted comes to {counted:+}"
    table = tables.get(step["table"])
    if table is None:
        yield f"there is no table {step['table']} in the book"
        return
    thrown = sum(face for roll in step["dice"] for face in roll["faces"])
    total, read = _score(step, thrown)
    if step["total"] != total:
        yield f"on {step['table']} the total is {total}, not {step['total']}"
    outcomes = _outcomes(table, thrown, read)
    if step["outcome"] not in outcomes:
        yield f"on {step['table']} {read} comes to {' or '.join(sorted(outcomes))}, not to {step['outcome']}"


def _score(step: Read, thrown: int) -> tuple[int, int]:
    """Return the total, and what the rows are read off."""
    added, value = step["sum"], step.get("value") or 0
    match step.get("reads"):
        case "reach":
            return thrown + added, thrown + added - value
        case "under":
            return thrown, value + added - thrown
        case "number":
            return value + added, value + added
        case _:
            return thrown + added, thrown + added


def _outcomes(table: Read, thrown: int, read: int) -> set[str]:
    """Return the outcomes that a table may give: of a face that decides alone, or of the row, as a special case may read it."""
    natural = {item["outcome"] for item in table["naturals"] if item["face"] == thrown}
    rows = (row["outcome"] for row in table["rows"] if _holds(row, read))
    found = next(rows, None)
    if found is None:
        return natural
    readings = table["readings"].values()
    if natural and not any(item["plain"] for item in readings):
        return natural
    return natural | {found} | {item["rows"][found] for item in readings if found in item["rows"]}


def _holds(row: Read, read: int) -> bool:
    low, high = row["min"], row["max"]
    return (low is None or low <= read) and (high is None or read <= high)
