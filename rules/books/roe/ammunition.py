"""Special ammunition: which kind is in a weapon, and the trait that the weapon has by it (lines 325, 408, 517)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.book import Book
from rules.books.roe.arsenal import Marks, fighter
from rules.books.roe.catalog import Ammo
from rules.fields import word_id
from rules.procedure import Part

LOADED = "ammo."
"""How the mark of special ammunition begins: behind it follow the ids of weapon and ammunition."""
ACTOR = "actor"


def loaded(part: Part) -> list[str]:
    """Return the marks of what whoever acts has in weapons; of one who has paid with another target already, those of then."""
    marks: Marks = (fighter(part.kept, part.subjects[ACTOR]) or {}).get("marks", {})
    return [
        *(mark for mark, count in marks.items() if mark.startswith(LOADED) and count),
        *part.inputs.get("loaded", ()),
    ]


def ammo_in(book: Book, part: Part, weapon: str) -> Ammo | None:
    """Return the kind that is in a weapon (its name); None of ordinary rounds, and of what the book does not know."""
    known = {f"{LOADED}{word_id(weapon)}.{item.id}": item for item in book.listed(Ammo).values()}
    return next((known[mark] for mark in loaded(part) if mark in known), None)


def told(book: Book, part: Part, weapon: str) -> Iterator[str]:
    """Yield what a weapon (its name) is loaded with; what that does beyond the page is typed."""
    of, kinds = f"{LOADED}{word_id(weapon)}.", book.listed(Ammo)
    for mark in loaded(part):
        if mark.startswith(of):
            kind = kinds.get(mark.removeprefix(of))
            own = mark.removeprefix(of).replace("-", " ")
            yield f"{weapon}: loaded with {kind.label if kind else f'{own}, which works as its text says'}."
