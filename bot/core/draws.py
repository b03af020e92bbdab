"""The record of an entry's dice: what all its parts hang on, and a record of each part, under one hash of which each can be shown alone. Pure.

It is stored as lines of canonical JSON: the first is what all parts hang on, the others are the parts, each behind its place and who may know it.
A record of one line is of the form before there were parts: it is hashed as it is, and nobody is shown it or draws its dice again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from bot.core.places import PLACES, Placed, both, places, root, salt_at, salted_hash

STAFF_ALONE = "secret"
"""Who may know the record of a part in which something secret counted, whoever is told its outcome."""


_LATELY = 512
"""How many records are kept as they were read: whoever proves a run of entries hashes all of them, and then looks at all dice."""


class PartLine(NamedTuple):
    """The record of a part (canonical JSON): at which place, and who may know it: an audience, or `STAFF_ALONE`."""

    place: int
    who: str
    text: str


class Drawn(NamedTuple):
    """The record of an entry's dice: what all parts hang on (canonical JSON), and the parts in the order of their places."""

    of_all: str
    parts: tuple[PartLine, ...]

    def placed(self, secret: str) -> Placed:
        """Return the records of the parts at their places."""
        return Placed(secret, self._texts)

    @property
    def _texts(self) -> dict[int, str]:
        return {part.place: part.text for part in self.parts}

    def hash_of(self, secret: str) -> str:
        """Return the hash (hex) of the record as a header has it; `secret` (hex) gives the salts and what stands at empty places.

        Raises:
            ValueError: the secret is no hex.

        """
        if not self.parts:
            return salted_hash(secret, self.of_all)
        return both(salted_hash(salt_of_all(secret), self.of_all), root(secret, self._texts))


def stored(of_all: str, parts: Iterable[PartLine]) -> str:
    """Return the text under which a record is stored."""
    return "\n".join([of_all, *(f"{part.place} {part.who} {part.text}" for part in sorted(parts))])


@lru_cache(maxsize=_LATELY)
def read(text: str) -> Drawn:
    """Return the record in a text.

    Raises:
        ValueError: it is none.

    """
    of_all, *lines = text.split("\n")
    parts = tuple([_part(line) for line in lines])
    if len(parts) > 1 and len({part.place for part in parts}) != len(parts):
        raise ValueError("two parts have the same place")
    return Drawn(of_all, parts)


def hash_of(secret: str, text: str) -> str:
    """Return the hash (hex) of the record in a text, as `Drawn.hash_of` gives it.

    Raises:
        ValueError: the text is no record, or the secret no hex.

    """
    return read(text).hash_of(secret)


def salt_of_all(secret: str) -> str:
    """Return the salt (hex) of what all parts hang on."""
    return salt_at(secret, PLACES)


def has_parts(text: str | None) -> bool:
    """Return whether a text, if any, is a record whose parts can be shown."""
    return text is not None and "\n" in text


def may_know(audience: str, who: str) -> bool:
    """Return whether those to whom an entry of this audience is open may know the record of a part."""
    return who != STAFF_ALONE and (audience != "mixed" or who == "results")


def are_known_to(text: str, salt: str, due: Sequence[str]) -> bool:
    """Return whether the parts in a record may be known to those to whom they are due, in the order in which they were asked for; `salt` (hex) gives their places.

    Raises:
        ValueError: the text is no record, there are too many parts, or the salt is no hex.

    """
    parts = read(text).parts
    if len(parts) != len(due):
        return False
    if len({*due}) == 1:  # most rolls: to draw the lots takes longer than all the rest
        return all(part.who == due[0] for part in parts)
    return {part.place: part.who for part in parts} == dict(zip(places(salt, len(due)), due, strict=True))


def open_parts(audience: str, text: str | None) -> bool:
    """Return whether everybody may know the record of some part of an entry, and so its seed; of one without dice there is no more to know."""
    if text is None:
        return audience == "results"
    return audience in {"results", "mixed"} and any(may_know(audience, part.who) for part in read(text).parts)


def _part(line: str) -> PartLine:
    named, who, text = line.split(" ", 2)
    place = int(named)
    if not 0 <= place < PLACES:
        raise ValueError(f"the place {named} doesn't exist")
    return PartLine(place, who, text)
