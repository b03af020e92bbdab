"""Turns a typed table, `6-19 Nothing` on each line, into house rules."""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rules.dice import MAX_SIDES, DiceTerm
from rules.documents import LONGEST_TEXT, make_id
from rules.editable_table import MIN_ROWS, EditableRow, EditableTable, make_editable
from rules.errors import BookError, Fault
from rules.phrases import span
from rules.typed_text import keyboard_signs

TYPED_NAME = "what you typed"
HINT = "write it like 6-19 Nothing"
_BULLET = re.compile(r"\s*(?:(?:[-*\u2022\u2023\u25e6\u2043\u25aa\u00b7]|#{1,3}|>)\s+)*\|?\s*")
_NUMBER = r"\d{1,4}"
_RANGE = rf"(?P<low>{_NUMBER})(?:\s*(?:-|~|\.\.+|\u2026|to\b)\s*(?P<high>{_NUMBER})\b)?"
_OPEN = r"(?:\s*(?P<more>\+|or (?:more|higher|above|over)|and (?:up|above|over))|\s*(?P<less>or (?:less|lower|below|under)))?"
_MARKS = r"[*_~`\[\]()]*"
_BEHIND = r"\s*(?:[:|;]|->|=>|\u2192|[.)=,](?=\s|$)|-+(?=\s|$)|(?<=\s)|$)\s*"
_LINE = re.compile(rf"(?P<mark>{_MARKS}){_RANGE}{_OPEN}(?P<closed>{_MARKS}){_BEHIND}(?P<late>{_MARKS})", re.IGNORECASE)
_DIE = re.compile(r"(?<!\w)(?:[1-9]\d?)?d(?:[1-9]\d{0,3}|%)(?!\w)", re.IGNORECASE)


class _TypedRange(Struct, frozen=True):
    line: int
    low: int
    high: int
    text: str
    or_more: bool = False
    or_less: bool = False

    def __str__(self) -> str:
        return span(self.low, self.high)


_LONE = _TypedRange(1, 1, 20, "")
"""What an empty text means: a d20."""


class _TextLine(NamedTuple):
    """A line without a number."""

    line: int
    text: str


def _read_lines(typed: str, faults: list[Fault]) -> tuple[str, list[_TypedRange]]:
    said = [(number, line) for number, line in enumerate(typed.splitlines(), 1) if line.strip("` \t")]
    die = _header(said)
    lines = [(number, line) for number, line in said if not is_rule(line)]
    if die is not None:
        del lines[0]
    return die or "", [*_join_texts(_list_ranges(lines, faults), faults)]


def is_rule(line: str) -> bool:
    """Check for the line under a table's header."""
    plain = keyboard_signs(line)
    return "--" in plain and not plain.strip(" \t|:+=-")


def _header(said: list[tuple[int, str]]) -> str | None:
    if not said or _match_range(said[0][1]):
        return None
    die = _DIE.search(keyboard_signs(said[0][1]))
    if die:
        return die[0].lower().replace("1d66", "d66")
    ruled = len(said) > 1 and is_rule(said[1][1])
    return "" if ruled else None


def _match_range(line: str) -> re.Match[str] | None:
    plain = keyboard_signs(line)
    bullet = _BULLET.match(plain)
    return _LINE.match(plain, bullet.end() if bullet else 0)


def _list_ranges(lines: list[tuple[int, str]], faults: list[Fault]) -> Iterator[_TypedRange | _TextLine]:
    for number, line in lines:
        found = _match_range(line)
        if found is None:
            yield _TextLine(number, line.strip())
            continue
        text = line[found.end() if found["mark"] else found.start("late") :].strip().removesuffix("|").strip()
        if not found["closed"] and not found["late"]:
            text = text.removesuffix(found["mark"])
        low, high = _value(found["low"]), _value(found["high"] or found["low"])
        if found["high"] and not int(found["low"]) and low > high:
            faults.append(Fault(TYPED_NAME, number, f"{found['low']} counts as {low}: begin with 01"))
        elif high < low:
            faults.append(Fault(TYPED_NAME, number, f"{low} is more than {high}: write {high}-{low}"))
        yield _TypedRange(number, low, high, text, or_more=bool(found["more"]), or_less=bool(found["less"]))


def _value(digits: str) -> int:
    return int(digits) or (10 ** len(digits) if len(digits) > 1 else 0)


def _join_texts(lines: Iterator[_TypedRange | _TextLine], faults: list[Fault]) -> Iterator[_TypedRange]:
    waiting: _TypedRange | None = None
    for item in lines:
        if isinstance(item, _TextLine):
            if waiting is None:
                what = f"{item.text[:60]!r}: it doesn't begin with a number: {HINT}"
                faults.append(Fault(TYPED_NAME, item.line, what))
            else:
                yield _check_length(replace(waiting, text=item.text), faults)
            waiting = None
            continue
        if waiting is not None:
            faults.append(_report_missing_text(waiting))
        waiting = None if item.text else item
        if item.text:
            yield _check_length(item, faults)
    if waiting is not None:
        faults.append(_report_missing_text(waiting))


def _report_missing_text(item: _TypedRange) -> Fault:
    return Fault(TYPED_NAME, item.line, f"nothing follows the number: {HINT}")


def _check_length(item: _TypedRange, faults: list[Fault]) -> _TypedRange:
    if len(item.text) > LONGEST_TEXT:
        faults.append(Fault(TYPED_NAME, item.line, f"{len(item.text)} characters, over the limit of {LONGEST_TEXT}"))
    return item


_DIGITS = {(11, 66): "d66", (111, 666): "d666"}
"""Dice read as digits, by their lowest and highest number."""


def table_file(title: str, die: str, typed: str) -> str:
    """Return a typed table as a house rules file; raise BookError with lines of the typed text."""
    faults: list[Fault] = []
    header, ranges = _read_lines(typed, faults)
    term = None if faults else _die(keyboard_signs(die).strip(), header, ranges or [_LONE], faults)
    if len(ranges) < MIN_ROWS and not faults:
        faults.append(Fault(TYPED_NAME, 1, f"a table needs at least two lines: {HINT}"))
    term = None if faults else term
    ranges = sorted((_fill_ends(item, term) for item in ranges), key=attrgetter("low", "line")) if term else []
    faults.extend(_find_misfits(term, ranges) if term else ())
    if faults:
        raise BookError(sorted(faults, key=lambda fault: fault.line))
    name = make_id(title, (), f"table-{sha256(title.encode()).hexdigest()[:6]}")
    ends = [*(after.low - 1 for _, after in pairwise(ranges)), None]
    rows = [_format_row(item, end, first=item is ranges[0]) for item, end in zip(ranges, ends, strict=True)]
    head = ["[[table]]", f"id = {_quote(name)}", f"title = {_quote(title)}", f'die = "{term}"']
    return "\n".join([*head, "rows = [", *rows, "]", ""])


def read_typed_rows(die: str, typed: str) -> EditableTable | None:
    """Read typed lines; None if they lack more than numbers."""
    faults: list[Fault] = []
    header, ranges = _read_lines(typed, faults)
    term = None if faults else _die(keyboard_signs(die).strip(), header, ranges or [_LONE], faults)
    if term is None or faults:
        return None
    filled = [_fill_ends(item, term) for item in ranges]
    if any(item.low < term.low or item.high > term.high for item in filled):
        return None
    return make_editable(term, (EditableRow(item.low, item.high, item.text) for item in filled))


def read_numbers(typed: str, die: DiceTerm, *, beyond: bool) -> tuple[int, int] | None:
    """Read `6-19`, `20` or `6+`; None if the die doesn't give it, unless modifiers may go `beyond`."""
    faults: list[Fault] = []
    read = [*_list_ranges([(1, f"{typed.strip()} x")], faults)]
    if faults or not isinstance(read[0], _TypedRange) or read[0].text != "x":
        return None
    item = _fill_ends(read[0], die)
    fits = item.low <= item.high and (beyond or (die.low <= item.low and item.high <= die.high))
    return (item.low, item.high) if fits else None


def _fill_ends(item: _TypedRange, die: DiceTerm) -> _TypedRange:
    low = min(item.low, die.low) if item.or_less else item.low
    return replace(item, low=low, high=max(item.high, die.high) if item.or_more else item.high)


def _die(typed: str, header: str, ranges: Sequence[_TypedRange], faults: list[Fault]) -> DiceTerm | None:
    ends = min(item.low for item in ranges), max(item.high for item in ranges)
    typed = typed.lower().replace("1d66", "d66")
    named = typed or header
    try:
        term = DiceTerm.parse(named or _DIGITS.get(ends, str(ends[1])))
        if not typed or not header or term == DiceTerm.parse(header):
            return term
        faults.append(Fault(TYPED_NAME, 1, f"the first line says {header}, and the die is {term}: leave one out"))
    except ValueError:
        what = (
            f"{named[:20]!r} isn't a die: write 20 or 2d6"
            if named
            else f"a die has 2 to {MAX_SIDES} sides, and the highest number is {ends[1]}"
        )
        faults.append(Fault(TYPED_NAME, ranges[-1].line, what))
    return None


def _find_misfits(die: DiceTerm, ranges: Sequence[_TypedRange]) -> Iterator[Fault]:
    gives = f"{die} gives {die.low} to {die.high}"
    after, before = die.low - 1, ranges[0]
    for item in ranges:
        if item.low < die.low or item.high > die.high:
            low, high = (item.low, die.low - 1) if item.low < die.low else (max(item.low, die.high + 1), item.high)
            fix = f"; for 1 to {die.high}, write {die.high} as the die" if die.digits and item.low < die.low else ""
            yield Fault(TYPED_NAME, item.line, f"{span(low, high)} never comes: {gives}{fix}")
        if item is not ranges[0] and item.low <= after:
            shared = span(item.low, min(after, item.high))
            yield Fault(TYPED_NAME, item.line, f"{shared} is already in line {before.line}")
        elif gap := _gap(die, after + 1, item.low):
            yield Fault(TYPED_NAME, item.line, f"no line says what {gap} means: add one before this")
        if item.high > after:
            after, before = item.high, item
    if gap := _gap(die, after + 1, die.high + 1):
        yield Fault(TYPED_NAME, before.line, f"no line says what {gap} means: {gives}")


def _gap(die: DiceTerm, low: int, end: int) -> str:
    totals = [total for total in range(low, end) if die.ways().get(total)]
    return span(totals[0], totals[-1]) if totals else ""


def _format_row(item: _TypedRange, end: int | None, *, first: bool) -> str:
    low = "" if first else f"min = {item.low}, "
    high = "" if end is None else f"max = {end}, "
    return f"  {{ {low}{high}text = {_quote(item.text)}, line = {item.line} }},  # line {item.line}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "")
