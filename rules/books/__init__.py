"""The rule books that Adjutant ships, one folder each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from rules.procedure import Procedure


def procedures(book_id: str) -> Sequence[Procedure]:
    """Return the rolls of a shipped book."""
    found: Sequence[Procedure] = importlib.import_module(f"rules.books.{book_id}").PROCEDURES
    return found
