"""The heat map: how severe the weather of each zone was, week by week."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image

from bot.ui.pictures.canvas import (
    MARGIN,
    TITLE_HEIGHT,
    TITLE_MIDDLE,
    WIDTH,
    Pen,
    blank,
    headline,
    headline_length,
    png,
    write,
)
from bot.ui.pictures.legend import SCALE_WIDTH, draw_scale
from bot.ui.pictures.lettering import clip, length
from bot.ui.pictures.palette import fill_of, ink_on
from bot.ui.pictures.tiles import base

_BAND: Final = 26
"""The most columns in one band: half a year. More would be too narrow to read."""

_ROW: Final = 38
_WIDEST: Final = 64
_HEAD: Final = 26
_BAND_GAP: Final = 16
_LABELS: Final = 260
_NARROWEST: Final = 760
_SPACE: Final = 2
_TEXT_SIZES: Final = range(18, 7, -1)
_LABEL: Final = Pen(17)
_WEEK: Final = Pen(15, over="muted")


@dataclass(frozen=True, slots=True)
class Heat:
    """The weather of one zone in one week: ``G``, ``3``, ``6W``, or empty; severity 0..4, None when not known."""

    text: str
    severity: int | None


@dataclass(frozen=True, slots=True)
class _Band:
    """A stretch of weeks, and where it stands: its upper left corner, the end of its labels, the width of a cell, the size of its text."""

    weeks: Sequence[str]
    first: int
    top: int
    left: int
    cell: int
    text: int


def heat_map(title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Heat]]]) -> bytes:
    """Draw the heat map as a PNG: a row for each zone, a column for each week; a long time goes on in further bands.

    Args:
        title: the title of the picture.
        columns: the labels of the weeks. Where they are too wide, every second, third, ... is shown.
        rows: label and weeks of each zone. Weeks that are missing at the end are not known.
    """
    bands, height = _bands(columns, rows)
    right = max((band.left + len(band.weeks) * band.cell for band in bands), default=0)
    needed = max(_NARROWEST, right + MARGIN, 3 * MARGIN + SCALE_WIDTH + headline_length(title))
    picture = blank(min(WIDTH, needed), height)
    headline(picture, title, picture.width - 3 * MARGIN - SCALE_WIDTH)
    draw_scale(picture, TITLE_MIDDLE)
    for band in bands:
        _draw_weeks(picture, band)
        for number, (label, heats) in enumerate(rows):
            _draw_row(picture, band, band.top + _HEAD + number * _ROW, (label, heats))
    return png(picture)


def _bands(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Heat]]]) -> tuple[list[_Band], int]:
    """Return the bands, of nearly equal length, and the height of the picture."""
    count = -(-len(columns) // _BAND)
    long = -(-len(columns) // count) if count else 1
    left = MARGIN + min(_LABELS, max((length(label, _LABEL.size) for label, _ in rows), default=0)) + 12
    cell = min(_WIDEST, (WIDTH - MARGIN - left) // long)
    texts = {heat.text for _, heats in rows for heat in heats}
    sizes = (size for size in _TEXT_SIZES if all(length(text, size) <= cell - _SPACE - 4 for text in texts))
    text = next(sizes, _TEXT_SIZES[-1])
    step = _HEAD + len(rows) * _ROW + _BAND_GAP
    bands = [
        _Band(
            columns[number * long : (number + 1) * long], number * long, TITLE_HEIGHT + number * step, left, cell, text
        )
        for number in range(count)
    ]
    return bands, TITLE_HEIGHT + count * step - (_BAND_GAP if count else 0) + MARGIN


def _draw_weeks(picture: Image.Image, band: _Band) -> None:
    widest = max(length(week, _WEEK.size) for week in band.weeks)
    every = -(-(widest + 6) // band.cell)
    for number, week in enumerate(band.weeks):
        if number % every == 0:
            middle = band.left + number * band.cell + band.cell / 2
            text = clip(week, _WEEK.size, every * band.cell)
            write(picture, text, (middle, band.top + _HEAD / 2), _WEEK, align=0.5)


def _draw_row(picture: Image.Image, band: _Band, top: int, row: tuple[str, Sequence[Heat]]) -> None:
    label, heats = row
    middle = top + _ROW / 2
    write(picture, clip(label, _LABEL.size, band.left - MARGIN - 12), (MARGIN, middle), _LABEL)
    size = (band.cell - _SPACE, _ROW - _SPACE)
    for number in range(len(band.weeks)):
        left = band.left + number * band.cell
        heat = heats[band.first + number] if band.first + number < len(heats) else Heat("", None)
        fill = fill_of(heat.severity)
        picture.paste(base(size, fill, land=True, below="paper"), (left, top))
        text = clip(heat.text, band.text, size[0] - 2)
        write(picture, text, (left + size[0] / 2, top + size[1] / 2), Pen(band.text, ink_on(fill), fill), align=0.5)
