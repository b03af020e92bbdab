"""A table as people type it, `6-19 Nothing` on each line, made into a file of house rules."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256

from msgspec import Struct

from rules.bounds import LONGEST_TEXT
from rules.defaults import slug
from rules.dice import DiceTerm
from rules.errors import BookError, Fault

NAME = "what you typed"
HINT = "write it like 6-19 Nothing"
_LINE = re.compile(
    r"\s*(?P<low>\d{1,4})(?:\s*(?:[-\u2013\u2014\u2212]|to\b)\s*(?P<high>\d{1,4}))?\s*[:.)=]?\s+(?P<text>\S.*?)\s*"
)


class Range(Struct, frozen=True):
    """One line: which totals it is for, both ends included, and what they mean."""

    line: int
    low: int
    high: int
    text: str

    def __str__(self) -> str:
        return _span(self.low, self.high)


def table_file(title: str, die: str, typed: str) -> str:
    """Return the file of house rules that brings a table of this title; without a die it is the one that fits the lines.

    Raises:
        BookError: the lines, or the die, cannot be used; each fault has its line.

    """
    faults: list[Fault] = []
    ranges = sorted(_ranges(typed, faults), key=lambda item: (item.low, item.line))
    if not faults:
        term = _die(die, ranges, faults)
        faults.extend(_misfits(term, ranges) if term else ())
    if faults:
        raise BookError(sorted(faults, key=lambda fault: fault.line))
    name = slug(title, (), f"table-{sha256(title.encode()).hexdigest()[:6]}")
    rows = [_row(item, first=item is ranges[0], last=item is ranges[-1]) for item in ranges]
    head = ["[[table]]", f"id = {_quoted(name)}", f"title = {_quoted(title)}", f'die = "{term}"']
    return "\n".join([*head, "rows = [", *rows, "]", ""])


def _ranges(typed: str, faults: list[Fault]) -> Iterator[Range]:
    """Yield what each line says; empty ones say nothing."""
    said = [(number, line) for number, line in enumerate(typed.splitlines(), 1) if line.strip()]
    if len(said) < 2:  # noqa: PLR2004 - a table of one row decides nothing
        faults.append(Fault(NAME, 1, f"a table has two lines at least: {HINT}"))
        return
    for number, line in said:
        found = _LINE.fullmatch(line)
        if found is None:
            why = "nothing stands behind the number" if line.strip().isdigit() else "it begins with no number"
            faults.append(Fault(NAME, number, f"{line.strip()[:60]!r}: {why}: {HINT}"))
            continue
        low, high = int(found["low"]), int(found["high"] or found["low"])
        if len(found["text"]) > LONGEST_TEXT:
            faults.append(Fault(NAME, number, f"{len(found['text'])} characters, and {LONGEST_TEXT} fit"))
        if high < low:
            faults.append(Fault(NAME, number, f"{low} is more than {high}: write {high}-{low}"))
        yield Range(number, low, high, found["text"])


def _die(die: str, ranges: Sequence[Range], faults: list[Fault]) -> DiceTerm | None:
    """Return the die that was typed, or one whose faces the lines name: from 1 to their highest number."""
    highest = max(item.high for item in ranges)
    try:
        return DiceTerm.parse(die.strip().lower().removeprefix("d") or str(highest))
    except ValueError:
        what = f"{die.strip()[:20]!r} is no die: write 20 or 2d6" if die.strip() else f"no die has {highest} sides"
        faults.append(Fault(NAME, ranges[-1].line, what))
        return None


def _misfits(die: DiceTerm, ranges: Sequence[Range]) -> Iterator[Fault]:
    """Yield totals that stand in no line, in two, or never come; the lines are in the order of their totals."""
    lowest, highest = die.count, die.count * die.sides
    after = lowest - 1
    before = None
    for item in ranges:
        if item.low < lowest or item.high > highest:
            outside = _span(item.low, lowest - 1) if item.low < lowest else _span(max(item.low, highest + 1), item.high)
            yield Fault(NAME, item.line, f"{outside} never comes: {die} gives {lowest} to {highest}")
        if before is not None and item.low <= after:
            yield Fault(
                NAME, item.line, f"{_span(item.low, min(after, item.high))} stands in line {before.line} already"
            )
        elif item.low > after + 1:
            yield Fault(
                NAME, item.line, f"no line says what {_span(after + 1, item.low - 1)} means: add one before this"
            )
        if item.high > after:
            after, before = item.high, item
    if after < highest:
        line = before.line if before else 1
        yield Fault(
            NAME, line, f"no line says what {_span(after + 1, highest)} means: {die} gives {lowest} to {highest}"
        )


def _row(item: Range, *, first: bool, last: bool) -> str:
    low = "" if first else f"min = {item.low}, "
    high = "" if last else f"max = {item.high}, "
    return f"  {{ {low}{high}text = {_quoted(item.text)}, line = {item.line} }},"


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


def _quoted(text: str) -> str:
    """Return a text as TOML has it; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "")
