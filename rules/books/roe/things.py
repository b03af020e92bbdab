"""What is read off the catalog of the RoE book: stacks."""

from __future__ import annotations

from fractions import Fraction

from rules.book import Book
from rules.errors import RollError


def stack_sides(book: Book, size: int) -> int:
    """Return the sides of the die for the amount that is taken of a stack (line 471)."""
    if size < 1:
        raise RollError("That stack is empty.")
    return min(size, book.number("loot-most"))


def mean_taken(book: Book, size: int) -> Fraction:
    """Return how much is taken of a stack on average."""
    return Fraction(stack_sides(book, size) + 1, 2)
