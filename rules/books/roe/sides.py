"""Who rolls, and what they add to just this roll: modifiers of which those of one name count once, and a racial option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Option
from rules.dice import ScriptedDice
from rules.errors import UnknownName, WrongDice
from rules.facts import Facts, Known, Origin
from rules.modifiers import Adjustment

TYPED = Origin("typed", "typed")


class UnknownRacial(UnknownName):
    """There is no racial option of this name."""

    kind = "racial option"


class Named(Struct, frozen=True, forbid_unknown_fields=True):
    """A modifier by its name, such as that of an item."""

    name: str
    value: int


Mods = tuple[int | Named, ...]
"""Modifiers as they are typed, with or without a name."""


def counted(mods: Iterable[int | Named]) -> Iterator[Adjustment]:
    """Yield modifiers as adjustments; of one name only the first counts (line 17)."""
    names: set[str] = set()
    for mod in mods:
        if isinstance(mod, int):
            yield Adjustment(mod, "modifier")
        elif (key := mod.name.casefold().strip()) not in names:
            names.add(key)
            yield Adjustment(mod.value, mod.name)


def option_id(book: Book, name: str) -> str:
    """Return the id of a racial option by its name.

    Raises:
        UnknownRacial: there is none.

    """
    labels = {entry.label.casefold(): entry.id for entry in book.listed(Option).values()}
    if name.casefold() not in labels:
        raise UnknownRacial(name, [entry.label for entry in book.listed(Option).values()])
    return labels[name.casefold()]


def racial_facts(book: Book, role: str, name: str | None) -> Facts:
    """Return what a racial option makes true of whoever stands in a role."""
    return {} if name is None else {f"{role}.option.{option_id(book, name)}": Known(1, TYPED)}


def fallen(*faces: tuple[int, int]) -> ScriptedDice:
    """Return dice that fall so, each as (sides, face).

    Raises:
        WrongDice: a die has no such face.

    """
    for sides, face in faces:
        if not 1 <= face <= sides:
            raise WrongDice(f"A d{sides} has no face {face}.")
    return ScriptedDice(faces)
