"""The tiles of the weather map and the plates of the zones below them."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.ui.pictures.canvas import COVERED, CREST, Pen, blank, chip, flooded, shape, stamp, write
from bot.ui.pictures.lettering import LINE, clip, fitted, length, on_one_line
from bot.ui.pictures.palette import fill_of, ink_on

CELL: Final = (118, 102)
"""Width and height of a place on the grid, in pixels."""

FLOOD_MARK: Final = "MF"
UNKNOWN_MARK: Final = "?"

_SIZE: Final = (108, 92)
_PAD: Final = 4
_HEAD: Final = 17
_NAME_TOP: Final = 28
_CHIP: Final = 20
_MARKS_ABREAST: Final = 3
_GAP: Final = 10
_WATER: Final = 11
_EDGE: Final = 2
_BORDER: Final = 3
_CORNER: Final = 13
_NAME_SIZES: Final = range(17, 12, -1)
_MARK_SIZES: Final = range(19, 9, -1)
_SMALL_MARK_SIZES: Final = range(14, 9, -1)

Place = tuple[int, int]
"""Column and row."""


class Tile(Struct, frozen=True):
    """A region on the map: where it stands on the grid, how severe its weather is (0..4, None: not known), its marks."""

    label: str
    at: Place
    zone: str
    land: bool
    severity: int | None
    marks: tuple[str, ...]
    flood: bool


def draw_tile(picture: Image.Image, tile: Tile, code: str, corner: tuple[int, int]) -> None:
    """Draw a region in its place of the grid, whose upper left corner is given; ``code`` is the letter of its zone."""
    fill = fill_of(tile.severity)
    left, top = (start + (cell - side) // 2 for start, cell, side in zip(corner, CELL, _SIZE, strict=True))
    picture.paste(base(_SIZE, fill, land=tile.land, water=_WATER * tile.flood), (left, top), _outline(land=tile.land))
    if code:
        box = (left + _PAD + 2, top + _HEAD - _CHIP // 2, _chip_width(code), _CHIP)
        chip(picture, code, box, Pen(15, over=fill, under=ink_on(fill), bold=True), below=fill)
    _marks(picture, tile, fill, (left + _SIZE[0] - _PAD - 3, top + _HEAD), _chip_width(code) if code else 0)
    _name(picture, tile, fill, (left + _SIZE[0] / 2, top + _NAME_TOP))


@lru_cache(64)
def base(size: tuple[int, int], fill: str, *, land: bool, water: int = 0, below: str = "plate") -> Image.Image:
    """Draw an empty tile: round corners for land, waves for sea; ``water`` is the depth of a flood in pixels."""
    face = blank(*size, below)
    inner = shape(size, wavy=not land, inset=_EDGE)
    stamp(face, shape(size, wavy=not land), (0, 0), ("edge", below))
    stamp(face, inner, (0, 0), (fill, "edge"))
    if fill == "unknown":
        face.paste(blank(*size, "hatch"), (0, 0), ImageChops.darker(_hatch(size), inner.point(_INSIDE)))
    if water:
        _flood(face, inner, fill, water)
    return face


def _flood(face: Image.Image, inner: Image.Image, fill: str, depth: int) -> None:
    """Draw a flood in a tile, with white on its waves where the fill is too dark for them to be seen."""
    below = fill
    if ink_on(fill) == "white":
        below = "white"
        stamp(face, ImageChops.darker(flooded(face.size, depth + 2), inner), (0, 0), (below, fill))
    stamp(face, ImageChops.darker(flooded(face.size, depth), inner), (0, 0), ("flood", below))
    bottom = face.height - depth + CREST
    stamp(face, inner.crop((0, bottom, *face.size)), (0, bottom), ("flood", "edge"))


@cache
def _outline(*, land: bool) -> Image.Image:
    """Return the area that a tile covers, so that its corners leave the plate as it is."""
    return shape(_SIZE, wavy=not land).point(COVERED)


@lru_cache(4)
def plates(cells: tuple[tuple[Place, str], ...], grid: Place) -> Image.Image:
    """Draw the ground of a grid of so many columns and rows: one plate below neighbours of one zone, a border around it."""
    zones = dict(cells)
    ground = blank(grid[0] * CELL[0], grid[1] * CELL[1])
    stamp(ground, _hull(zones, grid, 0), (0, 0), ("border", "paper"))
    stamp(ground, _hull(zones, grid, _BORDER), (0, 0), ("plate", "border"))
    return ground


def _chip_width(code: str) -> int:
    return max(_CHIP, length(code, 15, bold=True) + 8)


def _marks(picture: Image.Image, tile: Tile, fill: str, end: tuple[int, int], used: int) -> None:
    unknown = (UNKNOWN_MARK,) if tile.severity is None else ()
    marks = (*tile.marks, *unknown, *((FLOOD_MARK,) if tile.flood else ()))
    half = len(marks) if len(marks) <= _MARKS_ABREAST else -(-len(marks) // 2)
    rows = [" ".join(marks[:half]), " ".join(marks[half:])] if marks[half:] else [" ".join(marks)]
    room = _SIZE[0] - 2 * _PAD - _GAP - used
    sizes = _MARK_SIZES if len(rows) == 1 else _SMALL_MARK_SIZES
    size = min(on_one_line(row, sizes, room)[0] for row in rows)
    for number, row in enumerate(rows):
        middle = end[1] + (number - (len(rows) - 1) / 2) * size
        line = clip(row, size, room, bold=True)
        write(picture, line, (end[0], middle), Pen(size, ink_on(fill), fill, bold=True), align=1)


def _name(picture: Image.Image, tile: Tile, fill: str, at: tuple[float, float]) -> None:
    depth = _SIZE[1] - _NAME_TOP - (_WATER + 3 if tile.flood else 4)
    size, lines = fitted(tile.label, _NAME_SIZES, _SIZE[0] - 2 * _PAD, depth)
    first = at[1] + (depth - (len(lines) - 1) * size * LINE) / 2
    for number, line in enumerate(lines):
        write(picture, line, (at[0], first + number * size * LINE), Pen(size, ink_on(fill), fill), align=0.5)


def _hull(zones: dict[Place, str], grid: Place, inset: int) -> Image.Image:
    """Return the coverage of all plates, each drawn in by ``inset``; neighbours of one zone are joined."""
    fine = Image.new("L", (grid[0] * CELL[0] * 2, grid[1] * CELL[1] * 2))
    draw = ImageDraw.Draw(fine)
    for place, zone in zones.items():
        draw.rounded_rectangle(_bridge(place, (0, 0), inset), (_CORNER - inset) * 2, fill=255)
        for reach in ((1, 0), (0, 1), (1, 1)):
            block = product(*(range(start, start + more + 1) for start, more in zip(place, reach, strict=True)))
            if all(zones.get((column, row)) == zone for column, row in block):
                draw.rectangle(_bridge(place, reach, inset), fill=255)
    return fine.reduce(2)


def _bridge(place: Place, reach: Place, inset: int) -> tuple[int, int, int, int]:
    """Return the box of a plate, or of the bridge between neighbours: to the middle of the next place where it reaches on, to the edge where it does not."""
    spans = [
        (cell * 2 * at + cell, cell * 2 * (at + 1) + cell)
        if more
        else (2 * (cell * at + inset), 2 * (cell * (at + 1) - inset) - 1)
        for cell, at, more in zip(CELL, place, reach, strict=True)
    ]
    (left, right), (top, bottom) = spans
    return left, top, right, bottom


@lru_cache(4)
def _hatch(size: tuple[int, int]) -> Image.Image:
    fine = Image.new("L", size)
    draw = ImageDraw.Draw(fine)
    for start in range(-size[1], size[0], 9):
        draw.line((start, size[1], start + size[1], 0), fill=255)
    return fine


_INSIDE: Final = [0] * 255 + [255]
"""Full coverage only."""
