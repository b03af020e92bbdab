"""The rule books that Adjutant ships, one folder each; each has its rolls in its module `book`, which loads with its first roll."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct, structs

from rules.book import Book
from rules.fields import CheckedField, Field
from rules.kinds import Kinds
from rules.orders import Pairing
from rules.procedure import Procedure

T = TypeVar("T")


class _FieldCheck(Struct, frozen=True, eq=False):
    """What refuses with RollError a word of a field, or its value beside the others, equal to that of the same book: fields are compared to see whether they changed."""

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
    """Return the rolls of a shipped book."""
    return _load_from_book(book_id, "PROCEDURES", ())


def kinds_of(book_id: str) -> Kinds:
    """Return what the entries of a shipped book's catalog hold, by their kinds; nothing of a book without one."""
    return _load_from_book(book_id, "CATALOG", {})


def fields_of(book: Book) -> dict[str, Field]:
    """Return what a book has kept, by id; what its module `book` says in `FIELDS` and `BESIDE` to check, checked by the book as it is played."""
    words, beside = (_checks(book.id, name) if book.fields else {} for name in ("FIELDS", "BESIDE"))
    checks: dict[str, dict[str, Any]] = {name: {"check": _FieldCheck(check, book)} for name, check in words.items()}
    for name, check in beside.items():
        checks.setdefault(name, {})["beside"] = _FieldCheck(check, book)
    return {
        name: CheckedField(**structs.asdict(item), **checks[name]) if name in checks else item
        for name, item in book.fields.items()
    }


@cache
def _checks(book_id: str, named: str) -> Mapping[str, Callable[[Book, object], object]]:
    """Return what refuses with RollError a word of a field of a book, or its value beside the others, by field; nothing of a book without a package."""
    return _load_from_book(book_id, named, {}) if _is_shipped(book_id) else {}


def pairing_of(book_id: str) -> Pairing | None:
    """Return how orders of a shipped book pair; None of a book without orders, or without a package."""
    return _load_from_book(book_id, "PAIRING", None) if _is_shipped(book_id) else None


@cache
def _is_shipped(book_id: str) -> bool:
    return importlib.util.find_spec(f"rules.books.{book_id}") is not None


def _load_from_book(book_id: str, named: str, otherwise: T) -> T:
    found: T = getattr(importlib.import_module(f"rules.books.{book_id}.book"), named, otherwise)
    return found
