"""Who else is hit: shots through an ally, automatic fire into melee, and who shields the target (lines 377 to 381)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.book import Book
from rules.books.roe.catalog import Mode, WeaponClass
from rules.books.roe.damage import Hit, Typed, blow, multiplied
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


def shares(
    book: Book, dice: Sequence[int], mod: int, primary: Sequence[bool], secondary: Sequence[bool]
) -> tuple[int, int]:
    """Return what the target and another one take of the same damage dice, each before damage reduction.

    Each takes the dice in the places that hit it; the other one half of their sum, rounded down, and the modifier in full.
    """
    if not len(dice) == len(primary) == len(secondary):
        raise RollError("Give one damage die and one hit or miss per attack for each.")
    mine, theirs = _fallen(dice, primary), _fallen(dice, secondary)
    part = book.number("shared-part")
    return _share(book, mine, mod, multiplied(mine, doubled=False)), _share(
        book, theirs, mod, multiplied(theirs, doubled=False) // part
    )


def shielded(primary: Sequence[bool]) -> tuple[bool, ...]:
    """Return which attacks hit whoever shields the target: all that miss it, without a dodge."""
    return tuple(not hit for hit in primary)


def _fallen(dice: Sequence[int], hits: Sequence[bool]) -> list[Hit]:
    return [Hit(die) for die, hit in zip(dice, hits, strict=True) if hit]


def _share(book: Book, hits: Sequence[Hit], mod: int, dice: int) -> int:
    return blow(book, dice, [Typed("", mod)] if hits else ()).before_dr
