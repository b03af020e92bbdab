"""How much somebody can have: slots and attachments (lines 21, 38, 51, 261)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.book import Book
from rules.books.roe.sides import racial_facts, score_of
from rules.errors import RollError

EQUIPPED = ("cybernetics", "implants", "magika-items")
"""The fields of what takes slots."""


def check_slots(
    book: Book, cybernetics: int = 0, implants: int = 0, magika: int = 0, *, racial: str | None = None
) -> None:
    """Refuse more cybernetics, implants or magika than there are slots for (lines 21, 38, 51)."""
    facts, most = racial_facts(book, "actor", racial), book.number("slots")
    more, stones = score_of(book, "extra-slot", facts), most + score_of(book, "magika-slots", facts)
    if min(cybernetics, implants, magika) < 0:
        raise RollError("Slots can't be below 0.")
    if max(cybernetics - most, 0) + max(implants - most, 0) > more:
        extra = f", and {more} more of either" if more else ""
        raise RollError(f"The character has slots for {most} cybernetics and {most} implants{extra}.")
    if magika > stones:
        raise RollError(f"The character has {stones} magika slots, not {magika}.")


def check_equipped(book: Book, fields: Mapping[str, Any]) -> None:
    """Refuse more equipment, as it is kept of a character, than the slots of that one hold; copies take a slot each."""
    cybernetics, implants, magika = (len(fields.get(name) or ()) for name in EQUIPPED)
    check_slots(book, cybernetics, implants, magika, racial=fields.get("option"))


def check_attachments(book: Book, names: Sequence[str]) -> None:
    """Refuse what a single weapon cannot have attached (line 261)."""
    if len(names) > book.number("attachments"):
        raise RollError(f"A weapon can have at most {book.number('attachments')} attachments.")
    if len({name.strip().casefold() for name in names}) < len(names):
        raise RollError("A weapon can't have two attachments of the same name.")
