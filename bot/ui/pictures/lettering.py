"""Letters: a text's length, how it is cut or wrapped, and its mask."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from math import ceil
from typing import Final
from unicodedata import category, normalize

from PIL import Image, ImageDraw

from bot.ui.pictures.fonts import has, main_font, runs

LINE: Final = 1.08
"""Line distance as a multiple of the size."""

_LONGEST: Final = 200
_BOLD: Final = 0.45
_ELLIPSIS: Final = "…"
_BLANK: Final = {"Cc", "Cs", "Zl", "Zp", "Zs"}
_UNSEEN: Final = re.compile("[\ufe00-\ufe0f]")
"""Variation selectors, as of coloured emoji."""

_WIDE: Final = "\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60"
"""Chinese and Japanese letters, between which a line can end."""

_WORDS: Final = re.compile(rf"[{_WIDE}]\s*|[^\s{_WIDE}-]*-+\s*|[^\s{_WIDE}-]+\s*")


@lru_cache(2048)
def clean(text: str) -> str:
    """Return at most 200 characters on one line, without invisible signs. Rare forms become plain letters."""
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
    """Return a line's width in pixels."""
    return ceil(sum(font.getlength(part) for font, part in runs(clean(text), size))) + bold


@cache
def _line_height(size: int) -> int:
    return sum(main_font(size).getmetrics())


@lru_cache(2048)
def clip(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Cut a text to `width` pixels with an ellipsis; empty if nothing fits."""
    text = clean(text)
    if length(text, size, bold=bold) <= width:
        return text
    cuts = (text[:end].rstrip() + _ELLIPSIS for end in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if length(cut, size, bold=bold) <= width), "")


@lru_cache(1024)
def fit_one_line(text: str, sizes: Sequence[int], width: int) -> tuple[int, str]:
    """Return the first of the falling `sizes` at which a bold line fits, and the line, cut at the last size."""
    size = next((size for size in sizes if length(text, size, bold=True) <= width), sizes[-1])
    return size, clip(text, size, width, bold=True)


@lru_cache(1024)
def fit_text(text: str, sizes: Sequence[int], width: int, height: int) -> tuple[int, tuple[str, ...]]:
    """Return the first of the falling `sizes` at which a text fits a box, and its lines, cut at the last size."""
    for size in sizes:
        lines = wrap(clean(text), size, width)
        if len(lines) <= _measure_room(size, height) and all(length(line, size) <= width for line in lines):
            return size, lines
    size = sizes[-1]
    lines = wrap(clean(text), size, width)
    room = _measure_room(size, height)
    rows = (*lines[: room - 1], " ".join(lines[room - 1 :]))
    return size, tuple(clip(line, size, width) for line in rows if line)


@lru_cache(2048)
def letters(text: str, size: int, *, bold: bool = False) -> Image.Image:
    """Return a line's coverage, 0 to 255. Its height depends on the size only."""
    mask = Image.new("L", (max(1, length(text, size, bold=bold)), _line_height(size)))
    draw, left, base = ImageDraw.Draw(mask), 0.0, main_font(size).getmetrics()[0]
    for font, part in runs(clean(text), size):
        draw.text((left, base), part, fill=255, font=font, anchor="ls", stroke_width=_BOLD if bold else 0)
        left += font.getlength(part)
    return mask


def _measure_room(size: int, height: int) -> int:
    return max(1, int(height / (size * LINE)))


def wrap(text: str, size: int, width: int) -> tuple[str, ...]:
    """Wrap a text to a width. A wider word gets its own line."""
    lines = [""]
    for word in _WORDS.findall(text):
        if lines[-1] and length(lines[-1] + word, size) > width:
            lines.append("")
        lines[-1] += word
    return tuple(line.rstrip() for line in lines)
