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
    yield from _modifier_faults(step, table)
    total, read = _score(step, thrown)
    if step["total"] != total:
        yield f"on {step['table']} the total is {total}, not {step['total']}"
    outcomes = _outcomes(table, thrown, read)
    if step["outcome"] not in outcomes:
        yield f"on {step['table']} {read} comes to {' or '.join(sorted(outcomes))}, not to {step['outcome']}"


def not_printed(step: Read, tables: Mapping[str, Read]) -> int:
    """Return how many modifiers counted in a step that are not of its table, such as what a weapon brings."""
    if "table" not in step:
        return 0
    return sum(_printed(tables[step["table"]], name) is None for name, _, _ in step["modifiers"])


def _modifier_faults(step: Read, table: Read) -> Iterator[str]:
    """Yield a fault for each modifier that the table has otherwise than it counted."""
    seen: list[object] = []
    for name, value, count in step["modifiers"]:
        item = _printed(table, name)
        if item is None:
            continue
        if name in seen:
            yield f"on {step['table']} {name} stands there twice"
        seen.append(name)
        # A line with `times` is taken as often as a fact has it, which may be nought or below.
        multiple = item.get("times") and item["value"] and value % item["value"] == 0
        if value != item["value"] and not multiple:
            yield f"on {step['table']} {name} has the value {value}, and the book's is {item['value']}"
        if count < 1 or (count > 1 and not (item.get("per") or item.get("times"))):
            yield f"on {step['table']} {name} counts {count} times"


def _printed(table: Read, name: object) -> Read | None:
    """Return a modifier as the table has it; None where it is none of the table's."""
    return next((item for item in table["modifiers"] if item["id"] == name), None)


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
    if natural and not any(item.get("plain") for item in readings):
        return natural
    return natural | {found} | {item["rows"][found] for item in readings if found in item["rows"]}


def _holds(row: Read, read: int) -> bool:
    low, high = row["min"], row["max"]
    return (low is None or low <= read) and (high is None or read <= high)
