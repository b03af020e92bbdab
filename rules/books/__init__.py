"""The rule books that Adjutant ships, one folder each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from rules.catalog import Kinds
from rules.procedure import Procedure


def procedures(book_id: str) -> Sequence[Procedure]:
    """Return the rolls of a shipped book."""
    found: Sequence[Procedure] = importlib.import_module(f"rules.books.{book_id}").PROCEDURES
    return found


def kinds(book_id: str) -> Kinds:
    """Return what the entries of a shipped book's catalog hold, by their kinds; nothing of a book without one."""
    found: Kinds = getattr(importlib.import_module(f"rules.books.{book_id}"), "CATALOG", {})
    return found
