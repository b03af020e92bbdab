"""What modifiers come to on a roll: what serves it, each name once, all of it added up and then capped (lines 10 to 21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct, field

from rules.book import Book
from rules.books.roe.sides import Named, counted
from rules.errors import RollError

ACCURACY = frozenset({"accuracy", "melee", "ranged"})
"""Rolls that a bonus to accuracy serves: it counts in melee and at range, unless it says otherwise (line 19)."""
FROM_VEHICLE = ACCURACY | {"damage"}
"""Rolls that a modifier of a weapon in a vehicle serves (line 522)."""


class Served(Struct, frozen=True, forbid_unknown_fields=True):
    """A modifier by its name, which rolls it is for, if not for all, and whether it is on the character or the weapon."""

    name: str
    value: int
    serves: tuple[str, ...] | None = field(default=None, name="for")
    on: Literal["character", "weapon"] = "character"

    def counts(self, roll: str | None, *, seated: bool) -> bool:
        """Return whether it counts on a roll, which may be made out of a vehicle."""
        if seated and (self.on == "character" or roll not in {None, *FROM_VEHICLE}):
            return False
        return self.serves is None or roll in self.serves or (roll in ACCURACY and "accuracy" in self.serves)


class Sum(Struct, frozen=True):
    """What modifiers come to, and what of that is applied."""

    raw: int
    applied: int


def add_up(
    book: Book, mods: Sequence[Served | int], roll: str | None = None, gm: int = 0, *, seated: bool = False
) -> Sum:
    """Return what modifiers and a game master's own come to on a roll."""
    most = book.number("gm-modifier")
    if abs(gm) > most:
        raise RollError(f"A game master can add or take at most {most}.")
    serving = list(_serving(mods, roll, seated=seated))
    raw = gm + sum(item.value for item in counted(serving))
    return Sum(raw, min(raw, book.number("modifier-cap")))


def _serving(mods: Sequence[Served | int], roll: str | None, *, seated: bool) -> Iterable[int | Named]:
    for mod in mods:
        if isinstance(mod, int):
            if not seated:
                yield mod
        elif mod.counts(roll, seated=seated):
            yield Named(mod.name, mod.value)
