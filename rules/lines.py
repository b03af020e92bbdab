"""Where things stand in a TOML file: `tomllib` reads the values, this finds their lines.

Known are headers, keys outside braces, and items of lists. What lies deeper stands, for us, where its item begins, since a
table in braces is written on one line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

from msgspec import Struct

from rules.errors import Fault

Keys = tuple[str | int, ...]
"""The way to a value: `("table", "rows", 3)`."""

_BLOCK = r'"""(?:\\.|[^\\])*?"{3,5}'
_RAW_BLOCK = r"'''.*?'{3,5}"
_QUOTED = r'"(?:\\.|[^"\\\n])*"'
_TEXT = rf"{_BLOCK}|{_RAW_BLOCK}|{_QUOTED}|'[^'\n]*'"
_KEY = rf"(?:{_TEXT}|[\w-]+)"
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_STATEMENT = re.compile(
    rf"(?:\s|\#[^\n]*+)*+(?:\[\[[ \t]*(?P<many>{_KEYS})[ \t]*\]\]|\[[ \t]*(?P<one>{_KEYS})[ \t]*\]|(?P<key>{_KEYS})[ \t]*=)",
    re.DOTALL,
)
_TOKEN = re.compile(rf"\#[^\n]*|{_TEXT}|[\[\]{{}},\n]|[^\s\[\]{{}},\#\"']+", re.DOTALL)


class Document(Struct, frozen=True, eq=False, dict=True):
    """A TOML file as read: `name` is how faults speak of it."""

    name: str
    text: str
    data: dict[str, Any]

    def line(self, keys: Keys) -> int:
        """Return the line of this value, or of the nearest thing around it whose line is known."""
        # The empty way, the file itself, is always known: line 1.
        while keys not in self._lines:
            keys = keys[:-1]
        return self._lines[keys]

    @cached_property
    def _lines(self) -> dict[Keys, int]:
        return line_map(self.text)


class Place(Struct, frozen=True):
    """A value's place in a document."""

    document: Document
    keys: Keys = ()

    def at(self, *keys: str | int) -> Place:
        """Return the place of something inside."""
        return Place(self.document, (*self.keys, *keys))

    @property
    def line(self) -> int:
        """Its line in the file."""
        return self.document.line(self.keys)

    def fault(self, what: str) -> Fault:
        """Say what is wrong here."""
        return Fault(self.document.name, self.line, what)


def header_items(raw: object, place: Place) -> Iterator[tuple[Place, object]]:
    """Yield what stands under a header with its place: under each with double brackets, or under one with single ones."""
    if isinstance(raw, list):
        yield from ((place.at(index), item) for index, item in enumerate(raw))
    else:
        yield place, raw


def line_map(text: str) -> dict[Keys, int]:
    """Return the line of every header, key and list item of a valid TOML text."""
    lines: dict[Keys, int] = {(): 1}
    counts: dict[Keys, int] = {}
    base: Keys = ()
    at, line = 0, 1
    while statement := _STATEMENT.match(text, at):
        line += text.count("\n", at, statement.end())
        at = statement.end()
        if statement["key"]:
            keys = (*base, *_parts(statement["key"]))
            end = _map_value(text, at, keys, lines, line)
            lines.setdefault(keys, line)
            line += text.count("\n", at, end)
            at = end
        else:
            keys = base = _header(statement, counts)
            if statement["many"]:
                # The list itself stands where its first table does.
                lines.setdefault(keys[:-1], line)
            lines.setdefault(keys, line)
    return lines


@lru_cache(maxsize=1024)
def _parts(keys: str) -> tuple[str, ...]:
    """Return the names of a dotted key, as TOML itself reads them."""
    names: list[str] = []
    # Quoting and escapes of keys are left to the parser, which has read the whole file already.
    value = tomllib.loads(f"{keys} = 0")
    while isinstance(value, dict):
        name, value = next(iter(value.items()))
        names.append(name)
    return tuple(names)


def _header(statement: re.Match[str], counts: dict[Keys, int]) -> Keys:
    """Return the way to the table that a header opens; `counts` tells how many tables each list of tables has so far."""
    keys: Keys = ()
    parts = _parts(statement["many"] or statement["one"])
    for place, part in enumerate(parts, start=1):
        keys = (*keys, part)
        if statement["many"] and place == len(parts):
            counts[keys] = counts.get(keys, 0) + 1
        if keys in counts:
            keys = (*keys, counts[keys] - 1)
    return keys


def _map_value(text: str, at: int, keys: Keys, lines: dict[Keys, int], line: int) -> int:
    """Note the lines of a value and of the items of its lists; return where the value ends.

    `item` is the way to what is being read, None within braces; `around` holds the ways to the lists and braces around it.
    """
    item: Keys | None = keys
    around: list[Keys | None] = []
    for token in _TOKEN.finditer(text, at):
        mark = token[0]
        if mark == "\n" and not around:
            return token.end()
        if mark in "]}":
            item = around.pop()
        elif mark == ",":
            item = _following(item)
        elif mark != "\n" and not mark.startswith("#"):
            if item is not None:
                lines.setdefault(item, line)
            if mark in "[{":
                around.append(item)
                item = (*item, 0) if item is not None and mark == "[" else None
        line += mark.count("\n")
    return len(text)


def _following(item: Keys | None) -> Keys | None:
    """Return the way to the next item of the same list."""
    if item is None:
        return None
    *before, index = item
    return (*before, int(index) + 1)
