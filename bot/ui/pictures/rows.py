"""Rows of small things on a picture of full colour: glyphs, letters and numbered pieces side by side, as large as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import Pen, lay, write
from bot.ui.pictures.glyphs import glyph
from bot.ui.pictures.lettering import length

_LEAST: Final = 8
_GAP: Final = 0.14
_LETTERS: Final = 0.86
_WITHIN: Final = {"triangle": (0.46, 0.17), "dart": (0.5, 0.06), "star": (0.42, 0.03), "hull": (0.54, 0.1)}
"""How large letters within a glyph are, and how far below its middle they stand, as shares of its size; else as the next line says."""

_SHORT: Final = 2
"""So many letters fit within a glyph; more are smaller."""

_WITHIN_ELSE: Final = (0.56, 0.0)


class Item(Struct, frozen=True):
    """A glyph with letters on it, or letters alone; `share` is its size as a share of the row's height.

    Letters on a glyph are in the colour `ink`; around it runs a `rim`.
    """

    shape: str | None
    text: str = ""
    colour: str = "ink"
    share: float = 1.0
    ink: str = "white"
    rim: str = "white"


def draw_row(picture: Image.Image, items: Sequence[Item], middle: tuple[float, float], room: tuple[int, int]) -> None:
    """Draw items side by side about a middle, as high as the second of `room` and no wider than the first."""
    size = _fitting(tuple(items), room)
    left = middle[0] - _width(items, size) / 2
    for item in items:
        wide = _wide(item, size)
        _draw(picture, item, (left + wide / 2, middle[1]), size)
        left += wide + _gap(size)


def draw_glyph(picture: Image.Image, item: Item, middle: tuple[float, float], size: int) -> None:
    """Draw a glyph with its letters and rim about a middle."""
    shape = item.shape or "square"
    at = (int(middle[0] - size / 2), int(middle[1] - size / 2))
    border = max(1, size // 14)
    lay(picture, glyph(shape, size), at, item.rim)
    lay(picture, glyph(shape, size, inset=border), at, item.colour)
    share, below = _WITHIN.get(shape, _WITHIN_ELSE)
    letters = max(_LEAST, round(size * share / (1 if len(item.text) <= _SHORT else 1.35)))
    if item.text:
        place = (middle[0] + 0.5, middle[1] + size * below)
        write(picture, item.text, place, Pen(letters, item.ink, bold=True), align=0.5)


def _draw(picture: Image.Image, item: Item, middle: tuple[float, float], size: int) -> None:
    if item.shape is None:
        write(picture, item.text, middle, Pen(_letters(size), item.colour, bold=True), align=0.5)
    elif item.text:
        draw_glyph(picture, item, middle, round(size * item.share))
    else:
        own = round(size * item.share)
        lay(picture, glyph(item.shape, own), (int(middle[0] - own / 2), int(middle[1] - own / 2)), item.colour)


@lru_cache(1024)
def _fitting(items: tuple[Item, ...], room: tuple[int, int]) -> int:
    """Return how high items are drawn."""
    return next((size for size in range(room[1], _LEAST, -1) if _width(items, size) <= room[0]), _LEAST)


def _width(items: Sequence[Item], size: int) -> float:
    return sum(_wide(item, size) for item in items) + _gap(size) * (len(items) - 1)


def _wide(item: Item, size: int) -> float:
    return length(item.text, _letters(size), bold=True) if item.shape is None else round(size * item.share)


def _letters(size: int) -> int:
    return max(_LEAST, round(size * _LETTERS))


def _gap(size: int) -> float:
    return size * _GAP
