"""The legend of the weather map: the scale of severity, the zones with their categories, the marks."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import MARGIN, WIDTH, Pen, chip, write
from bot.ui.pictures.lettering import clip, length
from bot.ui.pictures.palette import RAMP
from bot.ui.pictures.tiles import FLOOD_MARK, UNKNOWN_MARK, base

LINE: Final = 27
"""The height of a line of the lists."""

SCALE_WIDTH: Final = 456
"""The greatest width of the scale, in pixels; it shares the line of the title."""

LAND: Final = "Land"
SEA: Final = "Sea"

_TEXT: Final = Pen(17)
_QUIET: Final = Pen(17, over="muted")
_MARK: Final = Pen(17, bold=True)
_SAMPLE: Final = (36, 24)
_MARK_COLUMNS: Final = 3
_ZONE_COLUMN: Final = 380
_GUTTER: Final = 40


class ZoneHead(Struct, frozen=True):
    """A zone and the category of its weather: ``good``, ``3``, ``6 West``, or ``?`` when it is not known."""

    label: str
    category: str


def code(number: int) -> str:
    """Return the letters of the zone of this number: A, B, ... Z, AA, AB, ..."""
    high, low = divmod(number, len(ascii_uppercase))
    return (code(high - 1) if high else "") + ascii_uppercase[low]


def lines_of(zones: Sequence[ZoneHead], marks: Sequence[tuple[str, str]]) -> int:
    """Return how many lines the lists take below the map: as many as the longer of them."""
    return max(len(zones), -(-len(_entries(marks)) // _MARK_COLUMNS))


def draw_scale(picture: Image.Image, middle: int) -> None:
    """Draw the colours from calm to severe, and that of the unknown, at the right end of the title's line."""
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
    """List the zones: letter, name, category of the weather."""
    for number, zone in enumerate(zones):
        middle = top + number * LINE + LINE // 2
        end = MARGIN + _ZONE_COLUMN
        letters = code(number)
        width = max(24, length(letters, 15, bold=True) + 8)
        chip(picture, letters, (MARGIN, middle - 11, width, 22), Pen(15, over="white", under="ink", bold=True), "paper")
        category = clip(_category(zone.category), _MARK.size, _ZONE_COLUMN // 2, bold=True)
        room = _ZONE_COLUMN - width - 20 - write(picture, category, (end, middle), _MARK, align=1)
        write(picture, clip(zone.label, _TEXT.size, room), (MARGIN + width + 10, middle), _TEXT)


def draw_marks(picture: Image.Image, marks: Sequence[tuple[str, str]], top: int) -> None:
    """List the shapes and the marks, in columns right of the zones."""
    entries = _entries(marks)
    start = MARGIN + _ZONE_COLUMN + _GUTTER
    step = (WIDTH - MARGIN - start) // _MARK_COLUMNS
    lines = max(1, -(-len(entries) // _MARK_COLUMNS))
    for number, (mark, label) in enumerate(entries):
        left = start + number // lines * step
        middle = top + number % lines * LINE + LINE // 2
        _mark(picture, mark, (left, middle))
        room = step - _SAMPLE[0] - 20
        write(picture, clip(label, _TEXT.size, room), (left + _SAMPLE[0] + 10, middle), _TEXT)


def _entries(marks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(LAND, LAND), (SEA, SEA), *marks]


def _mark(picture: Image.Image, mark: str, at: tuple[int, int]) -> None:
    if mark in {LAND, SEA}:
        _sample(picture, at, RAMP[0], land=mark == LAND)
        return
    centre = (at[0] + _SAMPLE[0] / 2, at[1])
    if mark == FLOOD_MARK:
        _sample(picture, at, RAMP[0], water=7)
        write(picture, mark, (centre[0], at[1] - 3), Pen(13, under=RAMP[0], bold=True), align=0.5)
        return
    write(picture, clip(mark, _MARK.size, _SAMPLE[0], bold=True), centre, _MARK, align=0.5)


def _sample(picture: Image.Image, at: tuple[int, int], fill: str, *, land: bool = True, water: int = 0) -> int:
    width, height = _SAMPLE
    picture.paste(base(_SAMPLE, fill, land=land, water=water, below="paper"), (at[0], at[1] - height // 2))
    return width


def _category(category: str) -> str:
    if category == UNKNOWN_MARK:
        return "Not known"
    return f"Category {category}" if category[:1].isdecimal() else category[:1].upper() + category[1:]
