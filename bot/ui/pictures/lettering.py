"""Letters: how long a text is, how it is cut or wrapped to fit, and its mask of coverage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from math import ceil
from typing import Final, cast
from unicodedata import combining, normalize

from PIL import Image, ImageDraw, ImageFont

LINE: Final = 1.08
"""The distance of two lines of a wrapped text, as a multiple of its size."""

_LONGEST: Final = 200
_BOLD: Final = 0.45
_ELLIPSIS: Final = "…"
_PLAIN: Final = str.maketrans(
    {"\u2010": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-", "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "Ae"}
)


@lru_cache(2048)
def clean(text: str) -> str:
    """Return the text on one line in letters that the font has: accents are dropped, others become ``?``; at most 200 characters."""
    bare = "".join(letter for letter in normalize("NFKD", text[:_LONGEST].translate(_PLAIN)) if not combining(letter))
    printable = bare.replace("...", _ELLIPSIS).encode("cp1252", "replace").decode("cp1252", "replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in printable).split())


@lru_cache(4096)
def length(text: str, size: int, *, bold: bool = False) -> int:
    """Return how many pixels wide a line of text is."""
    return ceil(_font(size).getlength(clean(text))) + bold


@cache
def line_height(size: int) -> int:
    """Return the height of one line's mask, from above the capitals to below the tails."""
    return sum(_font(size).getmetrics())


@lru_cache(2048)
def clip(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return the text, or as much of it as fits into ``width`` pixels, with an ellipsis."""
    text = clean(text)
    if length(text, size, bold=bold) <= width:
        return text
    cuts = (text[:end].rstrip() + _ELLIPSIS for end in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if length(cut, size, bold=bold) <= width), "")


@lru_cache(1024)
def on_one_line(text: str, sizes: Sequence[int], width: int) -> tuple[int, str]:
    """Return the largest of the sizes (falling) at which a bold line fits a width, and the line; at the last size it is cut."""
    size = next((size for size in sizes if length(text, size, bold=True) <= width), sizes[-1])
    return size, clip(text, size, width, bold=True)


@lru_cache(1024)
def fitted(text: str, sizes: Sequence[int], width: int, height: int) -> tuple[int, tuple[str, ...]]:
    """Return the largest of the sizes (falling) at which the text fits a box, and its lines; at the last size it is cut."""
    for size in sizes:
        lines = wrapped(clean(text), size, width)
        if len(lines) <= _room(size, height) and all(length(line, size) <= width for line in lines):
            return size, lines
    size = sizes[-1]
    lines = wrapped(clean(text), size, width)
    room = _room(size, height)
    rows = (*lines[: room - 1], " ".join(lines[room - 1 :]))
    return size, tuple(clip(line, size, width) for line in rows if line)


@lru_cache(2048)
def letters(text: str, size: int, *, bold: bool = False) -> Image.Image:
    """Return the coverage, 0 to 255, of one line of text; its top and height are those of the line, whatever it says."""
    font = _font(size)
    mask = Image.new("L", (max(1, length(text, size, bold=bold)), line_height(size)))
    ImageDraw.Draw(mask).text((0, 0), clean(text), fill=255, font=font, stroke_width=_BOLD if bold else 0)
    return mask


def _room(size: int, height: int) -> int:
    return max(1, int(height / (size * LINE)))


def wrapped(text: str, size: int, width: int) -> tuple[str, ...]:
    """Return the lines of a text, each as wide as fits a width; a word that is wider stands alone."""
    lines = [""]
    for word in re.findall(r"[^\s-]*-+\s*|[^\s-]+\s*", text):
        if lines[-1] and length(lines[-1] + word, size) > width:
            lines.append("")
        lines[-1] += word
    return tuple(line.rstrip() for line in lines)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    return cast("ImageFont.FreeTypeFont", ImageFont.load_default(size))
