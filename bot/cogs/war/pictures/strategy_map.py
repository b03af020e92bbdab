"""The strategy map: hexes in the colours of factions, with what stands on them, and the key below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.cogs.war.pictures.chart import Chart
from bot.cogs.war.pictures.key import Sign
from bot.cogs.war.pictures.map_key import draw_key, key_of
from bot.cogs.war.pictures.panels import FIGHT, draw_panels, style_of
from bot.cogs.war.pictures.scheme import LONE, schemes
from bot.cogs.war.pictures.words import title_of
from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, WIDTH, headline, png, sheet
from bot.ui.pictures.hexes import Grid, grid_of

_USUAL: Final = 620
"""About twice what a telephone shows, so that the letters can be read there."""

_HIGHEST: Final = 1500
"""The greatest height of the hexes together, in pixels."""


class Painted(Struct, frozen=True):
    """A map that more can be drawn on, where its panels are, and whether forces are `named` on them or have numbers."""

    picture: Image.Image
    grid: Grid
    named: bool


def draw_map(chart: Chart) -> bytes:
    """Return the strategy map as a PNG."""
    return finished(painted(chart, title_of(chart)), chart)


def finished(made: Painted, chart: Chart, keep: Sequence[str] = ()) -> bytes:
    """Return a map as a PNG; `keep` are rare colours that are drawn on it."""
    used = (part for scheme in schemes(chart.holders).values() for part in (scheme.land, scheme.pale, scheme.piece))
    return png(made.picture, (FIGHT, LONE.piece, *used, *keep))


def painted(chart: Chart, title: str, more: Sequence[Sign] = ()) -> Painted:
    """Return the strategy map as a picture of full colour, under a title; `more` are signs for what is yet to be drawn on it."""
    colours = schemes(chart.holders)
    room = (_USUAL - 2 * MARGIN, WIDTH - 2 * MARGIN, _HIGHEST)
    grid = grid_of([*(lot.at for lot in chart.lots), *chart.blocked], TITLE_HEIGHT, room)
    width = grid.width + 2 * MARGIN
    style = style_of(grid, chart)
    key = key_of(chart, colours, width, numbered=not style.named, more=more)
    foot = TITLE_HEIGHT + grid.height + 16
    picture = sheet(width, foot + key.height + MARGIN)
    headline(picture, title, width - 2 * MARGIN)
    draw_panels(picture, style, chart, colours)
    draw_key(picture, key, foot, colours)
    return Painted(picture, grid, style.named)
