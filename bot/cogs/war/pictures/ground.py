"""The panels of a map as they lie there: land in its faction's colour, hatched where it is cut off, with borders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.cogs.war.pictures.scheme import Scheme
from bot.ui.pictures.canvas import lay, sheet
from bot.ui.pictures.hexes import Grid, edges, face, ring
from rules.geometry.hexes import Hex

BLOCKED: Final = "#3d434b"
"""The colour of panels that nobody can enter."""

_GAP: Final = "#f6f7f9"
_VEIL: Final = "#7d858f"


class Land(Struct, frozen=True):
    """Empty land: its colours, whether it is cut off, whether what stands there is `veiled`, and in which directions a border runs."""

    scheme: Scheme
    cut_off: bool = False
    veiled: bool = False
    ways: tuple[str, ...] = ()

    @property
    def fill(self) -> str:
        """Its colour between lines."""
        return self.scheme.pale if self.cut_off else self.scheme.land


@lru_cache(64)
def draw_land(unit: int, half: int, land: Land) -> Image.Image:
    """Draw a panel on which nothing stands, in its box."""
    scheme, cut_off = land.scheme, land.cut_off
    picture = sheet(4 * unit, 2 * half, land.fill)
    whole = face(unit, half)
    if scheme.pattern and not cut_off:
        lay(picture, ImageChops.darker(_PATTERNS[scheme.pattern](unit, half), whole), (0, 0), scheme.line)
    if cut_off:
        lay(picture, ImageChops.darker(_hatched(unit, half), whole), (0, 0), scheme.line)
    if land.veiled:
        lay(picture, ImageChops.darker(_dotted(unit, half), whole), (0, 0), _VEIL)
    lay(picture, edges(unit, half, land.ways, max(2.0, unit * 0.17)), (0, 0), scheme.line)
    lay(picture, ring(unit, half, 1), (0, 0), _GAP)
    return picture


def frame(picture: Image.Image, grid: Grid, at: Hex, colour: str, share: float = 0.24) -> None:
    """Draw a thick line along the inside of a panel's edge."""
    lay(picture, ring(grid.unit, grid.half, max(3.0, grid.unit * share), 1), grid.corner(at), colour)


@lru_cache(16)
def _hatched(unit: int, half: int) -> Image.Image:
    """Return the coverage of slanted lines over a hex's box."""
    step = max(6, round(unit * 0.5))
    fine = Image.new("L", (8 * unit, 4 * half))
    draw = ImageDraw.Draw(fine)
    for start in range(-fine.height, fine.width, 2 * step):
        draw.line((start, fine.height, start + fine.height, 0), fill=150, width=max(2, round(step * 0.45)))
    return fine.reduce(2)


@lru_cache(16)
def _dotted(unit: int, half: int) -> Image.Image:
    step = max(5, round(unit * 0.5))
    fine = Image.new("L", (8 * unit, 4 * half))
    draw = ImageDraw.Draw(fine)
    for row, top in enumerate(range(0, fine.height, 2 * step)):
        for left in range(step * (row % 2), fine.width, 2 * step):
            draw.ellipse((left, top, left + step * 0.55, top + step * 0.55), fill=220)
    return fine.reduce(2)


@lru_cache(16)
def _upright(unit: int, half: int) -> Image.Image:
    step = max(6, round(unit * 0.5))
    mask = Image.new("L", (4 * unit, 2 * half))
    for left in range(0, mask.width, step):
        ImageDraw.Draw(mask).line((left, 0, left, mask.height), fill=90, width=max(1, step // 6))
    return mask


@lru_cache(16)
def _level(unit: int, half: int) -> Image.Image:
    step = max(6, round(unit * 0.5))
    mask = Image.new("L", (4 * unit, 2 * half))
    for top in range(0, mask.height, step):
        ImageDraw.Draw(mask).line((0, top, mask.width, top), fill=90, width=max(1, step // 6))
    return mask


def _crossed(unit: int, half: int) -> Image.Image:
    return ImageChops.lighter(_upright(unit, half), _level(unit, half))


_PATTERNS: Final[Mapping[str, Callable[[int, int], Image.Image]]] = {
    "upright": _upright,
    "level": _level,
    "grid": _crossed,
}
