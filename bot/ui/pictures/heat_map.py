"""The heat map: how severe each zone's weather was, week by week."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures import canvas, tiles
from bot.ui.pictures.canvas import LINE, clip, fit_text, length
from bot.ui.pictures.tiles import Cell

_BAND: Final = 26
"""Columns in one band: half a year."""

_ROW: Final = 42
_WIDEST: Final = 46
_HEAD: Final = 28
_BAND_GAP: Final = 16
_LABELS: Final = 170
_NARROWEST: Final = 560
_SPACE: Final = 2
_TEXT_SIZES: Final = range(22, 7, -1)
_LABEL_SIZES: Final = range(20, 13, -1)
_WEEK: Final = canvas.Pen(18, over="muted")


class _Band(Struct, frozen=True):
    """A stretch of weeks, its corner, and the sizes of cells and text."""

    weeks: Sequence[str]
    first: int
    top: int
    left: int
    cell: int
    text: int


def heat_map(
    title: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]], key: Sequence[tiles.KeyLine] = ()
) -> bytes:
    """Draw a PNG with a row for each zone and a column for each week, in bands. Missing last weeks are unknown."""
    bands, foot = _bands(columns, rows)
    right = max((band.left + len(band.weeks) * band.cell for band in bands), default=0)
    width = min(canvas.WIDTH, max(_NARROWEST, right + canvas.MARGIN, 2 * canvas.MARGIN + canvas.headline_length(title)))
    meanings: tiles.Key = tiles.lay_out_key(key, width)
    picture = canvas.blank(width, foot + (tiles.GAP + tiles.key_height(meanings) if key else 0) + canvas.MARGIN)
    canvas.headline(picture, title, picture.width - 2 * canvas.MARGIN)
    for band in bands:
        _draw_weeks(picture, band)
        for number, (label, heats) in enumerate(rows):
            _draw_row(picture, band, band.top + _HEAD + number * _ROW, (label, heats))
    tiles.draw_key(picture, meanings, foot + tiles.GAP)
    return canvas.png(picture)


def _bands(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> tuple[list[_Band], int]:
    count = -(-len(columns) // _BAND)
    long = -(-len(columns) // count) if count else 1
    left = canvas.MARGIN + min(_LABELS, max((length(label, _LABEL_SIZES[0]) for label, _ in rows), default=0)) + 12
    cell = min(_WIDEST, (canvas.WIDTH - canvas.MARGIN - left) // long)
    texts = {heat.text for _, heats in rows for heat in heats}
    sizes = (size for size in _TEXT_SIZES if all(length(text, size) <= cell - _SPACE - 4 for text in texts))
    text = next(sizes, _TEXT_SIZES[-1])
    step = _HEAD + len(rows) * _ROW + _BAND_GAP
    bands = [
        _Band(
            columns[number * long : (number + 1) * long],
            number * long,
            canvas.TITLE_HEIGHT + number * step,
            left,
            cell,
            text,
        )
        for number in range(count)
    ]
    return bands, canvas.TITLE_HEIGHT + count * step - (_BAND_GAP if count else 0)


def _draw_weeks(picture: Image.Image, band: _Band) -> None:
    widest = max(length(week, _WEEK.size) for week in band.weeks)
    every = -(-(widest + 6) // band.cell)
    for number, week in enumerate(band.weeks):
        if number % every == 0:
            middle = band.left + number * band.cell + band.cell / 2
            text = clip(week, _WEEK.size, every * band.cell)
            canvas.write(picture, text, (middle, band.top + _HEAD / 2), _WEEK, align=0.5)


def _draw_row(picture: Image.Image, band: _Band, top: int, row: tuple[str, Sequence[Cell]]) -> None:
    label, cells = row
    room = band.left - canvas.MARGIN - 12
    size, lines = fit_text(label, _LABEL_SIZES, room, _ROW)
    first = top + (_ROW - (len(lines) - 1) * size * LINE) / 2
    for number, line in enumerate(lines):
        canvas.write(picture, line, (canvas.MARGIN, first + number * size * LINE), canvas.Pen(size))
    for number in range(len(band.weeks)):
        cell = cells[band.first + number] if band.first + number < len(cells) else Cell("", None)
        corner = (band.left + number * band.cell, top)
        tiles.draw_cell(picture, corner, (band.cell - _SPACE, _ROW - _SPACE), cell, band.text)
