"""The heat map: how severe the weather of each zone was, week by week."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, WIDTH, Pen, blank, headline, headline_length, png, write
from bot.ui.pictures.lettering import LINE, clip, fit_text, length
from bot.ui.pictures.tiles import GAP, Cell, Key, KeyLine, draw_cell, draw_key, key_height, lay_out_key

__all__ = ["Cell", "heat_map"]

_BAND: Final = 26
"""The most columns in one band: half a year. More would be too narrow to read."""

_ROW: Final = 42
_WIDEST: Final = 46
_HEAD: Final = 28
_BAND_GAP: Final = 16
_LABELS: Final = 170
_NARROWEST: Final = 560
_SPACE: Final = 2
_TEXT_SIZES: Final = range(22, 7, -1)
_LABEL_SIZES: Final = range(20, 13, -1)
_WEEK: Final = Pen(18, over="muted")


class _Band(Struct, frozen=True):
    """A stretch of weeks, and where it stands: its upper left corner, the end of its labels, the width of a cell, the size of its text."""

    weeks: Sequence[str]
    first: int
    top: int
    left: int
    cell: int
    text: int


def heat_map(
    title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]], key: Sequence[KeyLine] = ()
) -> bytes:
    """Draw the heat map as a PNG: a row for each zone, a column for each week; a long time goes on in further bands.

    Args:
        title: the title of the picture.
        columns: the labels of the weeks. Where they are too wide, every second, third, ... is shown.
        rows: label and weeks of each zone. Weeks that are missing at the end are not known.
        key: what colours and letters mean, written below.
    """
    bands, foot = _bands(columns, rows)
    right = max((band.left + len(band.weeks) * band.cell for band in bands), default=0)
    width = min(WIDTH, max(_NARROWEST, right + MARGIN, 2 * MARGIN + headline_length(title)))
    meanings: Key = lay_out_key(key, width)
    picture = blank(width, foot + (GAP + key_height(meanings) if key else 0) + MARGIN)
    headline(picture, title, picture.width - 2 * MARGIN)
    for band in bands:
        _draw_weeks(picture, band)
        for number, (label, heats) in enumerate(rows):
            _draw_row(picture, band, band.top + _HEAD + number * _ROW, (label, heats))
    draw_key(picture, meanings, foot + GAP)
    return png(picture)


def _bands(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> tuple[list[_Band], int]:
    """Return the bands, of nearly equal length, and how far down they reach."""
    count = -(-len(columns) // _BAND)
    long = -(-len(columns) // count) if count else 1
    left = MARGIN + min(_LABELS, max((length(label, _LABEL_SIZES[0]) for label, _ in rows), default=0)) + 12
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
    return bands, TITLE_HEIGHT + count * step - (_BAND_GAP if count else 0)


def _draw_weeks(picture: Image.Image, band: _Band) -> None:
    widest = max(length(week, _WEEK.size) for week in band.weeks)
    every = -(-(widest + 6) // band.cell)
    for number, week in enumerate(band.weeks):
        if number % every == 0:
            middle = band.left + number * band.cell + band.cell / 2
            text = clip(week, _WEEK.size, every * band.cell)
            write(picture, text, (middle, band.top + _HEAD / 2), _WEEK, align=0.5)


def _draw_row(picture: Image.Image, band: _Band, top: int, row: tuple[str, Sequence[Cell]]) -> None:
    label, cells = row
    room = band.left - MARGIN - 12
    size, lines = fit_text(label, _LABEL_SIZES, room, _ROW)
    first = top + (_ROW - (len(lines) - 1) * size * LINE) / 2
    for number, line in enumerate(lines):
        write(picture, line, (MARGIN, first + number * size * LINE), Pen(size))
    for number in range(len(band.weeks)):
        cell = cells[band.first + number] if band.first + number < len(cells) else Cell("", None)
        corner = (band.left + number * band.cell, top)
        draw_cell(picture, corner, (band.cell - _SPACE, _ROW - _SPACE), cell, band.text)
