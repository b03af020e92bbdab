"""The shipped rule books; each has its rolls in its module `book`."""

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct, structs

from rules import kinds, orders, subjects
from rules.book import Book
from rules.procedure import Procedure

T = TypeVar("T")


class _FieldCheck(Struct, frozen=True, eq=False):
    """A field's check, equal for the same book so that changes can be found."""

    refuses: Callable[[Book, Any], object]
    book: Book

    def __call__(self, value: object) -> object:
        return self.refuses(self.book, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FieldCheck) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, str]:
        return self.refuses, self.book.fingerprint


def procedures_of(book_id: str) -> Sequence[Procedure]:
    """Return a shipped book's rolls."""
    return _load_from_book(book_id, "PROCEDURES", ())


def kinds_of(book_id: str) -> kinds.Kinds:
    """Return the types of a book's catalog."""
    return _load_from_book(book_id, "CATALOG", {})


def fields_of(book: Book) -> dict[str, subjects.Field]:
    """Return a book's fields by id, with checks."""
    checks: dict[str, dict[str, Any]] = {}
    for named, key in (("FIELDS", "check"), ("BESIDE", "beside")) if book.fields else ():
        refusals: dict[str, Callable[[Book, Any], object]] = _load_from_book(book.id, named, {})
        for name, refuses in refusals.items():
            checks.setdefault(name, {})[key] = _FieldCheck(refuses, book)
    return {
        name: subjects.CheckedField(**structs.asdict(item), **checks[name]) if name in checks else item
        for name, item in book.fields.items()
    }


_UNPAIRED = orders.Pairing()


def find_pairing(book_id: str) -> orders.Pairing:
    """Return how a book pairs orders."""
    return _load_from_book(book_id, "PAIRING", _UNPAIRED)


@cache
def _is_shipped(book_id: str) -> bool:
    return importlib.util.find_spec(f"rules.books.{book_id}") is not None


def _load_from_book(book_id: str, named: str, otherwise: T) -> T:
    if not _is_shipped(book_id):
        return otherwise
    found: T = getattr(importlib.import_module(f"rules.books.{book_id}.book"), named, otherwise)
    return found
