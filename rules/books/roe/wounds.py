"""Being struck down (lines 168 to 178): the Mortal Wound's saving roll and price, and what goes by the clock."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.sides import racial_rule
from rules.books.roe.turn_catalog import Timer
from rules.errors import RollError


def strikes_down(hp: int, damage: int) -> bool:
    """Return whether damage leaves none of so many HP; what does none strikes nobody down who is down already."""
    return damage >= max(hp, 1)


def in_need(book: Book, hp: int, damage: int, *, mortal: bool = True) -> bool:
    """Return whether a strike calls for a saving roll: one that can be `mortal`, of at least twice the HP left (A24)."""
    return mortal and damage > 0 and damage >= book.number("mortal-factor") * hp


def given(book: Book, amount: int) -> int:
    """Return how much of an amount a Mortal Wound costs: half, rounded up.

    Raises:
        RollError: an amount below nought.

    """
    if amount < 0:
        raise RollError("The amount can't be below 0.")
    return -(-amount // book.number("give-part"))


def minutes(book: Book, timer: Timer, racial: str | None = None) -> int:
    """Return for how many minutes a timer runs, for somebody of a racial option."""
    number = book.number(timer.number)
    return timer.minutes * (number if timer.rule is None else racial_rule(book, racial, timer.rule, number))
