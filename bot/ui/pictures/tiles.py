"""Cells of weather pictures: regions, keys and legends."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product
from string import ascii_uppercase
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.ui.pictures import canvas
from bot.ui.pictures.canvas import COVERED, CREST, MARGIN, WIDTH, Pen, blank, draw_chip, flood, shape, stamp, write
from bot.ui.pictures.style import RAMP, fill_of, ink_on

CELL: Final = (118, 102)
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


class Tile(Struct, frozen=True):
    """A region on the map. `severity` is 0..4, None if unknown."""

    label: str
    at: Place
    zone: str
    land: bool
    severity: int | None
    marks: tuple[str, ...]
    flood: bool


def draw_tile(picture: Image.Image, tile: Tile, code: str, corner: tuple[int, int]) -> None:
    """Draw a region; `code` is its zone's letter."""
    fill = fill_of(tile.severity)
    left, top = (start + (cell - side) // 2 for start, cell, side in zip(corner, CELL, _SIZE, strict=True))
    picture.paste(base(_SIZE, fill, land=tile.land, water=_WATER * tile.flood), (left, top), _outline(land=tile.land))
    if code:
        box = (left + _PAD + 2, top + _HEAD - _CHIP // 2, _chip_width(code), _CHIP)
        draw_chip(picture, code, box, Pen(15, over=fill, under=ink_on(fill), bold=True), below=fill)
    _marks(picture, tile, fill, (left + _SIZE[0] - _PAD - 3, top + _HEAD), _chip_width(code) if code else 0)
    _name(picture, tile, fill, (left + _SIZE[0] / 2, top + _NAME_TOP))


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


def _chip_width(code: str) -> int:
    return max(_CHIP, canvas.length(code, 15, bold=True) + 8)


def _marks(picture: Image.Image, tile: Tile, fill: str, end: tuple[int, int], used: int) -> None:
    unknown = (UNKNOWN_MARK,) if tile.severity is None else ()
    marks = (*tile.marks, *unknown, *((FLOOD_MARK,) if tile.flood else ()))
    half = len(marks) if len(marks) <= _MARKS_ABREAST else -(-len(marks) // 2)
    rows = [" ".join(marks[:half]), " ".join(marks[half:])] if marks[half:] else [" ".join(marks)]
    room = _SIZE[0] - 2 * _PAD - _GAP - used
    sizes = _MARK_SIZES if len(rows) == 1 else _SMALL_MARK_SIZES
    size = min(canvas.fit_one_line(row, sizes, room)[0] for row in rows)
    for number, row in enumerate(rows):
        middle = end[1] + (number - (len(rows) - 1) / 2) * size
        line = canvas.clip(row, size, room, bold=True)
        write(picture, line, (end[0], middle), Pen(size, ink_on(fill), fill, bold=True), align=1)


def _name(picture: Image.Image, tile: Tile, fill: str, at: tuple[float, float]) -> None:
    depth = _SIZE[1] - _NAME_TOP - (_WATER + 3 if tile.flood else 4)
    size, lines = canvas.fit_text(tile.label, _NAME_SIZES, _SIZE[0] - 2 * _PAD, depth)
    first = at[1] + (depth - (len(lines) - 1) * size * canvas.LINE) / 2
    for number, line in enumerate(lines):
        write(picture, line, (at[0], first + number * size * canvas.LINE), Pen(size, ink_on(fill), fill), align=0.5)


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
KEY_LINE: Final = 26
GAP: Final = 12
_KEY_TEXT: Final = Pen(19)
_KEY_SAMPLE: Final = (44, 30)
_SAMPLE_TEXT: Final = 18
_SAMPLE_LINE: Final = 34
_KEY_WATER: Final = 9


class Cell(Struct, frozen=True):
    """A cell's letters, severity 0..4 (None: unknown), and flood."""

    text: str
    severity: int | None
    flood: bool = False


class KeyLine(Struct, frozen=True):
    """A sample cell, or none, and what it means."""

    cell: Cell | None
    words: str


class Key(Struct, frozen=True):
    """A key's wrapped lines, and how many rows they take."""

    lines: Sequence[tuple[KeyLine, tuple[str, ...]]]
    rows: int


def draw_cell(picture: Image.Image, at: tuple[int, int], size: tuple[int, int], cell: Cell, letters: int) -> None:
    """Draw a cell with letters of this size."""
    fill = fill_of(cell.severity)
    picture.paste(base(size, fill, land=True, water=_KEY_WATER * cell.flood, below="paper"), at)
    middle = at[1] + (size[1] - _KEY_WATER * cell.flood) / 2
    write(
        picture,
        canvas.clip(cell.text, letters, size[0] - 2),
        (at[0] + size[0] / 2, middle),
        Pen(letters, ink_on(fill), fill),
        align=0.5,
    )


def lay_out_key(lines: Sequence[KeyLine], width: int) -> Key:
    """Wrap a key for this width: in two columns if all lines are short."""
    room = width - 2 * MARGIN
    half = room // 2 - _KEY_SAMPLE[0] - 2 * GAP
    short = all(line.cell is not None and canvas.length(line.words, _KEY_TEXT.size) <= half for line in lines)
    abreast = 2 if short else 1
    words = [
        canvas.wrap(line.words, _KEY_TEXT.size, room - (_KEY_SAMPLE[0] + GAP) * (line.cell is not None))
        for line in lines
    ]
    return Key(list(zip(lines, words, strict=True)), -(-len(lines) // abreast))


def key_height(key: Key) -> int:
    """Return a key's height in pixels."""
    return sum(_step(*line) for line in key.lines[: key.rows])


def draw_key(picture: Image.Image, key: Key, top: int) -> None:
    """Draw a key downwards from `top`, in pixels."""
    for column in range(0, len(key.lines), max(1, key.rows)):
        left, middle = MARGIN if column == 0 else picture.width // 2, top
        for line, words in key.lines[column : column + key.rows]:
            step = _step(line, words)
            _draw_line(picture, line, words, (left, middle + step // 2))
            middle += step


def _draw_line(picture: Image.Image, line: KeyLine, words: Sequence[str], at: tuple[int, int]) -> None:
    left, middle = at
    if line.cell is not None:
        draw_cell(picture, (left, middle - _KEY_SAMPLE[1] // 2), _KEY_SAMPLE, line.cell, _SAMPLE_TEXT)
        left += _KEY_SAMPLE[0] + GAP
    for number, text in enumerate(words):
        height_of_line = middle + (number - (len(words) - 1) / 2) * KEY_LINE
        shown = canvas.clip(text, _KEY_TEXT.size, picture.width - MARGIN - left)
        write(picture, shown, (left, height_of_line), _KEY_TEXT)


def _step(line: KeyLine, words: Sequence[str]) -> int:
    return max(_SAMPLE_LINE if line.cell is not None else 0, len(words) * KEY_LINE + 4)


LEGEND_LINE: Final = 27

SCALE_WIDTH: Final = 456
"""The scale's greatest width; it shares the title's line."""

LAND: Final = "Land"
SEA: Final = "Sea"
_LEGEND_TEXT: Final = Pen(17)
_QUIET: Final = Pen(17, over="muted")
_MARK: Final = Pen(17, bold=True)
_SAMPLE: Final = (36, 24)
_MARK_COLUMNS: Final = 3
_ZONE_COLUMN: Final = 380
_GUTTER: Final = 40


class ZoneHead(Struct, frozen=True):
    """A zone and its weather category: `good`, `3`, `6 West`, or `?`."""

    label: str
    category: str


def code(number: int) -> str:
    """Return a zone's letters by number: A, ... Z, AA, AB, ..."""
    high, low = divmod(number, len(ascii_uppercase))
    return (code(high - 1) if high else "") + ascii_uppercase[low]


def count_lines(zones: Sequence[ZoneHead], marks: Sequence[tuple[str, str]]) -> int:
    """Return how many lines the lists below the map take."""
    return max(len(zones), -(-(len(marks) + 2) // _MARK_COLUMNS))


def draw_scale(picture: Image.Image, middle: int) -> None:
    """Draw the colours from calm to severe, and the unknown one."""
    left = picture.width - MARGIN
    left -= write(picture, "Not known", (left, middle), _QUIET, align=1) + 8 + _SAMPLE[0]
    _sample(picture, (left, middle), "unknown")
    write(picture, UNKNOWN_MARK, (left + _SAMPLE[0] / 2, middle), Pen(16, under="unknown", bold=True), align=0.5)
    left -= 26
    left -= write(picture, "Severe", (left, middle), _QUIET, align=1) + 6
    for fill in reversed(RAMP):
        left -= _SAMPLE[0] + 2
        _sample(picture, (left, middle), fill)
    write(picture, "Calm", (left - 8, middle), _QUIET, align=1)


def draw_zones(picture: Image.Image, zones: Sequence[ZoneHead], top: int) -> None:
    """List the zones: letter, name, category."""
    for number, zone in enumerate(zones):
        middle = top + number * LEGEND_LINE + LEGEND_LINE // 2
        end = MARGIN + _ZONE_COLUMN
        letters = code(number)
        width = max(24, canvas.length(letters, 15, bold=True) + 8)
        pen = Pen(15, over="white", under="ink", bold=True)
        draw_chip(picture, letters, (MARGIN, middle - 11, width, 22), pen, "paper")
        category = canvas.clip(_category(zone.category), _MARK.size, _ZONE_COLUMN // 2, bold=True)
        room = _ZONE_COLUMN - width - 20 - write(picture, category, (end, middle), _MARK, align=1)
        write(picture, canvas.clip(zone.label, _LEGEND_TEXT.size, room), (MARGIN + width + 10, middle), _LEGEND_TEXT)


def draw_marks(picture: Image.Image, marks: Sequence[tuple[str, str]], top: int) -> None:
    """List shapes and marks, right of the zones."""
    entries = [(LAND, LAND), (SEA, SEA), *marks]
    start = MARGIN + _ZONE_COLUMN + _GUTTER
    step = (WIDTH - MARGIN - start) // _MARK_COLUMNS
    lines = max(1, -(-len(entries) // _MARK_COLUMNS))
    for number, (mark, label) in enumerate(entries):
        left = start + number // lines * step
        middle = top + number % lines * LEGEND_LINE + LEGEND_LINE // 2
        _mark(picture, mark, (left, middle))
        room = step - _SAMPLE[0] - 20
        write(picture, canvas.clip(label, _LEGEND_TEXT.size, room), (left + _SAMPLE[0] + 10, middle), _LEGEND_TEXT)


def _mark(picture: Image.Image, mark: str, at: tuple[int, int]) -> None:
    if mark in {LAND, SEA}:
        _sample(picture, at, RAMP[0], land=mark == LAND)
        return
    centre = (at[0] + _SAMPLE[0] / 2, at[1])
    if mark == FLOOD_MARK:
        _sample(picture, at, RAMP[0], water=7)
        write(picture, mark, (centre[0], at[1] - 3), Pen(13, under=RAMP[0], bold=True), align=0.5)
        return
    write(picture, canvas.clip(mark, _MARK.size, _SAMPLE[0], bold=True), centre, _MARK, align=0.5)


def _sample(picture: Image.Image, at: tuple[int, int], fill: str, *, land: bool = True, water: int = 0) -> None:
    picture.paste(base(_SAMPLE, fill, land=land, water=water, below="paper"), (at[0], at[1] - _SAMPLE[1] // 2))


def _category(category: str) -> str:
    if category == UNKNOWN_MARK:
        return "Not known"
    return f"Category {category}" if category[:1].isdecimal() else category[:1].upper() + category[1:]
