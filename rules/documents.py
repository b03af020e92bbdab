"""TOML files as people write them: lines of values, limits, and what a file may leave out.

`tomllib` reads values, this finds their lines: of headers, keys outside braces, and list items. Anything deeper has its
item's line.
"""

from __future__ import annotations

import io
import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import chain, count
from typing import Any
from unicodedata import category

from msgspec import Struct, field

from rules.errors import BookError, Fault
from rules.phrases import suggestion

Table = dict[str, Any]
Keys = tuple[str | int, ...]
"""The path to a value: `("table", "rows", 3)`."""
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
    """A TOML file as read; faults use `name`."""

    name: str
    text: str
    data: Table

    def line(self, keys: Keys) -> int:
        """Return the line of the value at this path, else of the nearest part around it."""
        # The empty way, the file itself, is always known: line 1.
        while keys not in self._lines:
            keys = keys[:-1]
        return self._lines[keys]

    @cached_property
    def _lines(self) -> dict[Keys, int]:
        return _map_lines(self.text)


class Place(Struct, frozen=True):
    """A value's place in a document."""

    document: Document
    keys: Keys = ()

    def at(self, *keys: str | int) -> Place:
        """Return the place of a part of this value, by further keys."""
        return Place(self.document, (*self.keys, *keys))

    @property
    def line(self) -> int:
        """The value's line in the file, from 1."""
        return self.document.line(self.keys)

    def fault(self, what: str) -> Fault:
        """Make a fault at this place."""
        return Fault(self.document.name, self.line, what)

    def unknown(self, what: str, name: str, known: Iterable[str]) -> Iterator[Fault]:
        """Yield a fault for an unknown name."""
        if name not in (every := [*known]):
            yield self.fault(f"{what} {name}{suggestion(name, every)}")


def header_items(raw: object, place: Place) -> Iterator[tuple[Place, object]]:
    """Yield (place, item) pairs for what's under `[key]` (one item) or `[[key]]` (several)."""
    if isinstance(raw, list):
        yield from ((place.at(index), item) for index, item in enumerate(raw))
    else:
        yield place, raw


def _map_lines(text: str) -> dict[Keys, int]:
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
                # The list itself is where its first table is.
                lines.setdefault(keys[:-1], line)
            lines.setdefault(keys, line)
    return lines


@lru_cache(maxsize=1024)
def _parts(keys: str) -> tuple[str, ...]:
    names: list[str] = []
    # Quoting and escapes of keys are left to the parser, which has read the whole file already.
    value = tomllib.loads(f"{keys} = 0")
    while isinstance(value, dict):
        name, value = next(iter(value.items()))
        names.append(name)
    return tuple(names)


def _header(statement: re.Match[str], counts: dict[Keys, int]) -> Keys:
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
    item: Keys | None = keys
    around: list[Keys | None] = []
    for token in _TOKEN.finditer(text, at):
        mark = token[0]
        if mark == "\n" and not around:
            return token.end()
        if mark in "]}":
            item = around.pop()
        elif mark == ",":
            item = None if item is None else (*item[:-1], int(item[-1]) + 1)
        elif mark != "\n" and not mark.startswith("#"):
            if item is not None:
                lines.setdefault(item, line)
            if mark in "[{":
                around.append(item)
                item = (*item, 0) if item is not None and mark == "[" else None
        line += mark.count("\n")
    return len(text)


MAX_FAULTS = 100
LONGEST_TEXT = 300


class Faults(list[Fault]):
    """Faults up to a limit, then BookError."""

    def append(self, fault: Fault) -> None:
        """Add a fault; raise BookError at the limit."""
        super().append(fault)
        if len(self) >= MAX_FAULTS:
            raise BookError(self)

    def extend(self, faults: Iterable[Fault]) -> None:
        """Add faults one by one."""
        for fault in faults:
            self.append(fault)


class Bounds(Struct, frozen=True, kw_only=True):
    """What a file may hold; `longest` and `most` are exceptions by key.

    Parsing takes time by the square of a key's `dots`.
    """

    size: int = 64 * 1024
    line: int = 2000
    dots: int = 100
    values: int = 10_000
    depth: int = 10
    text: int = 100
    items: int = 60
    longest: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    mend: str = "split"

    def before_parsing(self, name: str, data: bytes) -> Iterator[Fault]:
        """Yield what keeps a file from being parsed."""
        if len(data) > self.size:
            yield Fault(name, 1, f"the file has {len(data)} bytes, over the limit of {self.size}: {self.mend} it")
        elif data.startswith(b"PK\x03\x04"):
            yield Fault(name, 1, "this is a workbook or a zip file, not text: save the sheet as .csv")
        elif b"\0" in data:
            # UTF-16 has a NUL in every second byte, and a stray NUL is what `rules.draft` marks its place with.
            before = data.count(b"\n", 0, data.index(b"\0"))
            yield Fault(name, before + 1, "this isn't text (it has a NUL character): save it as UTF-8")
        else:
            # Counted on raw bytes before any parser runs: parsing is what takes long.
            for number, line in enumerate(io.BytesIO(data), start=1):
                if len(line) > self.line:
                    what = f"a line has {len(line)} bytes, over the limit of {self.line}"
                    yield Fault(name, number, f"{what}: put each item on a separate line")
                if (dots := line.count(b".")) > self.dots:
                    yield Fault(name, number, f"a line has {dots} dots: write at most {self.dots}")

    def after_parsing(self, document: Document) -> Iterator[Fault]:
        """Yield what's too long, deep or many."""
        waiting: list[tuple[Keys, object]] = [((), document.data)]
        # A bounded loop instead of recursion, which limits both depth and number of values.
        for _ in range(self.values):
            keys, value = waiting.pop()
            if what := self._problem(keys, value):
                yield Place(document, keys).fault(what)
            elif isinstance(value, dict):
                waiting.extend(((*keys, key), item) for key, item in value.items())
                waiting.extend(((*keys, key), key) for key in value if len(key) > self.text)
            elif isinstance(value, list):
                waiting.extend(((*keys, place), item) for place, item in enumerate(value))
            if not waiting:
                return
        yield Place(document).fault(f"more than {self.values} values in all: {self.mend} the file")

    def _problem(self, keys: Keys, value: object) -> str | None:
        if len(keys) > self.depth:
            return f"nested more than {self.depth} deep"
        key = next((key for key in reversed(keys) if isinstance(key, str)), "")
        # Categories C and Z are control, format and unassigned characters, and separators.
        if isinstance(value, str) and value and all(category(letter)[0] in "CZ" for letter in value):
            return f"{key[: self.text]}: only invisible characters: write something"
        if isinstance(value, str):
            size, most, unit = len(value), self.longest.get(key, self.text), "characters"
        elif isinstance(value, list):
            size, most, unit = len(value), self.most.get(key, self.items), "items"
        else:
            size, most, unit = len(value) if isinstance(value, dict) else 0, self.items, "keys"
        what = f"{key[: self.text]}: {size} {unit}, over the limit of {most}".removeprefix(": ")
        return what if size > most else None


PAGE = "House rules"
_MAX_SLUG = 40
_WITH_LINES = (
    "rows",
    "naturals",
    "numbers",
    "letters",
    "modifiers",
    "fields",
    "deeds",
    "order",
    "phase",
    "regions",
    "refused",
    "variants",
    "costs",
    "caps",
)
_HEADERS = ("acts", "contests", "strikes", "scores", "zones", "upkeep")
"""The lists and headers whose items have a line of the page."""


def fill_defaults(document: Document) -> None:
    """Write missing defaults; malformed parts stay for later faults."""
    data, place = document.data, Place(document)
    head = data.get("overlay")
    if isinstance(head, dict):
        head.setdefault("source", {"book": PAGE, "section": _title(head)})
        _fill_lines(head, place.at("overlay"))
    game, page = data.get("game"), PAGE
    if isinstance(game, dict):
        _fill_lines(game, place.at("game"))
        page = next((it for it in (game.get("source"), game.get("title")) if isinstance(it, str) and it), PAGE)
    _fill_lines(data, place)
    if isinstance(catalog := data.get("catalog"), dict):
        _fill_lines(catalog, place.at("catalog"))
    for key in _HEADERS:
        for where, item in _list_dicts(header_items(data.get(key, []), place.at(key))):
            item.setdefault("line", where.line)
            _fill_lines(item, where)
    for where, table in _list_dicts(header_items(data.get("table", []), place.at("table"))):
        table.setdefault("source", {"book": page, "section": _title(table)})
        taken = {row["outcome"] for _, row in _list_items(table, "rows") if isinstance(row.get("outcome"), str)}
        for _, row in _list_items(table, "rows"):
            if "outcome" not in row:
                text = row.get("text")
                row["outcome"] = make_id(text if isinstance(text, str) else "", taken, "row")
                taken.add(row["outcome"])
        _fill_lines(table, where)
    for where, change in _list_dicts(header_items(data.get("change", []), place.at("change"))):
        _fill_lines(change, where)


def make_id(text: str, taken: Collection[str], otherwise: str) -> str:
    """Make an unused id from a text, else from `otherwise`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    word = "-".join(re.findall("[a-z0-9]+", plain))[:_MAX_SLUG].strip("-") or otherwise
    return next(name for name in chain([word], (f"{word}-{number}" for number in count(2))) if name not in taken)


def _list_dicts(items: Iterator[tuple[Place, object]]) -> Iterator[tuple[Place, Table]]:
    return ((place, item) for place, item in items if isinstance(item, dict))


def _list_items(table: Table, key: str) -> Iterator[tuple[int, Table]]:
    items = table.get(key)
    if isinstance(items, list):
        yield from ((place, item) for place, item in enumerate(items) if isinstance(item, dict))


def _title(item: Table) -> str:
    named = (item.get(key) for key in ("title", "id"))
    return next((name for name in named if isinstance(name, str) and name), PAGE)


def _fill_lines(table: Table, where: Place) -> None:
    for key in _WITH_LINES:
        for place, item in _list_items(table, key):
            item.setdefault("line", where.at(key, place).line)
    inner: list[tuple[tuple[str, ...], object]] = [((key,), table.get(key)) for key in ("against", "pool")]
    if isinstance(readings := table.get("readings"), dict):
        inner += [(("readings", name), item) for name, item in readings.items()]
    for keys, part in inner:
        if isinstance(part, dict):
            part.setdefault("line", where.at(*keys).line)
