"""The lines of a table as people type or paste them: ranges with what they mean, a header, and the marks of other programs.

Understood are lists with bullets, bold ranges, tables of markdown and of spreadsheets, and a range on a line above its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rules.bounds import LONGEST_TEXT
from rules.errors import Fault
from rules.keyboard import keyboard_signs

NAME = "what you typed"
HINT = "write it like 6-19 Nothing"

_BULLET = re.compile(r"\s*(?:(?:[-*\u2022\u2023\u25e6\u2043\u25aa\u00b7]|#{1,3}|>)\s+)*\|?\s*")
_NUMBER = r"\d{1,4}"
_RANGE = rf"(?P<low>{_NUMBER})(?:\s*(?:-|~|\.\.+|\u2026|to\b)\s*(?P<high>{_NUMBER})\b)?"
_OPEN = r"(?:\s*(?P<more>\+|or (?:more|higher|above|over)|and (?:up|above|over))|\s*(?P<less>or (?:less|lower|below|under)))?"
_MARKS = r"[*_~`\[\]()]*"
_BEHIND = r"\s*(?:[:|;]|->|=>|\u2192|[.)=,](?=\s|$)|-+(?=\s|$)|(?<=\s)|$)\s*"
_LINE = re.compile(rf"(?P<mark>{_MARKS}){_RANGE}{_OPEN}(?P<closed>{_MARKS}){_BEHIND}(?P<late>{_MARKS})", re.IGNORECASE)
_DIE = re.compile(r"(?<!\w)(?:[1-9]\d?)?d(?:[1-9]\d{0,3}|%)(?!\w)", re.IGNORECASE)


class Range(Struct, frozen=True):
    """What a line of the text says: which totals it is for, both ends included, and what they mean.

    It goes on to the end of the die where it is for so many `or_more`, or `or_less`.
    """

    line: int
    low: int
    high: int
    text: str
    or_more: bool = False
    or_less: bool = False

    def __str__(self) -> str:
        return span(self.low, self.high)


class Text(NamedTuple):
    """A line without a number."""

    line: int
    text: str


class TypedLines(Struct, frozen=True):
    """The ranges of a text in its order, and the die that its header names, empty where there is none."""

    die: str
    ranges: list[Range]


def read_lines(typed: str, faults: list[Fault]) -> TypedLines:
    """Read a typed table; what can't be read is a fault of its line."""
    said = [(number, line) for number, line in enumerate(typed.splitlines(), 1) if line.strip("` \t")]
    die = _header(said)
    lines = [(number, line) for number, line in said if not is_rule(line)]
    if die is not None:
        del lines[0]
    ranges = [*_joined(_ranges(lines, faults), faults)]
    if len(ranges) < 2 and not faults:  # noqa: PLR2004 - a table of one row decides nothing
        faults.append(Fault(NAME, 1, f"a table needs at least two lines: {HINT}"))
    return TypedLines(die or "", ranges)


def span(low: int, high: int) -> str:
    """Return a range as it is typed."""
    return str(low) if low == high else f"{low}-{high}"


def is_rule(line: str) -> bool:
    """Tell whether a line is the one between the header of a table and its rows, as markdown and plain text have it."""
    plain = keyboard_signs(line)
    return "--" in plain and not plain.strip(" \t|:+=-")


def _header(said: list[tuple[int, str]]) -> str | None:
    """Return the die that the header of a table names, empty where it names none; None where there is no header."""
    if not said or _found(said[0][1]):
        return None
    die = _DIE.search(keyboard_signs(said[0][1]))
    if die:
        return die[0].lower().replace("1d66", "d66")
    ruled = len(said) > 1 and is_rule(said[1][1])
    return "" if ruled else None


def _found(line: str) -> re.Match[str] | None:
    """Return the range that a line begins with."""
    plain = keyboard_signs(line)
    bullet = _BULLET.match(plain)
    return _LINE.match(plain, bullet.end() if bullet else 0)


def _ranges(lines: list[tuple[int, str]], faults: list[Fault]) -> Iterator[Range | Text]:
    """Yield the lines with their ranges; of a line without one, the text."""
    for number, line in lines:
        found = _found(line)
        if found is None:
            yield Text(number, line.strip())
            continue
        text = line[found.end() if found["mark"] else found.start("late") :].strip().removesuffix("|").strip()
        if not found["closed"] and not found["late"]:
            text = text.removesuffix(found["mark"])
        low, high = _value(found["low"]), _value(found["high"] or found["low"])
        if found["high"] and not int(found["low"]) and low > high:
            faults.append(Fault(NAME, number, f"{found['low']} counts as {low}: begin with 01"))
        elif high < low:
            faults.append(Fault(NAME, number, f"{low} is more than {high}: write {high}-{low}"))
        yield Range(number, low, high, text, or_more=bool(found["more"]), or_less=bool(found["less"]))


def _value(digits: str) -> int:
    """Return the number that digits stand for; percentile dice show 100 as 00."""
    return int(digits) or (10 ** len(digits) if len(digits) > 1 else 0)


def _joined(lines: Iterator[Range | Text], faults: list[Fault]) -> Iterator[Range]:
    """Yield the ranges with their texts, each of which may be on the line below."""
    waiting: Range | None = None
    for item in lines:
        if isinstance(item, Text):
            if waiting is None:
                faults.append(Fault(NAME, item.line, f"{item.text[:60]!r}: it doesn't begin with a number: {HINT}"))
            else:
                yield _checked(replace(waiting, text=item.text), faults)
            waiting = None
            continue
        if waiting is not None:
            faults.append(_unsaid(waiting))
        waiting = None if item.text else item
        if item.text:
            yield _checked(item, faults)
    if waiting is not None:
        faults.append(_unsaid(waiting))


def _unsaid(item: Range) -> Fault:
    return Fault(NAME, item.line, f"nothing follows the number: {HINT}")


def _checked(item: Range, faults: list[Fault]) -> Range:
    if len(item.text) > LONGEST_TEXT:
        faults.append(Fault(NAME, item.line, f"{len(item.text)} characters, over the limit of {LONGEST_TEXT}"))
    return item
