"""What pushing and throwing somebody does in the RoE book (lines 394 and 434)."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.contests import Settled


def into_object(book: Book, die: int, strength: int) -> int:
    """Return the damage of a push into a solid object: that of an improvised weapon, with half of the strength."""
    return _dealt(book, die, strength // 2)


def into_character(book: Book, die: int, strength: int, out: Settled) -> int:
    """Return the damage to both when somebody is thrown into somebody: none if that misses, the die twice if critical."""
    return _dealt(book, die * (1 + out.double), strength) if out.won else 0


def _dealt(book: Book, dice: int, strength: int) -> int:
    return max(0, dice + min(strength, book.number("modifier-cap")))
