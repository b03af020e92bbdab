"""The rule books that Adjutant ships, one folder each."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from msgspec import Struct, structs

from rules.book import Book
from rules.catalog import Kinds
from rules.fields import CheckedField, Field
from rules.procedure import Procedure


class _Check(Struct, frozen=True, eq=False):
    """What refuses with RollError a word of a field, equal to that of the same book: fields are compared to see whether they changed."""

    refuses: Callable[[Book, str], object]
    book: Book

    def __call__(self, word: str) -> object:
        return self.refuses(self.book, word)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Check) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, str]:
        return self.refuses, self.book.fingerprint


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
        name: CheckedField(**structs.asdict(item), check=_Check(checks[name], book)) if name in checks else item
        for name, item in book.fields.items()
    }


@cache
def _checks(book_id: str) -> Mapping[str, Callable[[Book, str], object]]:
    """Return what refuses with RollError a word of a field of a book, by field; nothing of a book without a package."""
    name = f"rules.books.{book_id}"
    found: Mapping[str, Callable[[Book, str], object]]
    found = getattr(importlib.import_module(name), "FIELDS", {}) if importlib.util.find_spec(name) else {}
    return found
