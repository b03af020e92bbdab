"""What is struck from somebody's hands, and what becomes of it (lines 417 to 422)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.arsenal import Marks, fighter
from rules.books.roe.catalog import Vehicle
from rules.books.roe.contests import RESISTER
from rules.books.roe.explosives import Fuse, fuses_of
from rules.books.roe.ground import ITEM, marked
from rules.books.roe.marks import DRAWN, LYING, TAKEN
from rules.books.roe.vehicles import builtin
from rules.effects import SCENE, Change
from rules.errors import RollError
from rules.fields import word_id
from rules.procedure import Part

_IN_SLOT = f"{RESISTER}.slot"


def struck_of(part: Part) -> str:
    """Return what is struck from the other one's hands, by its id: what is named, or what is known to be there."""
    named = part.inputs.get(ITEM)
    marks = _marks(part)
    drawn = (mark.removeprefix(DRAWN) for mark in marks if mark.startswith(DRAWN))
    item = word_id(named) if named else next(chain(drawn, _cooked(part)), None)
    if item is None:
        raise RollError(f"Which of {part.subjects[RESISTER]}'s weapons? Add it as value.")
    if any(marks.get(gone + item) for gone in (LYING, TAKEN)):
        raise RollError(f"{named or item} is no longer in {part.subjects[RESISTER]}'s hands.")
    return item


def struck_away(part: Part, book: Book) -> tuple[str, Sequence[Change]]:
    """Return in words what becomes of what is struck away, and what that changes.

    A grenade burns on where it lands, and near whom that is will be asked when it explodes. What is built into the other one's
    vehicle stays in it: a reload makes it ready again.
    """
    item, metres, marks = struck_of(part), book.number("disarm-m"), _marks(part)
    called = part.inputs.get(ITEM) or item
    grenade = _cooked(part).get(item)
    if grenade is not None:
        name, fuse = grenade
        thrown = replace(fuse, held=False, near=())
        text = (
            f"{fuse.charge.item} lands {metres} m away. It explodes at the end of its user's turn in round {fuse.round}"
        )
        return text, ((SCENE, name, thrown.value()),)
    if _IN_SLOT in part.facts and item in _built_in(book):
        owed = f"reload.{item}"
        return f"{called} is blocked until it is reloaded", [
            *marked(part, RESISTER, {owed: max(1, marks.get(owed, 0))})
        ]
    return f"{called} lands {metres} m away", [*marked(part, RESISTER, {LYING + item: metres, DRAWN + item: 0})]


def _marks(part: Part) -> Marks:
    marks: Marks = (fighter(part.kept, part.subjects[RESISTER]) or {}).get("marks", {})
    return marks


def _cooked(part: Part) -> dict[str, tuple[str, Fuse]]:
    """Return the grenades in the other one's hands, by the ids of what they are called: each with its name in the fight."""
    who = (fighter(part.kept, part.subjects[RESISTER]) or {}).get("id")
    held = ((name, fuse) for name, fuse in fuses_of(part.kept).items() if fuse.held and fuse.of == who)
    return {word_id(fuse.charge.item): (name, fuse) for name, fuse in held}


def _built_in(book: Book) -> set[str]:
    """Return the weapons that classes of vehicles have already, by their ids."""
    labels = (builtin(book, vehicle) for vehicle in book.listed(Vehicle).values())
    return {word_id(label) for label in labels if label}
