"""Colours and fonts of pictures, and the steps that smooth edges. Pillow loads with the first picture."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional, category

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFont import FreeTypeFont


WORST: Final = 4

RAMP: Final = tuple(f"severity-{severity}" for severity in range(WORST + 1))
"""Fills by severity, calm first. Each is darker, so that they differ without hue."""

_COLOURS: Final = {
    "paper": "#F6F7F9",
    "ink": "#14181D",
    "muted": "#4A525C",
    "white": "#FFFFFF",
    "plate": "#C9D0D8",
    "border": "#4A5665",
    "edge": "#66717E",
    "hatch": "#C2C8CF",
    "flood": "#17528F",
    "unknown": "#EBECEE",
    RAMP[0]: "#DDEFEA",
    RAMP[1]: "#F2CB62",
    RAMP[2]: "#E0863F",
    RAMP[3]: "#A93B32",
    RAMP[4]: "#471B40",
}
_FILLS: Final = (*RAMP, "unknown")
_MIDDLE: Final = 0.16  # as far from white as from black
_STEPS: Final = 6
_STEP_OF_4: Final = 0xFC
_MOST: Final = 256
_ENTRIES: Final = 160
"""Colours kept of full colour. More are hardly visible and slow."""

_SAMPLE: Final = 5

_MANY: Final = 8192
"""More colours than that are no drawing."""


def fill_of(severity: int | None) -> str:
    """Return a severity's fill, the nearest on the scale."""
    return "unknown" if severity is None else RAMP[min(max(severity, 0), WORST)]


def ink_on(fill: str) -> str:
    """Return a readable letter colour for a fill: at least 4.5 to 1."""
    return "white" if fill in {RAMP[3], RAMP[4], "flood", "ink"} else "ink"


def ink_beside(colour: str) -> str:
    """Return a colour for letters on a ground, with a contrast of at least 4.5 to 1."""
    light = luminance_of(to_linear(colour))
    return set_luminance(colour, 5 * (light + 0.05) - 0.05 if light < _MIDDLE else (light + 0.05) / 5 - 0.05)


_SMOOTH: Final = (
    ("ink", "paper"),
    ("muted", "paper"),
    ("border", "paper"),
    ("plate", "border"),
    ("edge", "plate"),
    ("edge", "paper"),
    ("flood", "white"),
    ("flood", "edge"),
    ("white", "ink"),
    *((fill, "edge") for fill in _FILLS),
    *((ink_on(fill), fill) for fill in _FILLS),
    *((fill, ink_on(fill)) for fill in _FILLS),
    *(("flood", fill) for fill in _FILLS),
)
_NUMBERS: Final = {name: number for number, name in enumerate(_COLOURS)}


@lru_cache(1024)
def rgb(name: str) -> tuple[int, int, int]:
    """Return red, green and blue of a named colour or one such as `#2b6cff`."""
    from PIL import ImageColor  # noqa: PLC0415 - loads with the first picture

    red, green, blue, *_ = ImageColor.getrgb(_COLOURS.get(name, name))
    return red, green, blue


def full(name: str) -> tuple[int, int, int]:
    """Return a colour in steps of 4, which `nearest` keeps."""
    red, green, blue = rgb(name)
    return red & _STEP_OF_4, green & _STEP_OF_4, blue & _STEP_OF_4


def number(name: str) -> int:
    """Return a colour's palette entry."""
    return _NUMBERS[name]


@cache
def steps(over: str, under: str) -> list[int]:
    """Return palette entries by coverage, 0 (`under`) to 255 (`over`). ValueError for a pair not in `_SMOOTH`."""
    first = len(_COLOURS) + _SMOOTH.index((over, under)) * _STEPS
    between = [number(under), *range(first, first + _STEPS), number(over)]
    return [between[round(coverage * (_STEPS + 1) / 255)] for coverage in range(256)]


@cache
def palette() -> bytes:
    """Return all palette entries: colours, then steps."""
    entries = [rgb(name) for name in _COLOURS]
    for over, under in _SMOOTH:
        shares = [step / (_STEPS + 1) for step in range(1, _STEPS + 1)]
        entries += [_mix(rgb(over), rgb(under), share) for share in shares]
    return bytes(part for entry in entries for part in entry)


def _mix(over: tuple[int, int, int], under: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(over, under, strict=True))
    return red, green, blue


def nearest(picture: Image.Image, keep: Iterable[str] = ()) -> Image.Image:
    """Reduce full colour to frequent colours and `keep`. Pillow compares in steps of 4, as `full` has them."""
    from PIL import Image  # noqa: PLC0415 - as above

    sample = picture.resize((-(-picture.width // _SAMPLE), -(-picture.height // _SAMPLE)), Image.Resampling.NEAREST)
    counted = sample.getcolors(_MANY)
    if counted is None:
        return picture.quantize(_ENTRIES, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    counted.sort(key=itemgetter(0), reverse=True)
    frequent = [colour for _, colour in counted[:_ENTRIES] if isinstance(colour, tuple)]
    kept = dict.fromkeys([*map(full, keep), *frequent])
    own = Image.new("P", (1, 1))
    own.putpalette(bytes(part for colour in [*kept][:_MOST] for part in colour))
    return picture.quantize(palette=own, dither=Image.Dither.NONE)


_WHITE = (1.0, 1.0, 1.0)
_BLACK = (0.0, 0.0, 0.0)
_UNKNOWN = "#808080"
_TOE = 0.04045
Linear = tuple[float, float, float]


@lru_cache(512)
def set_luminance(colour: str, luminance: float) -> str:
    """Mix a colour with white or black to a WCAG luminance, 0 to 1. Unknown colours are grey."""
    own = to_linear(colour)
    now = luminance_of(own)
    if luminance >= now:
        return _text(_mix_linear(own, _WHITE, (1 - luminance) / (1 - now) if now < 1 else 1.0))
    return _text(_mix_linear(own, _BLACK, luminance / now))


def luminance_of(linear: Linear) -> float:
    """Return the WCAG luminance, 0 to 1."""
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def to_linear(colour: str) -> Linear:
    """Return linear red, green and blue, 0 to 1; grey for unknown colours."""
    try:
        parts = rgb(colour)
    except ValueError:
        parts = rgb(_UNKNOWN)
    red, green, blue = (
        part / 12.92 if part <= _TOE else ((part + 0.055) / 1.055) ** 2.4 for part in (each / 255 for each in parts)
    )
    return red, green, blue


def _mix_linear(over: Linear, under: Linear, share: float) -> Linear:
    red, green, blue = (a * share + b * (1 - share) for a, b in zip(over, under, strict=True))
    return red, green, blue


def _text(linear: Linear) -> str:
    parts = (part * 12.92 if part <= _TOE / 12.92 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear)
    return "#" + "".join(f"{min(255, max(0, round(part * 255))):02x}" for part in parts)


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
    # Return a font. Shaping joins letters, but differs a little between systems.
    from PIL import ImageFont  # noqa: PLC0415 - the settings name a further font at the start

    font = ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.RAQM if shaped else ImageFont.Layout.BASIC)
    with suppress(OSError, ValueError):  # a font of one weight
        if file in _further:
            font.set_variation_by_name("Regular")
    return font


@lru_cache(4096)
def _is_in(file: Path, letter: str) -> bool:
    # Pillow draws the same for all letters that a font lacks.
    return _draw_letter(file, letter) != _draw_letter(file, _NO_LETTER)


def _draw_letter(file: Path, letter: str) -> tuple[bytes, tuple[int, int], float]:
    font = _font(file, _SAMPLE_SIZE, shaped=False)
    mask = font.getmask(letter)
    return bytes(mask), mask.size, font.getlength(letter)


def _needs_shaping(text: str) -> bool:
    return not text.isascii() and any(
        bidirectional(sign) in _RIGHT_TO_LEFT or category(sign)[0] == "M" for sign in text
    )
