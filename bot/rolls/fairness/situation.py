"""What was asked of a roll before its dice, part by part: hashed as one, so that it is fixed, and each part can be shown to have been among it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from bot.core.canonical import canonical
from bot.core.places import Placed, places

ASKED = "situation"
"""What a body keeps of a roll before its dice: the parts as they were asked for, and the secret under which they are hashed."""

_SALT = re.compile(r"[0-9a-f]{32}")


class Situation(NamedTuple):
    """The places of the parts of a roll in their order, and what was asked for them, at these places."""

    places: list[int]
    placed: Placed

    def part(self, place: int) -> str:
        """Return the salted hash (hex) of what was asked for the part at a place."""
        return self.placed.hash_at(place)


def situation(kept: Mapping[str, Any]) -> Situation:
    """Return what was asked, by what a body keeps of it."""
    salt, parts = kept["salt"], kept["parts"]
    if not _SALT.fullmatch(salt):
        raise ValueError("a salt has 16 bytes")
    found = places(salt, len(parts))
    return Situation(found, Placed(salt, dict(zip(found, map(canonical, parts), strict=True))))
