"""Tints of colours that people choose: set to a lightness, so that they differ for everybody and letters read on them."""

from __future__ import annotations

from functools import lru_cache

from bot.ui.pictures.palette import rgb

_WHITE = (1.0, 1.0, 1.0)
_BLACK = (0.0, 0.0, 0.0)
_UNKNOWN = "#808080"
_TOE = 0.04045
"""Up to there, sRGB is linear."""

Linear = tuple[float, float, float]


@lru_cache(512)
def tinted(colour: str, luminance: float) -> str:
    """Return a colour mixed with white or black until it has a relative luminance of WCAG 2, 0 to 1; what is no colour is grey."""
    own = linear_of(colour)
    now = luminance_of(own)
    if luminance >= now:
        return _text(_mix(own, _WHITE, (1 - luminance) / (1 - now) if now < 1 else 1.0))
    return _text(_mix(own, _BLACK, luminance / now))


def luminance_of(linear: Linear) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1, of linear red, green and blue."""
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear_of(colour: str) -> Linear:
    """Return linear red, green and blue, 0 to 1, of a colour as it is written; grey where it is none."""
    try:
        parts = rgb(colour)
    except ValueError:
        parts = rgb(_UNKNOWN)
    red, green, blue = (
        part / 12.92 if part <= _TOE else ((part + 0.055) / 1.055) ** 2.4 for part in (each / 255 for each in parts)
    )
    return red, green, blue


def _mix(over: Linear, under: Linear, share: float) -> Linear:
    red, green, blue = (a * share + b * (1 - share) for a, b in zip(over, under, strict=True))
    return red, green, blue


def _text(linear: Linear) -> str:
    parts = (part * 12.92 if part <= _TOE / 12.92 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear)
    return "#" + "".join(f"{min(255, max(0, round(part * 255))):02x}" for part in parts)
