"""Flat-topped hexes of a map: where each stands, and the masks that they are filled and lined through."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw

from bot.ui.pictures.canvas import COVERED, MARGIN
from rules.geometry.hexes import DIRECTIONS, Hex

_FINE: Final = 3
_WIDEST_UNIT: Final = 34
_NARROWEST_UNIT: Final = 17
_ROOT: Final = 1.7320508


class Grid(Struct, frozen=True):
    """Hexes on paper, in pixels: `unit` is half the length of an edge, `half` half a hex's height; then where the first stands, and how far all go.

    The first is that of the least column and row, `first`; it may be on no map.
    """

    unit: int
    half: int
    corner_of_first: tuple[int, int]
    first: tuple[int, int]
    width: int
    height: int

    def corner(self, place: Hex) -> tuple[int, int]:
        """Return the upper left corner of a hex's box, which is 4 units wide and 2 halves high."""
        column, row = place.q - self.first[0], 2 * place.r + place.q - self.first[1]
        return self.corner_of_first[0] + 3 * self.unit * column, self.corner_of_first[1] + self.half * row

    def middle(self, place: Hex) -> tuple[int, int]:
        """Return the middle of a hex."""
        left, top = self.corner(place)
        return left + 2 * self.unit, top + self.half


def grid_of(panels: Iterable[Hex], top: int, room: tuple[int, int, int]) -> Grid:
    """Return the grid for panels, as large as there is room; its width is that room, and they stand in the middle.

    Args:
        panels: what stands on it.
        top: where it begins, in pixels.
        room: the width for a few columns, that for many, and the greatest height, in pixels.
    """
    places = [*panels] or [Hex(0, 0)]
    columns, rows = [place.q for place in places], [2 * place.r + place.q for place in places]
    across, down = max(columns) - min(columns) + 1, max(rows) - min(rows) + 2
    usual, wide, high = room
    unit = min(_WIDEST_UNIT, max(usual // (3 * across + 1), min(_NARROWEST_UNIT, wide // (3 * across + 1))))
    unit = max(1, min(unit, int(high / (_ROOT * down))))
    half, taken = round(_ROOT * unit), unit * (3 * across + 1)
    width = max(usual, taken)
    left = MARGIN + (width - taken) // 2
    return Grid(unit, half, (left, top), (min(columns), min(rows)), width, half * down)


@lru_cache(64)
def face(unit: int, half: int, inset: float = 0) -> Image.Image:
    """Return the coverage of a hex, drawn in by so many pixels."""
    fine = Image.new("L", (4 * unit * _FINE, 2 * half * _FINE))
    ImageDraw.Draw(fine).polygon([(x * _FINE, y * _FINE) for x, y in outline(unit, half, inset)], fill=255)
    return fine.reduce(_FINE)


@lru_cache(64)
def solid(unit: int, half: int) -> Image.Image:
    """Return the area that a hex covers, without steps between: what is copied through it is copied quickly."""
    return face(unit, half).point(COVERED).convert("1", dither=Image.Dither.NONE)


@lru_cache(64)
def ring(unit: int, half: int, width: float, inset: float = 0) -> Image.Image:
    """Return the coverage of a line of this width along the inside of a hex's edge, drawn in by so many pixels."""
    fine = Image.new("L", (4 * unit * _FINE, 2 * half * _FINE))
    draw = ImageDraw.Draw(fine)
    for edge, shade in ((inset, 255), (inset + width, 0)):
        draw.polygon([(x * _FINE, y * _FINE) for x, y in outline(unit, half, edge)], fill=shade)
    return fine.reduce(_FINE)


@lru_cache(256)
def edges(unit: int, half: int, ways: tuple[str, ...], width: float) -> Image.Image:
    """Return the coverage of lines of this width along the inside of those edges of a hex that lie in these directions."""
    fine = Image.new("L", (4 * unit * _FINE, 2 * half * _FINE))
    draw = ImageDraw.Draw(fine)
    outer, inner = outline(unit, half, 0), outline(unit, half, width)
    for place, way in enumerate(DIRECTIONS):
        if way in ways:
            after = (place + 1) % 6
            corners = (outer[place], outer[after], inner[after], inner[place])
            draw.polygon([(x * _FINE, y * _FINE) for x, y in corners], fill=255)
    return fine.reduce(_FINE)


def outline(unit: int, half: int, inset: float) -> list[tuple[float, float]]:
    """Return the corners of a hex, drawn in by so many pixels, from the one between NW and N on clockwise."""
    share = 1 - inset / half
    points = [(-1, -1), (1, -1), (2, 0), (1, 1), (-1, 1), (-2, 0)]
    return [(2 * unit + x * unit * share, half + y * half * share) for x, y in points]
