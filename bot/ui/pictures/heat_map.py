"""The heat map: how severe each zone's weather was, week by week."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures import canvas, tiles
from bot.ui.pictures.canvas import EDGE, LINE, ROOM, clip, fit_text, length
from bot.ui.pictures.tiles import Cell

_LEAST: Final = canvas.find_least_size(*ROOM)
_HEAD: Final = _LEAST + 1
_BAND_GAP: Final = 8
_LABELS: Final = 300
_WIDEST: Final = 120
_HIGHEST: Final = 60
_ENOUGH: Final = 50
_SPACE: Final = 2
_SIZES: Final = range(30, _LEAST - 1, -1)
_WEEK: Final = canvas.Pen(_LEAST, over="muted")


class _Bands(Struct, frozen=True):
    count: int
    long: int
    left: int
    cell: tuple[int, int]
    text: int

    @property
    def merit(self) -> tuple[bool, int]:
        """How readable it is: with letters, then with large cells, up to a size."""
        return bool(self.text), min(*self.cell, _ENOUGH)


def heat_map(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> bytes:
    """Draw a PNG with a row for each zone and a column for each week, in bands. Missing last weeks are unknown."""
    bands = max(_list_bands(columns, rows), key=lambda bands: bands.merit)
    step = _HEAD + len(rows) * bands.cell[1] + _BAND_GAP
    height = 2 * EDGE + bands.count * step - (_BAND_GAP if bands.count else 0)
    picture = canvas.blank(bands.left + bands.long * bands.cell[0] + EDGE, height)
    for band in range(bands.count):
        first, top = band * bands.long, EDGE + band * step
        weeks = columns[first : first + bands.long]
        _draw_weeks(picture, bands, weeks, top)
        for number, (label, heats) in enumerate(rows):
            known = [*heats[first : first + len(weeks)]]
            cells = [*known, *[Cell("", None)] * (len(weeks) - len(known))]
            _draw_row(picture, bands, (label, cells), top + _HEAD + number * bands.cell[1])
    return canvas.png(picture)


def _list_bands(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> Iterator[_Bands]:
    left = EDGE + min(_LABELS, max((length(label, _LEAST) for label, _ in rows), default=0)) + EDGE
    texts = {heat.text for _, heats in rows for heat in heats}
    for count in range(min(1, len(columns)), 1 + min(6, len(columns))):
        long = -(-len(columns) // max(1, count))
        wide = min(_WIDEST, (ROOM[0] - left - EDGE) // max(1, long))
        high = ((ROOM[1] - 2 * EDGE) // max(1, count) - _HEAD - _BAND_GAP) // max(1, len(rows))
        high = max(_LEAST + _SPACE, min(_HIGHEST, high))
        sizes = (
            size for size in _SIZES if size < high and all(length(text, size) <= wide - 2 * _SPACE for text in texts)
        )
        if count <= 1 or count * (_HEAD + _BAND_GAP + high * len(rows)) <= ROOM[1]:
            yield _Bands(count, long, left, (wide, high), next(sizes, 0))


def _draw_weeks(picture: Image.Image, bands: _Bands, weeks: Sequence[str], top: int) -> None:
    cell = bands.cell[0]
    every = -(-(max(length(week, _WEEK.size) for week in weeks) + 6) // cell)
    for number, week in enumerate(weeks):
        if number % every == 0:
            text = clip(week, _WEEK.size, every * cell)
            middle = (bands.left + number * cell + cell / 2, top + _HEAD / 2)
            canvas.write(picture, text, middle, _WEEK, align=0.5)


def _draw_row(picture: Image.Image, bands: _Bands, row: tuple[str, Sequence[Cell]], top: int) -> None:
    (label, cells), (wide, high) = row, bands.cell
    size, lines = fit_text(label, (_LEAST,), bands.left - 2 * EDGE, high)
    first = top + (high - (len(lines) - 1) * size * LINE) / 2
    for number, line in enumerate(lines):
        canvas.write(picture, line, (EDGE, first + number * size * LINE), canvas.Pen(size))
    for number, cell in enumerate(cells):
        corner = (bands.left + number * wide, top)
        tiles.draw_cell(picture, corner, (wide - _SPACE, high - _SPACE), cell, bands.text)
