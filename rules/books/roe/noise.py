"""Gunfire and explosions in a fight: the first one is shouted, and lets others come (lines 163 to 165)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.book import Book
from rules.books.roe.arms import Arm
from rules.books.roe.catalog import Arrival, Attached, DamageKind, entry_of
from rules.books.roe.fight import shouted
from rules.books.roe.turn_catalog import Noise
from rules.effects import SCENE, Change
from rules.fields import word_id
from rules.procedure import Part, Throw
from rules.scenes import MEMBER
from rules.tables import Source

NOISE = "noise"
"""The name under which a fight keeps who has made the noise that was shouted (`by`, a number)."""
EXPLOSION = "explosion"
_PAGE = Source("roe-7th-edition-dice", "Gunfire and Explosions")


def silenced(book: Book, arm: Arm) -> bool:
    """Return whether something that is attached to a weapon silences it."""
    quiet = {
        word_id(name) for item in book.listed(Attached).values() if item.silences for name in (item.id, item.label)
    }
    return any(word_id(item.name) in quiet for item in arm.attachments)


def noises(kinds: Iterable[DamageKind], quiet: Sequence[bool]) -> Iterator[tuple[str, bool]]:
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
        if value is not None and shouted(book, noise, silencer=quiet, first=first):
            entry = entry_of(book.listed(Noise), noise)
            most = max(item.most_m for item in book.listed(Arrival).values())
            text = f"heard up to {most} m away. Join with /fight join how:drawn by gunfire"
            return (Throw(entry.label, text, (), _PAGE, entry.line),), (
                (SCENE, NOISE, {"by": value["id"], "open": True}),
            )
    return (), ()
