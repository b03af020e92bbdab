"""The fonts of pictures: Noto Sans, and the host's own for letters it lacks. They load with the first picture."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional, category

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_SAMPLE_SIZE: Final = 20
_NO_LETTER: Final = "\U0010ffff"

_RIGHT_TO_LEFT: Final = {"R", "AL"}
_further: list[Path] = []

log = logging.getLogger(__name__)


def use_further(file: Path | None) -> None:
    """Use this font file for letters that Noto Sans lacks; None for none."""
    chosen = [] if file is None else [file]
    if chosen == _further:
        return
    _further[:] = chosen
    for known in (_files, _is_in, split):
        known.cache_clear()


def main_font(size: int) -> FreeTypeFont:
    """Return Noto Sans in a size."""
    return _font(_files()[0], size, shaped=False)


def has(letter: str) -> bool:
    """Return whether any font can draw a letter."""
    return any(_is_in(file, letter) for file in _files())


def runs(text: str, size: int) -> list[tuple[FreeTypeFont, str]]:
    """Return a line as (font, part) pairs. Noto Sans draws a box for what no font has."""
    return [(_font(file, size, shaped=_needs_shaping(part)), part) for file, part in split(text)]


@lru_cache(2048)
def split(text: str) -> tuple[tuple[Path, str], ...]:
    """Return a line as (font file, part) pairs. Marks stay with their letter, spaces within a font."""
    if text.isascii():
        return ((_files()[0], text),)
    files: list[Path] = []
    for place, letter in enumerate(text):
        before, is_mark = files[-1] if files else None, category(letter)[0] == "M"
        after = before if is_mark else next(map(_best, filter(str.isalnum, text[place:])), None)
        stays = before is not None and before == after and not letter.isalnum() and _is_in(before, letter)
        files.append(before if before is not None and stays else _best(letter))
    pairs = groupby(zip(files, text, strict=True), key=itemgetter(0))
    return tuple((file, "".join(letter for _, letter in part)) for file, part in pairs)


def _best(letter: str) -> Path:
    return next((file for file in _files() if _is_in(file, letter)), _files()[0])


@cache
def _files() -> tuple[Path, ...]:
    from importlib import resources  # noqa: PLC0415 - it is slow to load

    base = Path(str(resources.files("fontpkg_noto_sans") / "files" / "NotoSans[wdth,wght].ttf"))
    try:
        for file in _further:
            _font(file, _SAMPLE_SIZE, shaped=False)
    except OSError:
        log.exception("picture.font_unreadable", extra={"file": str(_further[0])})
        return (base,)
    return (base, *_further)


@cache
def _font(file: Path, size: int, *, shaped: bool) -> FreeTypeFont:
    """Return a font. Shaping joins letters, but differs a little between systems."""
    from PIL import ImageFont  # noqa: PLC0415 - the settings name a further font at the start

    font = ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.RAQM if shaped else ImageFont.Layout.BASIC)
    with suppress(OSError, ValueError):  # a font of one weight
        if file in _further:
            font.set_variation_by_name("Regular")
    return font


@lru_cache(4096)
def _is_in(file: Path, letter: str) -> bool:
    """Return whether a font has a letter: Pillow draws the same for all that it lacks."""
    return _draw_letter(file, letter) != _draw_letter(file, _NO_LETTER)


def _draw_letter(file: Path, letter: str) -> tuple[bytes, tuple[int, int], float]:
    font = _font(file, _SAMPLE_SIZE, shaped=False)
    mask = font.getmask(letter)
    return bytes(mask), mask.size, font.getlength(letter)


def _needs_shaping(text: str) -> bool:
    return not text.isascii() and any(
        bidirectional(sign) in _RIGHT_TO_LEFT or category(sign)[0] == "M" for sign in text
    )
