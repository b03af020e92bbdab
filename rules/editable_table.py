"""A table while it's being made: rows and modifiers as cells, which may not cover the die yet."""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rules.dice import DiceTerm
from rules.errors import BookError, Fault
from rules.phrases import span

COLUMNS = ("min", "max", "text", "tone", "then")
MODIFIERS = ("modifier", "value", "when", "times", "per", "group")
MIN_ROWS = 2

Cells = Mapping[str, str]
ItemT = TypeVar("ItemT")


class EditableRow(Struct, frozen=True, order=True):
    """What some numbers mean; `tone` and `then` as cells."""

    low: int
    high: int
    text: str
    tone: str = ""
    then: str = ""


class EditableTable(Struct, frozen=True):
    """Rows in order, without overlaps, and modifiers as cells."""

    die: DiceTerm
    rows: tuple[EditableRow, ...] = ()
    modifiers: tuple[Cells, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether each number has one result."""
        return len(self.rows) >= MIN_ROWS and not any(self.list_gaps())

    def list_gaps(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges without a result."""
        ways = self.die.ways()
        ends = [self.die.low - 1, *(end for row in self.rows for end in (row.low, row.high)), self.die.high + 1]
        for high, low in zip(ends[::2], ends[1::2], strict=True):
            if missing := [total for total in range(high + 1, low) if ways.get(total)]:
                yield missing[0], missing[-1]

    def chance(self, low: int, high: int) -> Fraction:
        """Return the odds of a range, without modifiers."""
        ways = self.die.ways()
        return Fraction(sum(ways.get(total, 0) for total in range(low, high + 1)), self.die.cases)

    def put_row(self, place: int | None, row: EditableRow | None) -> "EditableTable":
        """Change a row, or add one, which takes its numbers from others."""
        others = [other for at, other in enumerate(self.rows) if at != place]
        if row is None:
            return replace(self, rows=tuple(others))
        cut = (piece for other in others for piece in _cut_row(other, row))
        return replace(self, rows=tuple(sorted([*cut, row])))

    def put_modifier(self, place: int | None, cells: Cells | None) -> "EditableTable":
        """Change the modifier at a place, or add one; None removes it."""
        kept = list(self.modifiers)
        at = len(kept) if place is None else place
        kept[at : at + 1] = [] if cells is None else [{**(kept[at] if at < len(kept) else {}), **cells}]
        return replace(self, modifiers=tuple(kept))

    def write(self) -> str:
        """Return lines to type: plain ones, or a sheet."""
        if not self.modifiers and not any(row.tone or row.then for row in self.rows):
            return "\n".join(f"{span(row.low, row.high)} {row.text}" for row in self.rows)
        lines: list[Sequence[str]] = [COLUMNS]
        lines += [(str(row.low), str(row.high), row.text, row.tone, row.then) for row in self.rows]
        if self.modifiers:
            lines += [(), MODIFIERS, *([item.get(key, "") for key in MODIFIERS] for item in self.modifiers)]
        written = StringIO()
        csv.writer(written, delimiter="\t", lineterminator="\n").writerows(lines)
        return written.getvalue().removesuffix("\n")


def make_editable(die: DiceTerm, rows: Iterable[EditableRow], modifiers: Iterable[Cells] = ()) -> EditableTable | None:
    """Make a draft; None if numbers never come or are there twice."""
    ordered = sorted(rows)
    if any(row.low > row.high or row.low < die.low or row.high > die.high for row in ordered):
        return None
    if any(after.low <= before.high for before, after in pairwise(ordered)):
        return None
    return EditableTable(die, tuple(ordered), tuple(modifiers))


def read_table(text: str) -> EditableTable:
    """Read a file's only table; BookError."""
    try:
        data = tomllib.loads(text)
        if data.keys() - {"facts", "table"}:
            raise ValueError(text)  # noqa: TRY301 - as any other file
        (table,) = data["table"]
        die, rows = DiceTerm.parse(str(table["die"])), table["rows"]
        cells = [{key: _write_cell(item.get(key, "")) for key in COLUMNS} for item in rows]
        found = [
            EditableRow(item.get("min", die.low), item.get("max", die.high), cell["text"], cell["tone"], cell["then"])
            for item, cell in zip(rows, cells, strict=True)
        ]
        modifiers = [
            {"modifier": str(item["label"]), **{key: _write_cell(item.get(key, "")) for key in MODIFIERS[1:]}}
            for item in table.get("modifiers", [])
        ]
        draft = make_editable(die, found, modifiers)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BookError([Fault("the file", 1, "it isn't one table")]) from error
    if draft is None:
        raise BookError([Fault("the file", 1, "it isn't one table")])
    return draft


def _cut_row(row: EditableRow, new: EditableRow) -> Iterator[EditableRow]:
    if row.low < new.low:
        yield replace(row, high=min(row.high, new.low - 1))
    if row.high > new.high:
        yield replace(row, low=max(row.low, new.high + 1))


def _write_cell(value: object) -> str:
    if not isinstance(value, list):
        return str(value)
    if value and isinstance(value[0], dict):
        return "; ".join(" ".join(str(item[key]) for key in ("do", "to", "amount") if key in item) for item in value)
    return " or ".join(" and ".join(fact.replace("!", "not ") for fact in clause) for clause in value)
