"""How a fight is set up and who comes into it (lines 6, 80, 143, 157 to 165)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rules.book import Book
from rules.books.roe.catalog import Arrival, entry_of
from rules.books.roe.turn_catalog import Entrance, Noise
from rules.errors import RollError


def agreed(votes: Collection[bool]) -> bool:
    """Return whether everybody is for it; nobody is no everybody."""
    return bool(votes) and all(votes)


def shouted(book: Book, noise: str, *, silencer: bool, first: bool) -> bool:
    """Return whether a noise has to be shouted: the first one, and not silenced."""
    return first and not (entry_of(book.listed(Noise), noise).can_be_silenced and silencer)


def entrance(book: Book, way: str, *, locked: bool) -> Entrance | None:
    """Return a way into a fight; None where it is locked this way."""
    entry = book.listed(Entrance)[way]
    return entry if entry.into_locked or not locked else None


def number(turn: int) -> int:
    """Return the number of a turn or round.

    Raises:
        RollError: there is no such one.

    """
    if turn < 1:
        raise RollError("Turns and rounds are numbered from 1.")
    return turn


def called_turns(book: Book, *, near_base: bool) -> int:
    """Return how many more turns the caller completes before help comes."""
    return book.number("call-rounds-near-base" if near_base else "call-rounds")


def heard(book: Book, metres: float) -> Arrival | None:
    """Return how whoever hears shots from so far away arrives; None where nobody hears them."""
    if metres < 0:
        raise RollError("A distance can't be below 0 metres.")
    return next((item for item in book.listed(Arrival).values() if metres <= item.most_m), None)


def ordered(order: Sequence[str], caller: str | None, ally: str | None) -> list[str]:
    """Return an order of names with an ally right behind the caller."""
    if caller is None or ally is None:
        raise RollError("With an order, name the caller and the ally.")
    if caller not in order:
        raise RollError(f"{caller} isn't in the turn order.")
    if ally in order:
        raise RollError(f"{ally} is already in the turn order.")
    place = list(order).index(caller) + 1
    return [*order[:place], ally, *order[place:]]
