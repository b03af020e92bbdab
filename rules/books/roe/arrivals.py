"""Noise in a fight, and who comes into it: the first gunfire or explosion is shouted (lines 143, 157 to 165)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.book import Book
from rules.books.roe.catalog import Arrival, Attached, DamageKind, entry_of
from rules.books.roe.characters import Arm
from rules.books.roe.turns import Entrance, Noise
from rules.effects import SCENE, Change
from rules.errors import RollError
from rules.fields import word_id
from rules.procedure import Part, Throw
from rules.scenes import MEMBER
from rules.tables import Source

NOISE = "noise"
"""The name under which a fight keeps who has made the noise that was shouted (`by`, a number)."""
EXPLOSION = "explosion"
_PAGE = Source("roe-7th-edition-dice", "Gunfire and Explosions")


def must_shout(book: Book, noise: str, *, silencer: bool, first: bool) -> bool:
    """Return whether a noise has to be shouted: the first one, and not silenced."""
    return first and not (entry_of(book.listed(Noise), noise).can_be_silenced and silencer)


def find_entrance(book: Book, way: str, *, locked: bool) -> Entrance | None:
    """Return a way into a fight; None where it is locked this way."""
    entry = book.listed(Entrance)[way]
    return entry if entry.into_locked or not locked else None


def count_call_turns(book: Book, *, near_base: bool) -> int:
    """Return how many more turns the caller completes before help comes."""
    return book.number("call-rounds-near-base" if near_base else "call-rounds")


def find_arrival(book: Book, metres: float) -> Arrival | None:
    """Return how whoever hears shots from so far away arrives; None where nobody hears them."""
    if metres < 0:
        raise RollError("A distance can't be below 0 metres.")
    return next((item for item in book.listed(Arrival).values() if metres <= item.most_m), None)


def is_silenced(book: Book, arm: Arm) -> bool:
    """Return whether something that is attached to a weapon silences it."""
    quiet = {
        word_id(name) for item in book.listed(Attached).values() if item.silences for name in (item.id, item.label)
    }
    return any(word_id(item.name) in quiet for item in arm.attachments)


def list_noises(kinds: Iterable[DamageKind], quiet: Sequence[bool]) -> Iterator[tuple[str, bool]]:
    """Yield each noise that weapons of these types of damage make, and whether it is silenced, in order."""
    for place, kind in enumerate(kinds):
        if kind.noise is not None:
            yield kind.noise, place < len(quiet) and quiet[place]


def shout(
    part: Part, book: Book, who: str, made: Iterable[tuple[str, bool]]
) -> tuple[tuple[Throw, ...], tuple[Change, ...]]:
    """Return what is told of noises that somebody (a name) makes, and what that changes: nothing but of the first in a fight.

    Each noise comes with whether it is silenced.
    """
    value: Mapping[str, Any] | None = part.kept.get(who, {}).get(MEMBER)
    first = not part.kept.get(SCENE, {}).get(NOISE)
    for noise, quiet in made:
        if value is not None and must_shout(book, noise, silencer=quiet, first=first):
            entry = entry_of(book.listed(Noise), noise)
            most = max(item.most_m for item in book.listed(Arrival).values())
            text = f"heard up to {most} m away. Join with /fight join how:drawn by gunfire"
            return (Throw(entry.label, text, (), _PAGE, entry.line),), (
                (SCENE, NOISE, {"by": value["id"], "open": True}),
            )
    return (), ()
