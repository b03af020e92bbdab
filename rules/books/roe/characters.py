"""Who somebody is: size class by height, racial option and what it changes, slots and attachments (lines 17 to 73, 112 to 120)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.book import Book
from rules.books.roe.catalog import Option, Size, entry_of
from rules.books.roe.sides import option_named, racial_facts, score_of
from rules.errors import RollError
from rules.tables import Score

Changes = Mapping[str, int | bool | str | Mapping[str, int]]
"""What a racial option changes, by what it counts on; of what hangs on the time of day, by that first."""
EQUIPPED = ("cybernetics", "implants", "magika-items")
"""The fields of what takes slots."""


def sizes_of(book: Book, feet: float) -> list[str]:
    """Return the size classes that somebody of this height may choose from, smallest first; giants are of the largest."""
    if feet <= 0:
        raise RollError("A height must be above 0 feet.")
    height = min(feet, book.number("approval-feet"))
    return [size.id for size in book.listed(Size).values() if size.least_feet <= height <= size.most_feet]


def needs_approval(book: Book, feet: float) -> bool:
    """Return whether only a game master allows this height (line 120)."""
    return feet > book.number("approval-feet")


def check_size(book: Book, size: str, feet: float | None) -> None:
    """Refuse a size class that does not go with a height."""
    entry = entry_of(book.listed(Size), size)
    if feet is not None and size not in sizes_of(book, feet):
        raise RollError(f"{entry.label} is {entry.least_feet} to {entry.most_feet} feet tall, not {feet:g}.")


def only_option(book: Book, names: Sequence[str]) -> Option:
    """Return the one racial option of a character."""
    if len(names) != 1:
        raise RollError(f"A character has exactly one racial option, not {len(names)}.")
    return option_named(book, names[0])


def changes(book: Book, option: Option) -> Changes:
    """Return all that both halves of a racial option change."""
    found: dict[str, int | bool | str | dict[str, int]] = dict(option.rules)
    for score in book.scores.values():
        for light, value in _halves(score, option):
            if light is None:
                found[score.id] = value
            else:
                by_light = found.setdefault(light, {})
                if isinstance(by_light, dict):
                    by_light[score.id] = value
    return found


def _halves(score: Score, option: Option) -> list[tuple[str | None, int]]:
    """Return what an option adds to a score, each with the time of day that it hangs on, if it does."""
    return [
        (next((fact.removeprefix("scene.") for fact in clause if fact.startswith("scene.")), None), item.value)
        for item in score.modifiers
        for clause in item.when
        if f"self.option.{option.id}" in clause
    ]


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
