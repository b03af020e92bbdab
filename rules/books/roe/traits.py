"""Traits of weapons: what a natural accuracy die triggers when it hits (lines 277 to 295)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Trigger
from rules.books.roe.weapons import threshold


class Rolled(Struct, frozen=True, forbid_unknown_fields=True):
    """A natural accuracy die, and whether it hit."""

    natural: int
    hit: bool


def triggers(book: Book, trait: str, size: str, rolls: Sequence[Rolled]) -> Trigger | None:
    """Return what the rolls of one Action trigger, once however many do; None if nothing."""
    least = threshold(book, size, trait)
    return book.listed(Trigger)[trait] if any(roll.hit and roll.natural >= least for roll in rolls) else None
