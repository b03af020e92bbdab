"""Automatic fire, which may hit those beside the target (lines 377 to 381)."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.catalog import Mode, WeaponClass
from rules.errors import RollError, UnknownName


class UnknownFire(UnknownName):
    """There is no such fire."""

    kind = "fire"


def counts_as_automatic(book: Book, fire: str, range_m: float | None) -> bool:
    """Return whether fire counts as automatic for those beside the target: a mode, or a class of weapons from afar."""
    if range_m is not None and range_m < 0:
        raise RollError("A range can't be below 0 m.")
    modes, spreading = book.listed(Mode), [item.id for item in book.listed(WeaponClass).values() if item.far_rolls]
    if fire in modes:
        return modes[fire].rolls > 1
    if fire not in spreading:
        raise UnknownFire(fire, [*modes, *spreading])
    if range_m is None:
        raise RollError("Add range_m: it decides if this counts as automatic fire.")
    return range_m > book.number("melee-shotgun-m")
