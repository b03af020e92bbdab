"""The strategy map, a force's reach, and changes of hands."""

from collections.abc import Collection, Sequence
from functools import partial
from math import hypot
from typing import Final

from bot.cogs.war.pictures import panels
from bot.cogs.war.pictures.changes import Captures, Reach
from bot.cogs.war.pictures.chart import LONE_SCHEME, NEUTRAL_SCHEME, Chart
from bot.ui.pictures import canvas
from bot.ui.pictures.rows import RowItem, draw_row, glyph
from rules.geometry import DIRECTIONS, Hex, find_direction, hex_distance


def draw_map(chart: Chart) -> bytes:
    """Return the map as a PNG."""
    made = panels.empty_map(chart)
    panels.draw_labels(made, chart)
    return _map_png(made, chart)


def _map_png(made: panels.MapCanvas, chart: Chart, keep: Sequence[str] = ()) -> bytes:
    schemes = [NEUTRAL_SCHEME, *(holder.scheme for holder in chart.holders.values())]
    used = (part for scheme in schemes for part in (scheme.land, scheme.pale, scheme.piece))
    return canvas.png(made.picture, (panels.FIGHT, LONE_SCHEME.piece, *used, *keep))


GOAL: Final = "#006c78"  # where a force can go
CAPTURED: Final = "#f8c020"  # what would be captured
_FAINT: Final = 120


def draw_reach(chart: Chart, reach: Reach, *, straight: bool) -> bytes:
    """Return a force's reach as a PNG; `straight` draws spokes."""
    made = panels.empty_map(chart)
    for at in reach.captured:
        made.frame(at, "ink", 0.26)
        made.frame(at, CAPTURED, 0.17)
    if straight:
        _draw_spokes(made, reach)
    made.frame(reach.token.at, "white", 0.3)
    made.frame(reach.token.at, GOAL, 0.2)
    panels.draw_labels(made, chart)
    for at in reach.ends:
        _draw_end(made, at, fight=at in reach.foes)
    _draw_way(made, chart, reach)
    panels.write_heads(made, chart, {reach.token.at, *reach.ends, *reach.way})
    return _map_png(made, chart, (GOAL, CAPTURED))


def _draw_spokes(made: panels.MapCanvas, reach: Reach) -> None:
    start, last = reach.token.at, dict[str, Hex]()
    for at in reach.ends:
        way = find_direction(start, at) or ""
        last[way] = max(last.get(way, at), at, key=partial(hex_distance, start))
    lines = [_outside(made, [made.grid.middle(start), made.grid.middle(at)]) for at in last.values()]
    canvas.draw_lines(made.picture, lines, max(3, made.grid.half * 0.12), GOAL, cover=_FAINT)


def _outside(made: panels.MapCanvas, line: Sequence[canvas.Point]) -> list[canvas.Point]:
    (x, y), (to_x, to_y), *_ = line
    share = min(0.9, 0.6 * made.grid.half / max(1, hypot(to_x - x, to_y - y)))
    return [(x + share * (to_x - x), y + share * (to_y - y)), *line[1:]]


def _draw_end(made: panels.MapCanvas, at: Hex, *, fight: bool) -> None:
    (x, y), unit, half = made.grid.middle(at), made.grid.unit, made.grid.half
    size, middle = max(12, round(half * 0.36)), (x + round(1.2 * unit), y - round(0.4 * half))
    if fight:
        made.frame(at, panels.FIGHT, 0.2)
    else:
        canvas.lay(made.picture, canvas.ring(unit, half, 2.5, 1), made.grid.corner(at), GOAL)
    name, colour = ("cross", panels.FIGHT) if fight else ("disc", GOAL)
    corner = (middle[0] - size // 2, middle[1] - size // 2)
    canvas.lay(made.picture, glyph("disc", size + 8), (corner[0] - 4, corner[1] - 4), "white")
    canvas.lay(made.picture, glyph(name, size), corner, colour)


def _draw_way(made: panels.MapCanvas, chart: Chart, reach: Reach) -> None:
    grid = made.grid
    middles = {ghost: grid.middle(ghost.to) for ghost in reach.ghosts}
    ends = {ghost: (x, y + 0.5 * grid.half) for ghost, (x, y) in middles.items()}
    lines = [
        _outside(
            made,
            [grid.middle(ghost.token.at), *map(grid.middle, reach.way[:-1] if ghost.token == reach.token else ()), end],
        )
        for ghost, end in ends.items()
    ]
    canvas.draw_lines(made.picture, lines, grid.half * 0.2, "white")
    canvas.draw_arrows(made.picture, lines, grid.half * 0.11, "ink", short=round(grid.half * 0.35))
    for ghost, end in ends.items():
        tag, room = panels.tag_of(chart, ghost.token, hollow=True), (3 * grid.unit, grid.half)
        draw_row(made.picture, [tag], end, room, made.letters)


FLIPPED: Final = "#f8c020"  # changed hands
POCKET: Final = "#b01018"  # newly cut off
JOINED: Final = "#10703c"  # supplied again


def draw_captures(after: Chart, found: Captures) -> bytes:
    """Return the map with changes as PNG."""
    made = panels.empty_map(after)
    pockets = [at for some in found.cut_off.values() for at in some]
    joined = [at for some in found.joined.values() for at in some]
    _outline(made, pockets, POCKET)
    _outline(made, joined, JOINED)
    _outline(made, [flip.at for flip in found.flips], FLIPPED)
    panels.draw_labels(made, after)
    for flip in found.flips:
        (x, y), unit, half = made.grid.middle(flip.at), made.grid.unit, made.grid.half
        was = RowItem("chevrons", flip.letters, "paper", ink="ink", rim="ink")
        draw_row(made.picture, [was], (x + 1.1 * unit, y - 0.35 * half), (2 * unit, made.letters), made.letters)
    return _map_png(made, after, (FLIPPED, POCKET, JOINED))


def _outline(made: panels.MapCanvas, places: Collection[Hex], colour: str) -> None:
    unit, half, known = made.grid.unit, made.grid.half, {*places}
    for at in places:
        ways = tuple(way for way in DIRECTIONS if at.step(way) not in known)
        canvas.lay(made.picture, canvas.edges(unit, half, ways, max(5.0, half * 0.17)), made.grid.corner(at), "ink")
        canvas.lay(made.picture, canvas.edges(unit, half, ways, max(3.0, half * 0.12)), made.grid.corner(at), colour)
