"""How severe weather is, by the book's own scale of 0 (calm) to 4."""

from __future__ import annotations

from collections.abc import Iterable

from rules.book import Book, Condition

WARNED = 3
"""How severe a condition is that people are warned of."""

UNRATED = 2
"""How severe a condition counts that the book has no more."""


def worst(traits: Iterable[str], book: Book) -> Condition | None:
    """Return the most severe of some conditions, of those that the book knows."""
    known = (book.conditions[trait] for trait in traits if trait in book.conditions)
    return max(known, key=lambda condition: condition.severity, default=None)


def worst_first(traits: Iterable[str], book: Book) -> list[str]:
    """Return conditions, each once, the most severe first."""
    severity = {trait: book.conditions[trait].severity if trait in book.conditions else UNRATED for trait in traits}
    return sorted(severity, key=lambda trait: -severity[trait])
