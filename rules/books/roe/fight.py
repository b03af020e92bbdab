"""Noise in a fight, and who comes into it (lines 143, 157 to 165)."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.catalog import Arrival, entry_of
from rules.books.roe.turn_catalog import Entrance, Noise
from rules.errors import RollError


def shouted(book: Book, noise: str, *, silencer: bool, first: bool) -> bool:
    """Return whether a noise has to be shouted: the first one, and not silenced."""
    return first and not (entry_of(book.listed(Noise), noise).can_be_silenced and silencer)


def entrance(book: Book, way: str, *, locked: bool) -> Entrance | None:
    """Return a way into a fight; None where it is locked this way."""
    entry = book.listed(Entrance)[way]
    return entry if entry.into_locked or not locked else None


def called_turns(book: Book, *, near_base: bool) -> int:
    """Return how many more turns the caller completes before help comes."""
    return book.number("call-rounds-near-base" if near_base else "call-rounds")


def heard(book: Book, metres: float) -> Arrival | None:
    """Return how whoever hears shots from so far away arrives; None where nobody hears them."""
    if metres < 0:
        raise RollError("A distance can't be below 0 metres.")
    return next((item for item in book.listed(Arrival).values() if metres <= item.most_m), None)
