"""Cells of weather pictures: regions of a map, and cells of a table."""

from functools import cache, lru_cache
from itertools import product
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.ui.pictures import canvas
from bot.ui.pictures.canvas import COVERED, CREST, Pen, blank, flood, shape, stamp, write
from bot.ui.pictures.style import fill_of, ink_on

CELL: Final = (121, 170)
"""A region's place. Nine by five of them are about as wide as a phone and as high as it shows."""

UNKNOWN_MARK: Final = "?"

_SIZE: Final = (117, 164)
_PAD: Final = 2
_WATER: Final = 16
_EDGE: Final = 2
_BORDER: Final = 3
_CORNER: Final = 13
_TRIES: Final = (
    *((size, False) for size in (30, 29, 28)),
    *((size, True) for size in (30, 29, 28, 26, 24, 22, 20, 18, 16, 14)),
)
"""Sizes of letters, and whether long words are broken. From 28, letters are 9 pixels high on a phone."""
_NARROW: Final = 1.0
"""Line distance in a tile as a multiple of the size."""
_VOWELS: Final = frozenset("aeiou")
_TOGETHER: Final = frozenset(
    [
        "th",
        "sh",
        "ch",
        "ph",
        "st",
        "tr",
        "br",
        "gr",
        "pr",
        "dr",
        "cr",
        "fr",
        "bl",
        "cl",
        "fl",
        "gl",
        "pl",
        "sl",
        "sp",
        "ck",
    ]
)

Place = tuple[int, int]


class Tile(Struct, frozen=True):
    """A region on the map. `severity` is 0..4, None if unknown."""

    label: str
    at: Place
    zone: str
    land: bool
    severity: int | None
    weather: str
    flood: bool


def draw_tile(picture: Image.Image, tile: Tile, corner: tuple[int, int]) -> None:
    """Draw a region with its name, and its weather in words if that is severe."""
    fill = fill_of(tile.severity)
    left, top = (start + (cell - side) // 2 for start, cell, side in zip(corner, CELL, _SIZE, strict=True))
    water = _WATER * tile.flood
    picture.paste(base(_SIZE, fill, land=tile.land, water=water), (left, top), _outline(land=tile.land))
    weather = UNKNOWN_MARK if tile.severity is None else tile.weather
    room = (_SIZE[0] - 2 * _PAD, _SIZE[1] - 2 * _PAD - water)
    size, lines = _fit(tile.label, weather, room)
    middle = top + _PAD + (room[1] - (len(lines) - 1) * size * _NARROW) / 2
    for number, (line, bold) in enumerate(lines):
        at = (left + _SIZE[0] / 2, middle + number * size * _NARROW)
        write(picture, line, at, Pen(size, ink_on(fill), fill, bold=bold), align=0.5)


@lru_cache(256)
def _fit(name: str, weather: str, room: tuple[int, int]) -> tuple[int, tuple[tuple[str, bool], ...]]:
    width, height = room
    for size, broken in _TRIES:
        lines = [
            (line, bold)
            for text, bold in ((name, False), (weather, True))
            for line in _wrap(text, size, width, broken=broken)
        ]
        fits = len(lines) * size * _NARROW <= height
        if fits and all(canvas.length(line, size, bold=bold) <= width for line, bold in lines):
            return size, tuple(lines)
    most = max(1, int(height / (size * _NARROW)))
    return size, tuple((canvas.clip(line, size, width, bold=bold), bold) for line, bold in lines[:most])


def _wrap(text: str, size: int, width: int, *, broken: bool) -> list[str]:
    words = [_hyphenate(word, size, width) if broken else word for word in canvas.clean(text).split()]
    return [line for line in canvas.wrap(" ".join(words), size, width) if line]


def _hyphenate(word: str, size: int, width: int) -> str:
    if canvas.length(word, size, bold=True) <= width or "-" in word:
        return word
    places = [place for place in range(3, len(word) - 2) if word[place - 1 : place + 1] not in _TOGETHER]
    good = [place for place in places if word[place] not in _VOWELS and word[place + 1] in _VOWELS]
    place = min(good or places, key=lambda place: abs(2 * place - len(word)), default=0)
    return f"{word[:place]}-{word[place:]}" if place else word


@lru_cache(64)
def base(size: tuple[int, int], fill: str, *, land: bool, water: int = 0, below: str = "plate") -> Image.Image:
    """Draw an empty tile: round for land, wavy for sea. `water` is a flood's depth."""
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
    below = fill
    if ink_on(fill) == "white":
        below = "white"
        stamp(face, ImageChops.darker(flood(face.size, depth + 2), inner), (0, 0), (below, fill))
    stamp(face, ImageChops.darker(flood(face.size, depth), inner), (0, 0), ("flood", below))
    bottom = face.height - depth + CREST
    stamp(face, inner.crop((0, bottom, *face.size)), (0, bottom), ("flood", "edge"))


@cache
def _outline(*, land: bool) -> Image.Image:
    return shape(_SIZE, wavy=not land).point(COVERED)


@lru_cache(4)
def plates(cells: tuple[tuple[Place, str], ...], grid: Place) -> Image.Image:
    """Draw the ground from (place, zone) pairs: neighbours of one zone share a plate with a border."""
    zones = dict(cells)
    ground = blank(grid[0] * CELL[0], grid[1] * CELL[1])
    stamp(ground, _hull(zones, grid, 0), (0, 0), ("border", "paper"))
    stamp(ground, _hull(zones, grid, _BORDER), (0, 0), ("plate", "border"))
    return ground


def _hull(zones: dict[Place, str], grid: Place, inset: int) -> Image.Image:
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

_SHALLOW: Final = 9


class Cell(Struct, frozen=True):
    """A cell's letters, severity 0..4 (None: unknown), and flood."""

    text: str
    severity: int | None
    flood: bool = False


def draw_cell(picture: Image.Image, at: tuple[int, int], size: tuple[int, int], cell: Cell, letters: int) -> None:
    """Draw a cell with letters of this size; 0 leaves them out."""
    fill, water = fill_of(cell.severity), max(5, min(_SHALLOW, size[1] // 5)) * cell.flood
    picture.paste(base(size, fill, land=True, water=water, below="paper"), at)
    if letters:
        text = canvas.clip(cell.text, letters, size[0] - 2)
        middle = (at[0] + size[0] / 2, at[1] + (size[1] - water) / 2)
        write(picture, text, middle, Pen(letters, ink_on(fill), fill), align=0.5)
