"""The colours of every picture, the in-between steps that smooth edges and letters, and tints of colours that people choose.

A picture is drawn as numbers of palette entries, a third of the bytes of full colour and five times as quick to encode.
An edge between two colours is smooth where the palette holds steps between them: ``_SMOOTH`` lists those pairs. Where
the colours aren't known beforehand, as those of factions, it is drawn in full colour, and gets a palette in the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL import Image

WORST: Final = 4
"""The highest severity."""

RAMP: Final = tuple(f"severity-{severity}" for severity in range(WORST + 1))
"""The fills by severity, calm first. Each is darker than the one before, so that they differ without hues too."""

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
_STEPS: Final = 6
_STEP_OF_4: Final = 0xFC
_MOST: Final = 256
_ENTRIES: Final = 160
"""How many colours a picture of full colour keeps; more are hardly seen, and take longer to encode."""

_SAMPLE: Final = 5
"""Every how many pixels, across and down, its colours are counted."""

_MANY: Final = 8192
"""More colours than that are no drawing."""


def fill_of(severity: int | None) -> str:
    """Return the fill for a severity; one beyond the scale gets the nearest end of it."""
    return "unknown" if severity is None else RAMP[min(max(severity, 0), WORST)]


def ink_on(fill: str) -> str:
    """Return the colour of letters that reads on a fill: at least 4.5 to 1."""
    return "white" if fill in {RAMP[3], RAMP[4], "flood", "ink"} else "ink"


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
    """Return the red, green and blue, 0 to 255 each, of a colour by its name here, or of one such as ``#2b6cff``."""
    from PIL import ImageColor  # noqa: PLC0415 - loads with the first picture

    red, green, blue, *_ = ImageColor.getrgb(_COLOURS.get(name, name))
    return red, green, blue


def full(name: str) -> tuple[int, int, int]:
    """Return a colour as pictures of full colour have it: in steps of 4, which ``nearest`` keeps as they are."""
    red, green, blue = rgb(name)
    return red & _STEP_OF_4, green & _STEP_OF_4, blue & _STEP_OF_4


def number(name: str) -> int:
    """Return the palette entry of a colour."""
    return _NUMBERS[name]


@cache
def steps(over: str, under: str) -> list[int]:
    """Return the palette entry for each coverage, 0 to 255, of the colour ``under`` by the colour ``over``.

    Raises:
        ValueError: no smooth edge is kept for this pair.
    """
    first = len(_COLOURS) + _SMOOTH.index((over, under)) * _STEPS
    between = [number(under), *range(first, first + _STEPS), number(over)]
    return [between[round(coverage * (_STEPS + 1) / 255)] for coverage in range(256)]


@cache
def palette() -> bytes:
    """Return red, green and blue of every entry: the colours, then the steps of each pair."""
    entries = [rgb(name) for name in _COLOURS]
    for over, under in _SMOOTH:
        shares = [step / (_STEPS + 1) for step in range(1, _STEPS + 1)]
        entries += [_mix(rgb(over), rgb(under), share) for share in shares]
    return bytes(part for entry in entries for part in entry)


def _mix(over: tuple[int, int, int], under: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(over, under, strict=True))
    return red, green, blue


def nearest(picture: Image.Image, keep: Iterable[str] = ()) -> Image.Image:
    """Return a picture of full colour in its most frequent colours and those to `keep`, each other colour as the nearest of these.

    What covers an area keeps its colour; what changes slightly is some of the steps of smooth edges. (Pillow looks for the
    nearest of each 4 steps of red, green and blue at once, from the lowest: colours in steps of 4 find themselves.)
    """
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
"""Up to there, sRGB is linear."""

Linear = tuple[float, float, float]


@lru_cache(512)
def set_luminance(colour: str, luminance: float) -> str:
    """Return a colour mixed with white or black until it has a relative luminance of WCAG 2, 0 to 1; what is no colour is grey."""
    own = to_linear(colour)
    now = luminance_of(own)
    if luminance >= now:
        return _text(_mix_linear(own, _WHITE, (1 - luminance) / (1 - now) if now < 1 else 1.0))
    return _text(_mix_linear(own, _BLACK, luminance / now))


def luminance_of(linear: Linear) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1, of linear red, green and blue."""
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def to_linear(colour: str) -> Linear:
    """Return linear red, green and blue, 0 to 1, of a colour as it is written; grey where it is none."""
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
