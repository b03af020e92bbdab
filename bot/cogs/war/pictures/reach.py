"""The reach of a force over the strategy map: where it can go, what it would capture, and where its followers would stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from bot.cogs.war.pictures.chart import Chart
from bot.cogs.war.pictures.ground import frame
from bot.cogs.war.pictures.key import Sign
from bot.cogs.war.pictures.panels import FIGHT
from bot.cogs.war.pictures.reach_facts import Reach
from bot.cogs.war.pictures.scheme import LONE, Scheme, schemes
from bot.cogs.war.pictures.strategy_map import Painted, finished, painted
from bot.ui.pictures.canvas import lay
from bot.ui.pictures.glyphs import glyph
from bot.ui.pictures.hexes import ring
from bot.ui.pictures.rows import Item, draw_glyph
from bot.ui.pictures.strokes import draw_arrows, draw_lines
from rules.geometry.hexes import Hex, bearing, distance

GOAL: Final = "#006c78"
"""The colour of where a force can go."""

CAPTURED: Final = "#f8c020"
"""The outline of what would be captured."""

_FAINT: Final = 120


def draw_reach(chart: Chart, reach: Reach, *, straight: bool) -> bytes:
    """Return the map with the reach of a force as a PNG; `straight`: it moves along spokes, which are drawn."""
    made = painted(chart, f"Where {reach.token.name} can move, turn {chart.turn}", [*_signs(reach)])
    colours = schemes(chart.holders)
    for at in reach.captured:
        frame(made.picture, made.grid, at, "ink", 0.26)
        frame(made.picture, made.grid, at, CAPTURED, 0.17)
    if straight:
        _draw_spokes(made, reach)
    frame(made.picture, made.grid, reach.token.at, "white", 0.34)
    frame(made.picture, made.grid, reach.token.at, GOAL, 0.24)
    for at in reach.ends:
        _draw_end(made, at, fight=at in reach.foes)
    _draw_way(made, chart, reach, colours)
    return finished(made, chart, (GOAL, CAPTURED))


def _draw_spokes(made: Painted, reach: Reach) -> None:
    """Draw a line from the force to the last panel in each direction."""
    start, last = reach.token.at, dict[str, Hex]()
    for at in reach.ends:
        way = bearing(start, at) or ""
        last[way] = max(last.get(way, at), at, key=partial(distance, start))
    lines = [(made.grid.middle(start), made.grid.middle(at)) for at in last.values()]
    draw_lines(made.picture, lines, max(3, made.grid.unit * 0.2), GOAL, cover=_FAINT)


def _draw_end(made: Painted, at: Hex, *, fight: bool) -> None:
    """Draw a line and a dot in the upper right of a panel, or both in red, with a cross, where a fight begins there."""
    x, y = made.grid.middle(at)
    unit = made.grid.unit
    size, middle = max(12, round(unit * 0.62)), (x + round(1.14 * unit), y - round(0.76 * unit))
    if fight:
        frame(made.picture, made.grid, at, FIGHT, 0.2)
        corner = (middle[0] - size // 2, middle[1] - size // 2)
        lay(made.picture, glyph("disc", size + 8), (corner[0] - 4, corner[1] - 4), "white")
        lay(made.picture, glyph("cross", size), corner, FIGHT)
    else:
        lay(made.picture, ring(unit, made.grid.half, 2.5, 1), made.grid.corner(at), GOAL)
        draw_glyph(made.picture, Item("disc", colour=GOAL), middle, size)


def _draw_way(made: Painted, chart: Chart, reach: Reach, colours: Mapping[str | None, Scheme]) -> None:
    """Draw the way in mind, the followers' arrows, and all of them as hollow pieces where they would stand."""
    grid = made.grid
    ends = {ghost: _aside(made, ghost.to) for ghost in reach.ghosts}
    lines = [
        [grid.middle(ghost.token.at), *map(grid.middle, reach.way[:-1] if ghost.token == reach.token else ()), end]
        for ghost, end in ends.items()
    ]
    draw_lines(made.picture, lines, grid.unit * 0.32, "white")
    draw_arrows(made.picture, lines, grid.unit * 0.18, "ink", short=round(grid.unit * 0.55))
    for ghost, end in ends.items():
        piece = colours.get(ghost.token.faction, LONE).piece
        text = chart.letters(ghost.token.faction) if made.named else str(ghost.token.number)
        hollow = Item(ghost.token.drawn, text, "paper", ink=piece, rim=piece)
        draw_glyph(made.picture, hollow, end, round(grid.unit * 1.05))


def _aside(made: Painted, at: Hex) -> tuple[float, float]:
    """Return where a piece that would come stands beside what is on the panel."""
    x, y = made.grid.middle(at)
    return x - 0.85 * made.grid.unit, y + 0.9 * made.grid.unit


def _signs(reach: Reach) -> Iterator[Sign]:
    """Yield what is drawn on the map for this force."""
    yield Sign(f"{reach.token.name} now", Item("hexagon", " ", GOAL))
    if any(at not in reach.foes for at in reach.ends):
        yield Sign("Can move there", Item("disc", " ", GOAL))
    if reach.foes:
        yield Sign("Starts a battle", Item("cross", colour=FIGHT))
    if reach.captured:
        yield Sign("Captures" if reach.way else "Can capture", Item("hexagon", " ", CAPTURED, rim="ink"))
    if reach.ghosts:
        yield Sign("Would be there", Item("disc", " ", "paper", rim="ink"))
