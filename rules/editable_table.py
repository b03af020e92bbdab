"""A table while it's being made: rows and modifiers as cells, which may not cover the die yet."""

import csv
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from io import StringIO
from itertools import pairwise
from typing import Any, TypeVar

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
        low, high = self.die.low, self.die.high
        if self.rows:  # with modifiers, totals go beyond the die
            low, high = min(low, self.rows[0].low), max(high, self.rows[-1].high)
        ends = [low - 1, *(end for row in self.rows for end in (row.low, row.high)), high + 1]
        for before, after in zip(ends[::2], ends[1::2], strict=True):
            first = next(filter(self.can_be, range(before + 1, after)), None)
            if first is not None:
                yield first, next(filter(self.can_be, range(after - 1, before, -1)))

    def can_be(self, total: int) -> bool:
        """Whether the die gives a total, perhaps with modifiers."""
        return not self.die.low <= total <= self.die.high or self.die.ways().get(total, 0) > 0

    def chance(self, low: int, high: int) -> Fraction:
        """Return the odds of a range, without modifiers."""
        ways = (count for total, count in self.die.ways().items() if low <= total <= high)
        return Fraction(sum(ways), self.die.cases)

    def put_row(self, place: int | None, row: EditableRow | None) -> "EditableTable":
        """Change a row, or add one, which takes its numbers from others."""
        others = [other for at, other in enumerate(self.rows) if at != place]
        if row is None:
            return replace(self, rows=tuple(others))
        cut = [piece for other in others for piece in _cut_row(other, row)]
        left = [piece for piece in cut if any(map(self.can_be, range(piece.low, piece.high + 1)))]
        return replace(self, rows=tuple(sorted([*left, row])))

    def put_modifier(self, place: int | None, cells: Cells | None) -> "EditableTable":
        """Change the modifier at a place, or add one; None removes it."""
        kept = list(self.modifiers)
        at = len(kept) if place is None else place
        kept[at : at + 1] = [] if cells is None else [{**(kept[at] if at < len(kept) else {}), **cells}]
        return replace(self, modifiers=tuple(kept))

    @property
    def die_text(self) -> str:
        """The die as it's typed: 66, d66 or 2d6."""
        return str(self.die.sides) if self.die.count == 1 and not self.die.digits else str(self.die)

    def write_lines(self) -> str:
        """Return only numbers and texts, a line per row."""
        return "\n".join(f"{span(row.low, row.high)} {row.text}" for row in self.rows)

    def write_sheet(self) -> str:
        """Return all of it as cells."""
        lines: list[Sequence[str]] = [COLUMNS]
        lines += [(str(row.low), str(row.high), row.text, row.tone, row.then) for row in self.rows]
        if self.modifiers:
            lines += [(), MODIFIERS, *([item.get(key, "") for key in MODIFIERS] for item in self.modifiers)]
        written = StringIO()
        csv.writer(written, delimiter="\t", lineterminator="\n").writerows(lines)
        return written.getvalue().removesuffix("\n")


def make_editable(die: DiceTerm, rows: Iterable[EditableRow], modifiers: Iterable[Cells] = ()) -> EditableTable | None:
    """Make a draft; None if numbers are there twice."""
    ordered = sorted(rows)
    if any(row.low > row.high for row in ordered):
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
        _refuse_others(table)
        die, rows = DiceTerm.parse(str(table["die"])), table["rows"]
        cells = [{key: _write_cell(item.get(key, "")) for key in COLUMNS} for item in rows]
        ends = [find_ends(item.get("min"), item.get("max"), die) for item in rows]
        found = [EditableRow(*end, *(cell[key] for key in COLUMNS[2:])) for end, cell in zip(ends, cells, strict=True)]
        modifiers = [
            {key: _write_cell(item.get(key, "")) for key in MODIFIERS}
            | {"modifier": str(item["label"]), "value": f"{item['value']:+d}"}
            for item in table.get("modifiers", [])
        ]
        draft = make_editable(die, found, modifiers)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BookError([Fault("the file", 1, "it isn't one table")]) from error
    if draft is None:
        raise BookError([Fault("the file", 1, "it isn't one table")])
    return draft


_KEPT = {"": {"id", "title", "die", "rows", "modifiers"}, "rows": {*COLUMNS, "line"}}
_KEPT["modifiers"] = {*MODIFIERS[1:], "id", "label", "line"}
"""Keys of a table, and of its rows and modifiers, that cells can say."""


def _refuse_others(table: Mapping[str, Any]) -> None:
    lost = {*table} - _KEPT[""]
    lost |= {key for part in ("rows", "modifiers") for item in table.get(part, ()) for key in {*item} - _KEPT[part]}
    if lost:
        raise ValueError(lost)


def find_ends(low: int | None, high: int | None, die: DiceTerm) -> tuple[int, int]:
    """Return a row's lowest and highest number."""
    lowest = low if low is not None else die.low if high is None else min(die.low, high)
    return lowest, high if high is not None else max(die.high, lowest)


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
    return write_condition(value)


def write_condition(when: Iterable[Iterable[str]]) -> str:
    """Write clauses as typed: `target.evil and not weather.fog`."""
    return " or ".join(" and ".join(fact.replace("!", "not ") for fact in clause) for clause in when)
