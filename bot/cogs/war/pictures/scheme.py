"""The colours of factions on maps and boards: each has a lightness of its own beside its hue, and from the third on a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from bot.cogs.war.pictures.chart import Holder
from bot.ui.pictures.tints import tinted

LUMINANCES: Final = (0.48, 0.27, 0.37, 0.23, 0.56, 0.32)
"""The relative luminance of the first faction's land, the second's, and so on: dark letters read on each with 4.5 to 1 at least."""

PATTERNS: Final = ("", "", "upright", "level", "grid")
_CUT_OFF: Final = 0.5
"""How far land that is cut off comes nearer to white."""

_DEEP: Final = 0.07
_LINE: Final = 0.13


class Scheme(Struct, frozen=True):
    """A faction's colours: land, land that is cut off, the lines of hatching and borders, pieces (on which white reads); and the pattern of its land."""

    land: str
    pale: str
    line: str
    piece: str
    pattern: str = ""


NEUTRAL: Final = Scheme("#dcdee1", "#dcdee1", "#9aa1a9", "#4a525c")
LONE: Final = Scheme("#dcdee1", "#dcdee1", "#4a525c", "#3b3f45")
"""A lone rogue, who has pieces and no land."""


def scheme_of(colour: str, place: int) -> Scheme:
    """Return the colours of the faction of this place among all, counted from 0."""
    light = LUMINANCES[place % len(LUMINANCES)]
    pale = light + (1 - light) * _CUT_OFF
    return Scheme(
        tinted(colour, light),
        tinted(colour, pale),
        tinted(colour, _LINE),
        tinted(colour, _DEEP),
        PATTERNS[place % len(PATTERNS)],
    )


def schemes(holders: Mapping[str, Holder]) -> dict[str | None, Scheme]:
    """Return the colours of each faction by its id; None is neutral land."""
    return {None: NEUTRAL, **{name: scheme_of(item.colour, item.place) for name, item in holders.items()}}
