"""A table as people type it, `6-19 Nothing` on each line, made into a file of house rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise

from msgspec.structs import replace

from rules.defaults import slug
from rules.dice import DiceTerm
from rules.errors import BookError, Fault
from rules.keyboard import keyboard_signs
from rules.typed_lines import NAME, Range, TypedLines, read_lines, span

_DIGITS = {(11, 66): "d66", (111, 666): "d666"}
"""Dice that are read as digits, by the lowest and the highest number that they show."""


def table_file(title: str, die: str, typed: str) -> str:
    """Return the file of house rules that brings a table of this title; without a die it is that of the header, or the one that fits the lines.

    Raises:
        BookError: the lines, or the die, cannot be used; each fault has its line.

    """
    faults: list[Fault] = []
    read = read_lines(typed, faults)
    term = None if faults else _die(keyboard_signs(die).strip(), read, faults)
    ranges = sorted((_filled(item, term) for item in read.ranges), key=_place) if term else []
    faults.extend(_misfits(term, ranges) if term else ())
    if faults:
        raise BookError(sorted(faults, key=lambda fault: fault.line))
    name = slug(title, (), f"table-{sha256(title.encode()).hexdigest()[:6]}")
    ends = [*(after.low - 1 for _, after in pairwise(ranges)), None]
    rows = [_row(item, end, first=item is ranges[0]) for item, end in zip(ranges, ends, strict=True)]
    head = ["[[table]]", f"id = {_quoted(name)}", f"title = {_quoted(title)}", f'die = "{term}"']
    return "\n".join([*head, "rows = [", *rows, "]", ""])


def _place(item: Range) -> tuple[int, int]:
    return item.low, item.line


def _filled(item: Range, die: DiceTerm) -> Range:
    """Return a range with its ends on a die."""
    low = min(item.low, die.low) if item.or_less else item.low
    return replace(item, low=low, high=max(item.high, die.high) if item.or_more else item.high)


def _die(typed: str, read: TypedLines, faults: list[Fault]) -> DiceTerm | None:
    """Return the die that was typed or that the header names, or else one whose faces the lines name: up to their highest number."""
    ends = min(item.low for item in read.ranges), max(item.high for item in read.ranges)
    typed = typed.lower().replace("1d66", "d66")
    named = typed or read.die
    try:
        term = DiceTerm.parse(named or _DIGITS.get(ends, str(ends[1])))
        if not typed or not read.die or term == DiceTerm.parse(read.die):
            return term
        faults.append(Fault(NAME, 1, f"the first line says {read.die}, and the die is {term}: leave one out"))
    except ValueError:
        what = f"{named[:20]!r} isn't a die: write 20 or 2d6" if named else f"no die has {ends[1]} sides"
        faults.append(Fault(NAME, read.ranges[-1].line, what))
    return None


def _misfits(die: DiceTerm, ranges: Sequence[Range]) -> Iterator[Fault]:
    """Yield totals that stand in no line, in two, or never come; the lines are in the order of their totals."""
    gives = f"{die} gives {die.low} to {die.high}"
    after, before = die.low - 1, ranges[0]
    for item in ranges:
        if item.low < die.low or item.high > die.high:
            low, high = (item.low, die.low - 1) if item.low < die.low else (max(item.low, die.high + 1), item.high)
            fix = f"; for 1 to {die.high}, write {die.high} as the die" if die.digits and item.low < die.low else ""
            yield Fault(NAME, item.line, f"{span(low, high)} never comes: {gives}{fix}")
        if item is not ranges[0] and item.low <= after:
            yield Fault(NAME, item.line, f"{span(item.low, min(after, item.high))} is already in line {before.line}")
        elif gap := _gap(die, after + 1, item.low):
            yield Fault(NAME, item.line, f"no line says what {gap} means: add one before this")
        if item.high > after:
            after, before = item.high, item
    if gap := _gap(die, after + 1, die.high + 1):
        yield Fault(NAME, before.line, f"no line says what {gap} means: {gives}")


def _gap(die: DiceTerm, low: int, end: int) -> str:
    """Return the totals that a die gives from `low` to below `end`; nothing where it gives none of them."""
    totals = [total for total in range(low, end) if die.ways().get(total)]
    return span(totals[0], totals[-1]) if totals else ""


def _row(item: Range, end: int | None, *, first: bool) -> str:
    low = "" if first else f"min = {item.low}, "
    high = "" if end is None else f"max = {end}, "
    return f"  {{ {low}{high}text = {_quoted(item.text)}, line = {item.line} }},"


def _quoted(text: str) -> str:
    """Return a text as TOML has it; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "")
