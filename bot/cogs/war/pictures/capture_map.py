"""The map of a capture: as it is now, with what has changed hands outlined, and what has been cut off."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from bot.cogs.war.pictures.captures import Captures
from bot.cogs.war.pictures.chart import Chart
from bot.cogs.war.pictures.key import Sign
from bot.cogs.war.pictures.strategy_map import Painted, finished, painted
from bot.ui.pictures.canvas import lay
from bot.ui.pictures.hexes import edges
from bot.ui.pictures.rows import Item, draw_glyph
from rules.geometry.hexes import DIRECTIONS, Hex

FLIPPED: Final = "#f8c020"
"""The outline of panels that have changed hands."""

POCKET: Final = "#b01018"
"""The outline of panels that are newly cut off."""

JOINED: Final = "#10703c"
"""The outline of panels that are supplied again."""


def draw_captures(after: Chart, found: Captures) -> bytes:
    """Return the map as it is now as a PNG, with what has changed."""
    made = painted(after, f"Panels captured, turn {after.turn}", [*_signs(found)])
    pockets = [at for panels in found.cut_off.values() for at in panels]
    joined = [at for panels in found.joined.values() for at in panels]
    _outline(made, pockets, POCKET)
    _outline(made, joined, JOINED)
    _outline(made, [flip.at for flip in found.flips], FLIPPED)
    for flip in found.flips:
        x, y = made.grid.middle(flip.at)
        unit = made.grid.unit
        draw_glyph(made.picture, _was(flip.letters), (x + 1.06 * unit, y - 0.66 * unit), max(13, round(unit * 0.8)))
    return finished(made, after, (FLIPPED, POCKET, JOINED))


def _outline(made: Painted, panels: Collection[Hex], colour: str) -> None:
    """Draw a line around each group of panels, along those edges that lie at its border."""
    unit, half, known = made.grid.unit, made.grid.half, {*panels}
    for at in panels:
        ways = tuple(way for way in DIRECTIONS if at.step(way) not in known)
        lay(made.picture, edges(unit, half, ways, max(5.0, unit * 0.3)), made.grid.corner(at), "ink")
        lay(made.picture, edges(unit, half, ways, max(3.0, unit * 0.2)), made.grid.corner(at), colour)


def _was(letters: str) -> Item:
    return Item("disc", letters, "paper", ink="ink", rim="ink")


def _signs(found: Captures) -> Iterator[Sign]:
    """Yield what is drawn on the map."""
    if found.flips:
        yield Sign("Captured", Item("hexagon", " ", FLIPPED, rim="ink"))
        yield Sign("Owner before", _was(found.flips[0].letters))
    if found.cut_off:
        yield Sign("Newly cut off", Item("hexagon", " ", POCKET, rim="ink"))
    if found.joined:
        yield Sign("Back in supply", Item("hexagon", " ", JOINED, rim="ink"))
