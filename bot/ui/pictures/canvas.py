"""The drawing tools of every picture: smooth stamps, written lines, shapes, and the encoding."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from io import BytesIO
from math import pi, sin
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw

from bot.ui.pictures.lettering import length, letters, on_one_line
from bot.ui.pictures.palette import full, nearest, number, palette, steps

WIDTH: Final = 1100
"""The widest picture, in pixels: twice what Discord shows in a chat."""

MARGIN: Final = 18
TITLE_MIDDLE: Final = 30
TITLE_HEIGHT: Final = 56
"""Where the map begins."""

FULL: Final = "RGB"
"""The mode of a picture of full colour: for colours that nobody knows beforehand, and shapes over more than one of them."""

CREST: Final = 3
"""How far a wave reaches from its middle, in whole pixels."""

_TITLE_SIZES: Final = range(27, 19, -1)
_FINE: Final = 4
_RADIUS: Final = 9
_WAVE_LENGTH: Final = 22
_WAVE_HEIGHT: Final = 2.5

COVERED: Final = [0] + [255] * 255
"""Any coverage at all, for ``point``."""


class Pen(Struct, frozen=True):
    """How letters are written: their size in pixels, their colour and the colour that they stand on."""

    size: int
    over: str = "ink"
    under: str = "paper"
    bold: bool = False


def blank(width: int, height: int, colour: str = "paper") -> Image.Image:
    """Return an empty picture, or part of one."""
    return Image.new("L", (width, height), number(colour))


def sheet(width: int, height: int, colour: str = "paper") -> Image.Image:
    """Return an empty picture of full colour, or part of one."""
    return Image.new(FULL, (width, height), full(colour))


def lay(picture: Image.Image, mask: Image.Image, at: tuple[int, int], colour: str) -> None:
    """Lay a colour on a picture of full colour through a mask of coverage."""
    picture.paste(full(colour), at, mask)


def png(picture: Image.Image, keep: Iterable[str] = ()) -> bytes:
    """Return the finished picture as the bytes of a PNG file, in at most 256 colours; of full colour, with those to `keep` that are rare."""
    level = 2 if picture.mode == FULL else 3
    if picture.mode == FULL:
        picture = nearest(picture, keep)
    else:
        picture.putpalette(palette())
    out = BytesIO()
    picture.save(out, "PNG", compress_level=level)
    return out.getvalue()


def stamp(picture: Image.Image, mask: Image.Image, at: tuple[int, int], colours: tuple[str, str]) -> None:
    """Lay the first colour on through a mask of coverage, with edges smooth against the second, the one below."""
    picture.paste(mask.point(steps(*colours)), at, mask.point(COVERED))


def write(picture: Image.Image, text: str, at: tuple[float, float], pen: Pen, align: float = 0) -> int:
    """Write one line and return its width in pixels.

    ``at`` is the line's middle height, and its left end (align 0), middle (0.5) or right end (1). On a picture of full
    colour the pen's lower colour is whatever stands there.
    """
    mask = letters(text, pen.size, bold=pen.bold)
    corner = (int(at[0] - mask.width * align), int(at[1] - mask.height / 2))
    if picture.mode == FULL:
        picture.paste(full(pen.over), corner, mask)
    else:
        coloured, covered = _written(text, pen)
        picture.paste(coloured, corner, covered)
    return mask.width


def headline_length(text: str) -> int:
    """Return how many pixels wide a title is at its full size."""
    return length(text, _TITLE_SIZES[0], bold=True)


def headline(picture: Image.Image, text: str, width: int) -> None:
    """Write the title of a picture, at most ``width`` pixels wide."""
    size, line = on_one_line(text, _TITLE_SIZES, width)
    write(picture, line, (MARGIN, TITLE_MIDDLE), Pen(size, bold=True))


def chip(picture: Image.Image, text: str, box: tuple[int, int, int, int], pen: Pen, below: str) -> None:
    """Write letters on a small rounded box (left, top, width, height) of the pen's lower colour; below it lies ``below``."""
    left, top, width, height = box
    stamp(picture, shape((width, height), radius=5), (left, top), (pen.under, below))
    write(picture, text, (left + width / 2, top + height / 2), pen, align=0.5)


@lru_cache(2048)
def _written(text: str, pen: Pen) -> tuple[Image.Image, Image.Image]:
    mask = letters(text, pen.size, bold=pen.bold)
    return mask.point(steps(pen.over, pen.under)), mask.point(COVERED)


@lru_cache(256)
def shape(size: tuple[int, int], *, radius: int = 0, wavy: bool = False, inset: float = 0) -> Image.Image:
    """Return the coverage of a box: with round corners (radius 0: as fits its size), or with waves for its upper and lower edge; drawn in by ``inset``."""
    width, height = (side * _FINE for side in size)
    fine = Image.new("L", (width, height))
    if wavy:
        ImageDraw.Draw(fine).polygon(_waves(*size, inset), fill=255)
    else:
        inner = inset * _FINE
        edges = (inner, inner, width - inner - 1, height - inner - 1)
        ImageDraw.Draw(fine).rounded_rectangle(
            edges, max(0, (radius or min(_RADIUS, *(side // 4 for side in size))) - inset) * _FINE, fill=255
        )
    return fine.reduce(_FINE)


@lru_cache(64)
def flooded(size: tuple[int, int], depth: int) -> Image.Image:
    """Return the coverage of water of this depth (pixels) in a box."""
    width, height = size
    fine = Image.new("L", (width * _FINE, height * _FINE))
    surface = [(x, _crest(x, height - depth)) for x in range(0, width + 1, 1)]
    corners = [(width, height), (0, height)]
    ImageDraw.Draw(fine).polygon([(x * _FINE, y * _FINE) for x, y in [*surface, *corners]], fill=255)
    return fine.reduce(_FINE)


def _waves(width: int, height: int, inset: float) -> list[tuple[float, float]]:
    across = [inset, *range(2, width - 1), width - inset]
    upper = [(x, _crest(x, inset + _WAVE_HEIGHT)) for x in across]
    lower = [(x, _crest(x, height - inset - _WAVE_HEIGHT)) for x in reversed(across)]
    return [(x * _FINE, y * _FINE) for x, y in [*upper, *lower]]


def _crest(x: float, middle: float) -> float:
    return middle + _WAVE_HEIGHT * sin(2 * pi * x / _WAVE_LENGTH)
