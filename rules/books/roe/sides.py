"""Who rolls, and what they add to just this roll: modifiers of which those of one name count once, and a racial option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Option, Size, entry_of
from rules.dice import ScriptedDice
from rules.errors import UnknownName, WrongDice
from rules.facts import Facts, Known, Origin
from rules.modifiers import Adjustment
from rules.scores import weigh_score

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


def option_named(book: Book, name: str) -> Option:
    """Return a racial option by its name."""
    by_name = {entry.label.casefold(): entry for entry in book.listed(Option).values()}
    if name.strip().casefold() not in by_name:
        raise UnknownRacial(name, [entry.label for entry in by_name.values()])
    return by_name[name.strip().casefold()]


def option_id(book: Book, name: str) -> str:
    """Return the id of a racial option by its name."""
    return option_named(book, name).id


def true_facts(role: str, *traits: str) -> Facts:
    """Return facts that are so of whoever stands in a role."""
    return {f"{role}.{trait}": Known(1, TYPED) for trait in traits}


def racial_facts(book: Book, role: str, name: str | None) -> Facts:
    """Return what a racial option makes true of whoever stands in a role."""
    return {} if name is None else true_facts(role, f"option.{option_id(book, name)}")


def size_facts(book: Book, role: str, size: str | None) -> Facts:
    """Return what a size class makes true of whoever stands in a role."""
    return {} if size is None else true_facts(role, f"size.{entry_of(book.listed(Size), size).id}")


def racial_rule(book: Book, name: str | None, rule: str, otherwise: int) -> int:
    """Return a number that a racial option changes besides rolls, and `otherwise` without such an option."""
    return otherwise if name is None else int(option_named(book, name).rules.get(rule, otherwise))


def score_of(book: Book, score: str, facts: Facts, role: str = "actor") -> int:
    """Return what a score comes to for whoever stands in a role."""
    return weigh_score(book.scores[score], role, facts).value


def fallen(*faces: tuple[int, int]) -> ScriptedDice:
    """Return dice that fall so, each as (sides, face)."""
    for sides, face in faces:
        if not 1 <= face <= sides:
            raise WrongDice(f"A d{sides} has no face {face}.")
    return ScriptedDice(faces)
