"""How much a TOML file that somebody sends may hold, so that none takes long to read or to refuse."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from unicodedata import category

from msgspec import Struct, field

from rules.errors import BookError, Fault
from rules.lines import Document, Keys, Place

MAX_FAULTS = 100
LONGEST_TEXT = 300
"""Characters of what a row says."""


class Faults(list[Fault]):
    """The first faults that are found; with one more than anybody reads at once, the search ends."""

    def append(self, fault: Fault) -> None:
        """Take a fault in."""
        super().append(fault)
        if len(self) >= MAX_FAULTS:
            raise BookError(self)

    def extend(self, faults: Iterable[Fault]) -> None:
        """Take faults in one by one, so that no more than enough are looked for."""
        for fault in faults:
            self.append(fault)


class Bounds(Struct, frozen=True, kw_only=True):
    """What a file may hold: bytes in all and on a line, dots of a line, values, keys on the way to one, characters and items.

    No key is deeper than the dots of its line: the time that a key takes grows with their square. `longest` and `most` are
    the characters of texts and the items of lists by their key, where these differ from `text` and `items`; a table has no
    more keys than `items`.
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
        """Yield what keeps a file from being read at all; `name` is how faults speak of it."""
        if len(data) > self.size:
            yield Fault(name, 1, f"the file has {len(data)} bytes, over the limit of {self.size}: {self.mend} it")
        elif b"\0" in data:
            # UTF-16 has a NUL in every second byte, and a stray NUL is what `rules.syntax` marks its place with.
            before = data.count(b"\n", 0, data.index(b"\0"))
            yield Fault(name, before + 1, "this isn't text (it has a NUL character): save it as UTF-8")
        else:
            # Counted on raw bytes before any parser runs: parsing is what takes long.
            for number, line in enumerate(io.BytesIO(data), start=1):
                if len(line) > self.line:
                    what = (
                        f"a line has {len(line)} bytes, over the limit of {self.line}: put each item on a separate line"
                    )
                    yield Fault(name, number, what)
                if (dots := line.count(b".")) > self.dots:
                    yield Fault(name, number, f"a line has {dots} dots: write at most {self.dots}")

    def after_parsing(self, document: Document) -> Iterator[Fault]:
        """Yield what is too long, too deep or too much, each with the place where it stands."""
        waiting: list[tuple[Keys, object]] = [((), document.data)]
        # A bounded loop in place of recursion, so that neither depth nor number of values can be used up.
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
        """Return what is wrong with the size of one value; its key is the nearest name on the way to it."""
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
        return (
            None if size <= most else f"{key[: self.text]}: {size} {unit}, over the limit of {most}".removeprefix(": ")
        )
