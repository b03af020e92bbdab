"""What game masters may leave out of their own files: where something is written down, ids of rows, lines.

Books state all of it, since they are held against the page that they are printed on. A file of one's own is that page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Any

from rules.lines import Document, Place, header_items

PAGE = "House rules"
MAX_SLUG = 40
_WITH_LINES = ("rows", "naturals", "numbers", "letters", "modifiers")
"""The lists whose items stand on a line of the page."""


def fill(document: Document) -> None:
    """Write into the data of a file what it leaves out; what is no table or row stays, for others to report."""
    data, place = document.data, Place(document)
    head = data.get("overlay")
    if isinstance(head, dict):
        head.setdefault("source", {"book": PAGE, "section": _title(head)})
    for where, table in _dicts(header_items(data.get("table", []), place.at("table"))):
        table.setdefault("source", {"book": PAGE, "section": _title(table)})
        _fill_outcomes(table)
        _fill_lines(table, where)
    for where, change in _dicts(header_items(data.get("change", []), place.at("change"))):
        _fill_lines(change, where)


def slug(text: str, taken: Collection[str], otherwise: str) -> str:
    """Return an id for a text that none of those taken is: its letters and digits, or else another word, perhaps numbered."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    word = "-".join(re.findall("[a-z0-9]+", plain))[:MAX_SLUG].strip("-") or otherwise
    return next(name for name in _numbered(word) if name not in taken)


def _numbered(word: str) -> Iterator[str]:
    yield word
    number = 1
    while True:
        number += 1
        yield f"{word}-{number}"


def _dicts(items: Iterator[tuple[Place, object]]) -> Iterator[tuple[Place, dict[str, Any]]]:
    return ((place, item) for place, item in items if isinstance(item, dict))


def _listed(table: dict[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    items = table.get(key)
    if isinstance(items, list):
        yield from ((place, item) for place, item in enumerate(items) if isinstance(item, dict))


def _title(item: dict[str, Any]) -> str:
    named = (item.get(key) for key in ("title", "id"))
    return next((name for name in named if isinstance(name, str) and name), PAGE)


def _fill_outcomes(table: dict[str, Any]) -> None:
    taken = {row["outcome"] for _, row in _listed(table, "rows") if isinstance(row.get("outcome"), str)}
    for _, row in _listed(table, "rows"):
        if "outcome" not in row:
            text = row.get("text")
            row["outcome"] = slug(text if isinstance(text, str) else "", taken, "row")
            taken.add(row["outcome"])


def _fill_lines(table: dict[str, Any], where: Place) -> None:
    for key in _WITH_LINES:
        for place, item in _listed(table, key):
            item.setdefault("line", where.at(key, place).line)
