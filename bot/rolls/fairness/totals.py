"""Check totals against faces and modifiers, and outcomes against tables. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from bot.rolls.fairness import forms
from rules.tables import ADJUSTED

Tables = Mapping[str, forms.TableForm]


def total_faults(step: forms.StepForm, tables: Tables) -> Iterator[str]:
    """Yield what is wrong with a step's sum, modifiers, die or outcome, compared with its table."""
    table = tables.get(step["table"])
    if table is None:
        yield f"the book has no table {step['table']}"
        return
    checks = (_sum_faults, _modifier_faults, _throw_faults, _outcome_faults)
    yield from (f"on {step['table']} {fault}" for check in checks for fault in check(step, table))


def sum_brought(steps: Sequence[forms.StepForm], tables: Tables) -> Counter[str]:
    """Count modifiers, values and dice of a part's steps that aren't printed in the steps' tables."""
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


def _sum_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    counted = sum(value * count for _, value, count in step["modifiers"]) + sum(step["adjustments"])
    if step.get("uncapped", step["sum"]) != counted:
        yield f"what counted adds up to {counted:+}"
        return
    held = _cap(step, table, counted)
    if held != step["sum"]:
        yield f"what counted is capped at {held:+}, not at {step['sum']:+}"


def _cap(step: forms.StepForm, table: forms.TableForm, total: int) -> int:
    """Return what counts within a table's caps: each group's, then the one of all.

    The group of an unprinted modifier is unknown: with one, a step is believed if groups have caps.
    """
    caps = {cap["group"]: cap for cap in table.get("caps", ())}
    whole, groups = caps.pop(None, None), {line["id"]: line["group"] for line in table["modifiers"]}
    if caps and any(name not in groups for name, _, _ in step["modifiers"]):
        return step["sum"]
    amounts = Counter({ADJUSTED: sum(step["adjustments"])})
    for name, value, count in step["modifiers"]:
        amounts[groups.get(name, "")] += value * count
    total += sum(_clamp(cap, amounts[group or ""]) - amounts[group or ""] for group, cap in caps.items())
    return total if whole is None else _clamp(whole, total)


def _clamp(cap: forms.CapForm, amount: int) -> int:
    low, high = cap["low"], cap["high"]
    if low is not None and amount < low:
        return low
    return high if high is not None and amount > high else amount


def _modifier_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    seen: set[str] = set()
    for name, value, count in step["modifiers"]:
        line = next((line for line in table["modifiers"] if line["id"] == name), None)
        if line is None:
            continue
        if name in seen:
            yield f"{name} is listed twice"
        seen.add(name)
        yield from _line_faults(line, value, count)


def _line_faults(line: forms.LineForm, value: int, count: int) -> Iterator[str]:
    printed, times = line["value"], line.get("times")
    # A line with `times` is taken as often as a fact has it, which may be nought or below.
    if value != printed and not (times and printed and value % printed == 0):
        yield f"{line['id']} has the value {value}, and the book's is {printed}"
    if count < 1 or (count > 1 and not (line.get("per") or times)):
        yield f"{line['id']} counts {count} times"


def _throw_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    die, against = step["dice"][0]["die"], table.get("against")
    # Of a single die the sides may be others: a weapon is rolled with those that it has.
    if die != table["die"] and not (die.startswith("1d") and table["die"].startswith("1d")):
        yield f"{die} was thrown, and the book has {table['die']}"
    if step.get("reads") != (against and against["reads"]) or ("value" in step) != (against is not None):
        yield "the total is read differently from the book"
    total, _ = _score(step)
    if step["total"] != total:
        yield f"the total is {total}, not {step['total']}"


def _total_thrown(step: forms.StepForm) -> int:
    (rolled,) = step["dice"]
    return forms.total_of(rolled["die"], rolled["faces"])


def _score(step: forms.StepForm) -> tuple[int, int]:
    thrown, added, value = _total_thrown(step), step["sum"], step.get("value", 0)
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
    """Outcomes by a deciding face, by a possibly deciding one, and by row."""

    face: set[str]
    perhaps: set[str]
    row: set[str]


def _outcome_faults(step: forms.StepForm, table: forms.TableForm) -> Iterator[str]:
    (face, perhaps, row), outcome = _outcomes(step, table), step["outcome"]
    _, read = _score(step)
    may_be = {*face, *perhaps, *row}
    if outcome not in may_be:
        yield f"{read} gives {' or '.join(sorted(may_be))}, not {outcome}"
    elif outcome not in ({*face, *perhaps} if step["natural"] else row):
        decides = "doesn't decide" if step["natural"] else "decides"
        yield f"the face {decides} alone"


def _outcomes(step: forms.StepForm, table: forms.TableForm) -> _Outcomes:
    (rolled,) = step["dice"]
    thrown, highest, top = _total_thrown(step), forms.highest_of(table["die"]), forms.highest_of(rolled["die"])
    other = rolled["die"] != table["die"]
    # The highest face of another die counts as the table's highest, if it decides there too.
    face = {
        item["outcome"] for item in table["naturals"] if item["face"] == thrown and not (other and thrown == highest)
    }
    perhaps = {item["outcome"] for item in table["naturals"] if other and thrown == top and item["face"] == highest}
    readings = table["readings"].values()
    if face and not any(item.get("plain") for item in readings):
        return _Outcomes(face, perhaps, set())
    _, read = _score(step)
    rows = [row for row in table["rows"] if row["min"] is None or row["min"] <= read]
    found = next((row["outcome"] for row in rows if row["max"] is None or read <= row["max"]), None)
    if found is None:
        return _Outcomes(face, perhaps, set())
    return _Outcomes(face, perhaps, {found, *(item["rows"][found] for item in readings if found in item["rows"])})
