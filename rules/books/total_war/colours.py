"""Colours of factions on the map: how they are written, and that no two look alike (line 95)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rules.books.total_war.refusal import Refused

COLOURS = ("#2e7d32", "#6a1b9a", "#ef6c00", "#00838f", "#5d4037", "#ad1457")
"""Colours of rogue factions until their leaders choose others."""
APART = 60
"""How far two colours lie apart at least; black and white do by some 760."""

_COLOUR = re.compile("#[0-9a-f]{6}")


def colour_of(text: str) -> str:
    """Return a colour as it is kept, `#rrggbb` in small letters."""
    written = text.strip().lower()
    if _COLOUR.fullmatch(written) is None:
        raise Refused(
            "E_NO_TARGET", f"{text!r} isn't a colour. Write # and six digits or letters a to f, such as {COLOURS[0]}."
        )
    return written


def is_apart(colour: str, used: Iterable[str]) -> bool:
    """Return whether a colour is told from all that are in use."""
    return all(_distance(colour, other) >= APART for other in used)


def require_apart(colour: str, used: Iterable[str]) -> None:
    """Refuse a colour too much like one in use, and say which are free."""
    taken = [*used]
    near = next((other for other in taken if _distance(colour, other) < APART), None)
    if near is not None:
        free = ", ".join(other for other in COLOURS if is_apart(other, taken))
        told = f" Some that are free: {free}." if free else " Choose a clearly different one."
        raise Refused("E_COLOR_IN_USE", f"{colour} looks too much like {near}, another faction's colour.{told}")


def _distance(one: str, other: str) -> float:
    """Return how far apart two colours look: channels weighted as eyes do, the more red the more by it (a common approximation)."""
    (r, g, b), (red, green, blue) = _channels(one), _channels(other)
    share = (r + red) / 2 / 256
    return float(((2 + share) * (r - red) ** 2 + 4 * (g - green) ** 2 + (3 - share) * (b - blue) ** 2) ** 0.5)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
