"""Cells coloured by severity, and the key below a picture that says in words what their colours and letters mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import MARGIN, Pen, write
from bot.ui.pictures.lettering import clip, length, wrapped
from bot.ui.pictures.palette import fill_of, ink_on
from bot.ui.pictures.tiles import base

LINE: Final = 26
"""The height of a line of the key."""

GAP: Final = 12
_TEXT: Final = Pen(19)
_SAMPLE: Final = (44, 30)
_SAMPLE_TEXT: Final = 18
_SAMPLE_LINE: Final = 34
_WATER: Final = 9


class Cell(Struct, frozen=True):
    """What one cell shows: letters such as ``6W`` or none, severity 0..4 (None: not known), and water below for a flood."""

    text: str
    severity: int | None
    flood: bool = False


class KeyLine(Struct, frozen=True):
    """A sample of a cell, or none, and what it means."""

    cell: Cell | None
    words: str


class Key(Struct, frozen=True):
    """The lines of a key with their words wrapped, and how many of them stand one below the other."""

    lines: Sequence[tuple[KeyLine, tuple[str, ...]]]
    rows: int


def draw_cell(picture: Image.Image, at: tuple[int, int], size: tuple[int, int], cell: Cell, letters: int) -> None:
    """Draw a cell with its upper left corner at a place; its letters have this size in pixels."""
    fill = fill_of(cell.severity)
    picture.paste(base(size, fill, land=True, water=_WATER * cell.flood, below="paper"), at)
    middle = at[1] + (size[1] - _WATER * cell.flood) / 2
    write(
        picture,
        clip(cell.text, letters, size[0] - 2),
        (at[0] + size[0] / 2, middle),
        Pen(letters, ink_on(fill), fill),
        align=0.5,
    )


def laid_out(lines: Sequence[KeyLine], width: int) -> Key:
    """Return the lines of a key for a picture of this width: in two columns where each of them is short."""
    room = width - 2 * MARGIN
    half = room // 2 - _SAMPLE[0] - 2 * GAP
    abreast = 2 if all(line.cell is not None and length(line.words, _TEXT.size) <= half for line in lines) else 1
    words = [wrapped(line.words, _TEXT.size, room - (_SAMPLE[0] + GAP) * (line.cell is not None)) for line in lines]
    return Key(list(zip(lines, words, strict=True)), -(-len(lines) // abreast))


def height(key: Key) -> int:
    """Return how much room a key takes."""
    return sum(_step(*line) for line in key.lines[: key.rows])


def draw_key(picture: Image.Image, key: Key, top: int) -> None:
    """Draw a key whose first line begins at this height."""
    for column in range(0, len(key.lines), max(1, key.rows)):
        left, middle = MARGIN if column == 0 else picture.width // 2, top
        for line, words in key.lines[column : column + key.rows]:
            step = _step(line, words)
            _draw_line(picture, line, words, (left, middle + step // 2))
            middle += step


def _draw_line(picture: Image.Image, line: KeyLine, words: Sequence[str], at: tuple[int, int]) -> None:
    """Draw a line of a key; `at` is its left end and its middle height."""
    left, middle = at
    if line.cell is not None:
        draw_cell(picture, (left, middle - _SAMPLE[1] // 2), _SAMPLE, line.cell, _SAMPLE_TEXT)
        left += _SAMPLE[0] + GAP
    for number, text in enumerate(words):
        height_of_line = middle + (number - (len(words) - 1) / 2) * LINE
        write(picture, clip(text, _TEXT.size, picture.width - MARGIN - left), (left, height_of_line), _TEXT)


def _step(line: KeyLine, words: Sequence[str]) -> int:
    return max(_SAMPLE_LINE if line.cell is not None else 0, len(words) * LINE + 4)
