"""Glyphs, and rows of glyphs and letters, as large as they fit."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw

from bot.ui.pictures.canvas import Pen, lay, length, write
from bot.ui.pictures.canvas import shape as box_mask

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


_GAP: Final = 0.14
_LETTERS: Final = 0.86
_BESIDE: Final = 0.62
"""The glyph in a tag, as a share of its letters."""

_PAD: Final = 0.18
_WITHIN: Final = {"triangle": 0.17, "dart": 0.06, "star": 0.03, "hull": 0.1}
"""How far letters are below a glyph's middle, as a share of its size."""


class RowItem(Struct, frozen=True):
    """A glyph, letters, or both. `share` is a glyph's part of the row's height."""

    shape: str | None
    text: str = ""
    colour: str = "ink"
    share: float = 1.0
    ink: str = "white"
    rim: str = "white"


class _Fit(Struct, frozen=True):
    """How a row fits; whether tags have glyphs."""

    size: int
    letters: int
    count: int
    whole: bool


def draw_row(
    picture: Image.Image, items: Sequence[RowItem], middle: tuple[float, float], room: tuple[int, int], least: int
) -> None:
    """Draw items abreast about a middle point, as large as `room` (width, height) allows, with letters of `least` size or more.

    An item with both glyph and letters is a tag. Tags lose their glyphs before the last items are left out.
    """
    fit = _fit(tuple(items), room, least)
    shown = items[: fit.count]
    left = middle[0] - _width(shown, fit) / 2
    for item in shown:
        wide = _item_width(item, fit)
        _draw(picture, item, (left + wide / 2, middle[1]), fit)
        left += wide + fit.size * _GAP


def draw_piece(picture: Image.Image, item: RowItem, middle: tuple[float, float], size: int, letters: int) -> None:
    """Draw a rimmed glyph, and letters on it, which may be wider."""
    shape = item.shape or "square"
    at = (int(middle[0] - size / 2), int(middle[1] - size / 2))
    lay(picture, glyph(shape, size), at, item.rim)
    lay(picture, glyph(shape, size, inset=max(1, size // 14)), at, item.colour)
    if item.text:
        place = (middle[0] + 0.5, middle[1] + size * _WITHIN.get(shape, 0))
        write(picture, item.text, place, Pen(letters, item.ink, item.colour, bold=True), align=0.5, halo=True)


def _draw(picture: Image.Image, item: RowItem, middle: tuple[float, float], fit: _Fit) -> None:
    x, y = middle
    if item.shape is None:
        write(picture, item.text, middle, Pen(fit.letters, item.colour, bold=True), align=0.5)
        return
    size = round(fit.letters * _BESIDE if item.text else fit.size * item.share)
    if item.text:
        box = (_item_width(item, fit), round(fit.letters * _LETTERS))
        corner = (int(x - box[0] / 2), int(y - box[1] / 2))
        lay(picture, box_mask(box, radius=5), corner, item.rim)
        lay(picture, box_mask(box, radius=5, inset=2), corner, item.colour)
        right = corner[0] + box[0] - fit.letters * _PAD
        write(picture, item.text, (right, y), Pen(fit.letters, item.ink, bold=True), align=1)
        x = corner[0] + fit.letters * _PAD + size / 2
    if not item.text or fit.whole:
        lay(
            picture,
            glyph(item.shape, size),
            (int(x - size / 2), int(y - size / 2)),
            item.ink if item.text else item.colour,
        )


@lru_cache(1024)
def _fit(items: tuple[RowItem, ...], room: tuple[int, int], least: int) -> _Fit:
    sizes = range(max(room[1], least // 2), least // 2 - 1, -1)
    for count in range(len(items), 0, -1):
        for whole in (True, False):
            fits = (_Fit(size, max(least, round(size * _LETTERS)), count, whole) for size in sizes)
            found = next((fit for fit in fits if _width(items[:count], fit) <= room[0]), None)
            if found is not None:
                return found
    return _Fit(sizes[-1], least, sum(item.shape is not None for item in items[:1]), whole=False)


def _width(items: Sequence[RowItem], fit: _Fit) -> float:
    return sum(_item_width(item, fit) for item in items) + fit.size * _GAP * (len(items) - 1)


def _item_width(item: RowItem, fit: _Fit) -> int:
    if item.shape is not None and not item.text:
        return round(fit.size * item.share)
    wide = length(item.text, fit.letters, bold=True)
    if item.shape is None:
        return wide
    beside = fit.letters * (_BESIDE + _PAD / 2) if fit.whole else 0
    return round(wide + beside + 2 * fit.letters * _PAD)
