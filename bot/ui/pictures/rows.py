"""Glyphs, and rows of glyphs and letters, as large as they fit."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw

from bot.ui.pictures.canvas import Pen, lay, length, write

_FINE: Final = 4
_WHOLE: Final = 100
Points = tuple[tuple[float, float], ...]
Stroke = tuple[str, int, Points]
"""A polygon, disc or box by points, which covers (255) or clears (0)."""


def _star(spikes: int, outer: float, inner: float, turn: float = 0.0) -> Points:
    radii = (outer, inner) * spikes
    angles = [turn - pi / 2 + pi * number / spikes for number in range(2 * spikes)]
    return tuple(
        (50 + radius * cos(angle), 50 + radius * sin(angle)) for radius, angle in zip(radii, angles, strict=True)
    )


def _disc(radius: float, shade: int = 255) -> Stroke:
    return ("disc", shade, ((50 - radius, 50 - radius), (50 + radius, 50 + radius)))


def _polygon(*points: tuple[float, float], shade: int = 255) -> Stroke:
    return ("polygon", shade, points)


def _box(left: float, top: float, right: float, bottom: float, shade: int = 255) -> Stroke:
    return ("box", shade, ((left, top), (right, bottom)))


GLYPHS: Final[Mapping[str, Sequence[Stroke]]] = {
    "square": (_box(4, 4, 96, 96),),
    "disc": (_disc(48),),
    "triangle": (_polygon((50, 0), (100, 94), (0, 94)),),
    "hexagon": (_polygon((24, 4), (76, 4), (100, 50), (76, 96), (24, 96), (0, 50)),),
    "dart": (_polygon((50, 0), (100, 62), (100, 98), (50, 84), (0, 98), (0, 62)),),
    "hull": (_polygon((50, 0), (88, 30), (88, 100), (12, 100), (12, 30)),),
    "crate": (_box(8, 16, 92, 92),),
    "ring": (_disc(50), _disc(37, 0)),
    "star": (_polygon(*_star(5, 50, 21)),),
    "coin": (_disc(48), _disc(36, 0), _disc(27)),
    "cog": (_polygon(*_star(8, 50, 33, pi / 8)), _disc(36), _disc(15, 0)),
    "diamond": (
        _polygon((50, 0), (98, 50), (50, 100), (2, 50)),
        _polygon((50, 24), (74, 50), (50, 76), (26, 50), shade=0),
    ),
    "wheel": (_disc(48), _disc(35, 0), _box(45, 8, 55, 92), _box(8, 45, 92, 55), _disc(15)),
    "tower": (
        _box(12, 30, 88, 98),
        _box(12, 8, 30, 40),
        _box(41, 8, 59, 40),
        _box(70, 8, 88, 40),
        _box(41, 64, 59, 98, 0),
    ),
    "works": (
        _polygon((4, 98), (4, 44), (34, 60), (34, 44), (64, 60), (64, 44), (72, 44), (74, 4), (92, 4), (96, 98)),
    ),
    "cross": (_polygon((2, 16), (16, 2), (98, 84), (84, 98)), _polygon((84, 2), (98, 16), (16, 98), (2, 84))),
    "strokes": (
        _polygon((0, 10), (10, 0), (100, 90), (90, 100)),
        _polygon((90, 0), (100, 10), (10, 100), (0, 90)),
        _disc(39, 0),
    ),
    "corners": (_box(0, 0, 100, 100), _box(14, 14, 86, 86, 0), _box(36, 0, 64, 100, 0), _box(0, 36, 100, 64, 0)),
    "chevrons": (
        _polygon((4, 6), (26, 6), (52, 50), (26, 94), (4, 94), (30, 50)),
        _polygon((46, 6), (68, 6), (96, 50), (68, 94), (46, 94), (74, 50)),
    ),
    "people": (_polygon((50, 4), (92, 18), (88, 62), (50, 98), (12, 62), (8, 18)),),
}


@lru_cache(512)
def glyph(name: str, size: int, *, inset: float = 0) -> Image.Image:
    """Return a glyph's coverage in a square, drawn in by `inset`."""
    fine = Image.new("L", (size * _FINE, size * _FINE))
    draw = ImageDraw.Draw(fine)
    share = (size - 2 * inset) * _FINE / _WHOLE
    for kind, shade, points in GLYPHS[name]:
        placed = [(inset * _FINE + x * share, inset * _FINE + y * share) for x, y in points]
        if kind == "disc":
            draw.ellipse([*placed[0], *placed[1]], fill=shade)
        elif kind == "box":
            draw.rectangle([*placed[0], *placed[1]], fill=shade)
        else:
            draw.polygon(placed, fill=shade)
    return fine.reduce(_FINE)


_LEAST: Final = 8
_GAP: Final = 0.14
_LETTERS: Final = 0.86
_WITHIN: Final = {"triangle": (0.46, 0.17), "dart": (0.5, 0.06), "star": (0.42, 0.03), "hull": (0.54, 0.1)}
"""Letters' size in a glyph and how far below its middle, as shares of its size."""

_SHORT: Final = 2
_WITHIN_ELSE: Final = (0.56, 0.0)


class RowItem(Struct, frozen=True):
    """A glyph with letters, or letters only. `share` is its part of the row's height."""

    shape: str | None
    text: str = ""
    colour: str = "ink"
    share: float = 1.0
    ink: str = "white"
    rim: str = "white"


def draw_row(
    picture: Image.Image, items: Sequence[RowItem], middle: tuple[float, float], room: tuple[int, int]
) -> None:
    """Draw items abreast about a middle point, as large as `room` (width, height) allows."""
    size = _fit_size(tuple(items), room)
    left = middle[0] - _width(items, size) / 2
    for item in items:
        wide = _item_width(item, size)
        _draw(picture, item, (left + wide / 2, middle[1]), size)
        left += wide + size * _GAP


def draw_glyph(picture: Image.Image, item: RowItem, middle: tuple[float, float], size: int) -> None:
    """Draw a glyph with letters and rim about a middle."""
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


def _draw(picture: Image.Image, item: RowItem, middle: tuple[float, float], size: int) -> None:
    if item.shape is None:
        write(picture, item.text, middle, Pen(_letters(size), item.colour, bold=True), align=0.5)
    elif item.text:
        draw_glyph(picture, item, middle, round(size * item.share))
    else:
        own = round(size * item.share)
        lay(picture, glyph(item.shape, own), (int(middle[0] - own / 2), int(middle[1] - own / 2)), item.colour)


@lru_cache(1024)
def _fit_size(items: tuple[RowItem, ...], room: tuple[int, int]) -> int:
    return next((size for size in range(room[1], _LEAST, -1) if _width(items, size) <= room[0]), _LEAST)


def _width(items: Sequence[RowItem], size: int) -> float:
    return sum(_item_width(item, size) for item in items) + size * _GAP * (len(items) - 1)


def _item_width(item: RowItem, size: int) -> float:
    return length(item.text, _letters(size), bold=True) if item.shape is None else round(size * item.share)


def _letters(size: int) -> int:
    return max(_LEAST, round(size * _LETTERS))
