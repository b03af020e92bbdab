"""Being struck down (lines 168 to 178): HP, the Mortal Wound's saving roll and price, and what goes by the clock."""

from __future__ import annotations

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import entry_of
from rules.books.roe.sides import racial_rule
from rules.books.roe.turn_catalog import Harm, Timer
from rules.errors import RollError


class Wound(Struct, frozen=True):
    """HP after damage, and whether a saving roll against a Mortal Wound is due."""

    hp: int
    save: bool

    @property
    def wounded(self) -> bool:
        """Whether nothing is left."""
        return self.hp == 0


def wound(book: Book, hp: int, damage: int, harm: str) -> Wound:
    """Return what damage (after DR) by a kind of harm does to so many HP."""
    if min(hp, damage) < 0:
        raise RollError("HP and damage can't be below 0.")
    mortal = entry_of(book.listed(Harm), harm).mortal
    return Wound(max(0, hp - damage), in_need(book, hp, damage, mortal=mortal))


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


def added_minutes(book: Book, timer: Timer, racial: str | None = None) -> int:
    """Return how many minutes an attack adds to the end of a timer that still runs."""
    if not timer.prolonged:
        raise RollError(f"{timer.label}: attacks don't prolong it.")
    return minutes(book, timer, racial)
