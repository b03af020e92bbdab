"""Whether a total follows from faces and what counted, and an outcome from the total and the table. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bot.rolls.fairness.forms import CapForm, LineForm, StepForm, TableForm, highest_of, total_of
from rules.tables import ADJUSTED

Tables = Mapping[str, TableForm]


def total_faults(step: StepForm, tables: Tables) -> Iterator[str]:
    """Yield what is wrong with how the dice of a step were read on its table, one of those of a book."""
    table = tables.get(step["table"])
    if table is None:
        yield f"the book has no table {step['table']}"
        return
    checks = (_sum_faults, _modifier_faults, _throw_faults, _outcome_faults)
    yield from (f"on {step['table']} {fault}" for check in checks for fault in check(step, table))


def sum_brought(steps: Sequence[StepForm], tables: Tables) -> Counter[str]:
    """Return how much the steps of a part have that is not of their tables: modifiers, such as what a weapon brings, values to read against, and dice."""
    found: Counter[str] = Counter()
    totals: set[int] = set()
    for step in steps:
        table = tables[step["table"]]
        printed = {line["id"] for line in table["modifiers"]}
        found["modifiers"] += sum(name not in printed for name, _, _ in step["modifiers"])
        against = table.get("against")
        if against is not None and step.get("value") not in {against["value"], *totals}:
            found["values"] += 1
        found["dice"] += step["dice"][0]["die"] != table["die"]
        totals.add(step["total"])
    return found


def _sum_faults(step: StepForm, table: TableForm) -> Iterator[str]:
    counted = sum(value * count for _, value, count in step["modifiers"]) + sum(step["adjustments"])
    if step.get("uncapped", step["sum"]) != counted:
        yield f"what counted adds up to {counted:+}"
        return
    held = _held(step, table, counted)
    if held != step["sum"]:
        yield f"what counted is capped at {held:+}, not at {step['sum']:+}"


def _held(step: StepForm, table: TableForm, total: int) -> int:
    """Return what counts within the caps of a table: that of each group, and then that of all.

    Of what is not printed on the table nobody knows the group: with such, what a step says is taken where groups have caps.
    """
    caps = {cap["group"]: cap for cap in table.get("caps", ())}
    whole, groups = caps.pop(None, None), {line["id"]: line["group"] for line in table["modifiers"]}
    if caps and any(name not in groups for name, _, _ in step["modifiers"]):
        return step["sum"]
    amounts = Counter({ADJUSTED: sum(step["adjustments"])})
    for name, value, count in step["modifiers"]:
        amounts[groups.get(name, "")] += value * count
    total += sum(_within(cap, amounts[group or ""]) - amounts[group or ""] for group, cap in caps.items())
    return total if whole is None else _within(whole, total)


def _within(cap: CapForm, amount: int) -> int:
    low, high = cap["low"], cap["high"]
    if low is not None and amount < low:
        return low
    return high if high is not None and amount > high else amount


def _modifier_faults(step: StepForm, table: TableForm) -> Iterator[str]:
    """Yield a fault for each modifier that the table has otherwise than it counted."""
    seen: set[str] = set()
    for name, value, count in step["modifiers"]:
        line = next((line for line in table["modifiers"] if line["id"] == name), None)
        if line is None:
            continue
        if name in seen:
            yield f"{name} is listed twice"
        seen.add(name)
        yield from _line_faults(line, value, count)


def _line_faults(line: LineForm, value: int, count: int) -> Iterator[str]:
    printed, times = line["value"], line.get("times")
    # A line with `times` is taken as often as a fact has it, which may be nought or below.
    if value != printed and not (times and printed and value % printed == 0):
        yield f"{line['id']} has the value {value}, and the book's is {printed}"
    if count < 1 or (count > 1 and not (line.get("per") or times)):
        yield f"{line['id']} counts {count} times"


def _throw_faults(step: StepForm, table: TableForm) -> Iterator[str]:
    """Yield a fault where another number of dice was thrown than the table has, the total is another, or it is read otherwise."""
    die, against = step["dice"][0]["die"], table.get("against")
    # Of a single die the sides may be others: a weapon is rolled with those that it has.
    if die != table["die"] and not (die.startswith("1d") and table["die"].startswith("1d")):
        yield f"{die} was thrown, and the book has {table['die']}"
    if step.get("reads") != (against and against["reads"]) or ("value" in step) != (against is not None):
        yield "the total is read differently from the book"
    total, _ = _score(step)
    if step["total"] != total:
        yield f"the total is {total}, not {step['total']}"


def _thrown(step: StepForm) -> int:
    (rolled,) = step["dice"]
    return total_of(rolled["die"], rolled["faces"])


def _score(step: StepForm) -> tuple[int, int]:
    """Return the total, and what the rows are read off."""
    thrown, added, value = _thrown(step), step["sum"], step.get("value", 0)
    match step.get("reads"):
        case "reach":
            return thrown + added, thrown + added - value
        case "under":
            return thrown, value + added - thrown
        case "number":
            return value + added, value + added
        case _:
            return thrown + added, thrown + added


class _Outcomes(NamedTuple):
    """What a table may give: by a face that decides alone, by one that may do so, and by the row, as a special case may read it."""

    face: set[str]
    perhaps: set[str]
    row: set[str]


def _outcome_faults(step: StepForm, table: TableForm) -> Iterator[str]:
    (face, perhaps, row), outcome = _outcomes(step, table), step["outcome"]
    _, read = _score(step)
    may_be = {*face, *perhaps, *row}
    if outcome not in may_be:
        yield f"{read} gives {' or '.join(sorted(may_be))}, not {outcome}"
    elif outcome not in ({*face, *perhaps} if step["natural"] else row):
        decides = "doesn't decide" if step["natural"] else "decides"
        yield f"the face {decides} alone"


def _outcomes(step: StepForm, table: TableForm) -> _Outcomes:
    (rolled,) = step["dice"]
    thrown, highest, top = _thrown(step), highest_of(table["die"]), highest_of(rolled["die"])
    other = rolled["die"] != table["die"]
    # The highest face of another die stands for the highest of the table's, if it decides there too.
    face = {
        item["outcome"] for item in table["naturals"] if item["face"] == thrown and not (other and thrown == highest)
    }
    perhaps = {item["outcome"] for item in table["naturals"] if other and thrown == top and item["face"] == highest}
    readings = table["readings"].values()
    if face and not any(item.get("plain") for item in readings):
        return _Outcomes(face, perhaps, set())
    _, read = _score(step)
    found = next((row["outcome"] for row in table["rows"] if _holds(row["min"], row["max"], read)), None)
    if found is None:
        return _Outcomes(face, perhaps, set())
    return _Outcomes(face, perhaps, {found, *(item["rows"][found] for item in readings if found in item["rows"])})


def _holds(low: int | None, high: int | None, read: int) -> bool:
    return (low is None or low <= read) and (high is None or read <= high)
