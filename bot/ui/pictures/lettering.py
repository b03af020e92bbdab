"""Letters: how long a text is, how it is cut or wrapped to fit, and its mask of coverage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from math import ceil
from typing import Final
from unicodedata import category, normalize

from PIL import Image, ImageDraw

from bot.ui.pictures.fonts import has, main_font, runs

LINE: Final = 1.08
"""The distance of two lines of a wrapped text, as a multiple of its size."""

_LONGEST: Final = 200
_BOLD: Final = 0.45
_ELLIPSIS: Final = "…"
_BLANK: Final = {"Cc", "Cs", "Zl", "Zp", "Zs"}
_UNSEEN: Final = re.compile("[\ufe00-\ufe0f]")
"""Signs that choose between forms of the one before, such as an emoji in colours."""

_WIDE: Final = "\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60"
"""Letters of Chinese and Japanese, between which a line can end."""

_WORDS: Final = re.compile(rf"[{_WIDE}]\s*|[^\s{_WIDE}-]*-+\s*|[^\s{_WIDE}-]+\s*")


@lru_cache(2048)
def clean(text: str) -> str:
    """Return the text on one line, without signs that show nothing; at most 200 characters.

    What no font has becomes plainer where that is the same to a reader, such as bold mathematical letters.
    """
    composed = normalize("NFC", _UNSEEN.sub("", text[:_LONGEST])).replace("...", _ELLIPSIS)
    return " ".join("".join(map(_drawable, composed)).split())


@lru_cache(4096)
def _drawable(sign: str) -> str:
    kind = category(sign)
    if kind in _BLANK:
        return " "
    if kind == "Cf":
        return ""
    plainer = normalize("NFKC", sign)
    return plainer if not has(sign) and all(map(has, plainer)) else sign


@lru_cache(4096)
def length(text: str, size: int, *, bold: bool = False) -> int:
    """Return how many pixels wide a line of text is."""
    return ceil(sum(font.getlength(part) for font, part in runs(clean(text), size))) + bold


@cache
def line_height(size: int) -> int:
    """Return the height of one line's mask, from above the capitals to below the tails."""
    return sum(main_font(size).getmetrics())


@lru_cache(2048)
def clip(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Return the text, or as much of it as fits into ``width`` pixels, with an ellipsis."""
    text = clean(text)
    if length(text, size, bold=bold) <= width:
        return text
    cuts = (text[:end].rstrip() + _ELLIPSIS for end in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if length(cut, size, bold=bold) <= width), "")


@lru_cache(1024)
def fit_one_line(text: str, sizes: Sequence[int], width: int) -> tuple[int, str]:
    """Return the largest of the sizes (falling) at which a bold line fits a width, and the line; at the last size it is cut."""
    size = next((size for size in sizes if length(text, size, bold=True) <= width), sizes[-1])
    return size, clip(text, size, width, bold=True)


@lru_cache(1024)
def fit_text(text: str, sizes: Sequence[int], width: int, height: int) -> tuple[int, tuple[str, ...]]:
    """Return the largest of the sizes (falling) at which the text fits a box, and its lines; at the last size it is cut."""
    for size in sizes:
        lines = wrap(clean(text), size, width)
        if len(lines) <= _room(size, height) and all(length(line, size) <= width for line in lines):
            return size, lines
    size = sizes[-1]
    lines = wrap(clean(text), size, width)
    room = _room(size, height)
    rows = (*lines[: room - 1], " ".join(lines[room - 1 :]))
    return size, tuple(clip(line, size, width) for line in rows if line)


@lru_cache(2048)
def letters(text: str, size: int, *, bold: bool = False) -> Image.Image:
    """Return the coverage, 0 to 255, of one line of text; its top and height are those of the line, whatever it says."""
    mask = Image.new("L", (max(1, length(text, size, bold=bold)), line_height(size)))
    draw, left, base = ImageDraw.Draw(mask), 0.0, main_font(size).getmetrics()[0]
    for font, part in runs(clean(text), size):
        draw.text((left, base), part, fill=255, font=font, anchor="ls", stroke_width=_BOLD if bold else 0)
        left += font.getlength(part)
    return mask


def _room(size: int, height: int) -> int:
    return max(1, int(height / (size * LINE)))


def wrap(text: str, size: int, width: int) -> tuple[str, ...]:
    """Return the lines of a text, each as wide as fits a width; a word that is wider stands alone."""
    lines = [""]
    for word in _WORDS.findall(text):
        if lines[-1] and length(lines[-1] + word, size) > width:
            lines.append("")
        lines[-1] += word
    return tuple(line.rstrip() for line in lines)
