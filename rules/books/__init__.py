"""The rule books that Adjutant ships, one folder each."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from msgspec import structs

from rules.book import Book
from rules.catalog import Kinds
from rules.fields import CheckedField, Field
from rules.procedure import Procedure


def procedures(book_id: str) -> Sequence[Procedure]:
    """Return the rolls of a shipped book."""
    found: Sequence[Procedure] = importlib.import_module(f"rules.books.{book_id}").PROCEDURES
    return found


def kinds(book_id: str) -> Kinds:
    """Return what the entries of a shipped book's catalog hold, by their kinds; nothing of a book without one."""
    found: Kinds = getattr(importlib.import_module(f"rules.books.{book_id}"), "CATALOG", {})
    return found


def kept_fields(book: Book) -> dict[str, Field]:
    """Return what a book has kept, by id; what its package says in `FIELDS` to check, checked by the book as it is played."""
    checks = _checks(book.id) if book.fields else {}
    return {
        name: CheckedField(**structs.asdict(item), check=partial(checks[name], book)) if name in checks else item
        for name, item in book.fields.items()
    }


@cache
def _checks(book_id: str) -> Mapping[str, Callable[[Book, str], object]]:
    """Return what refuses with RollError a word of a field of a book, by field; nothing of a book without a package."""
    name = f"rules.books.{book_id}"
    found: Mapping[str, Callable[[Book, str], object]]
    found = getattr(importlib.import_module(name), "FIELDS", {}) if importlib.util.find_spec(name) else {}
    return found
