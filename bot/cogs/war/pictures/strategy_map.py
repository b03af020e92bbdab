"""The strategy map: hexes in the colours of factions, what is on them, and the key below; the reach of a force, and what has changed hands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.cogs.war.pictures.changes import Captures, Reach
from bot.cogs.war.pictures.chart import LONE_SCHEME, NEUTRAL_SCHEME, Chart, MapFaction, holder_words, title_of
from bot.cogs.war.pictures.key import (
    INDENT,
    Block,
    Sign,
    block_of,
    draw_blocks,
    draw_sign,
    height_of,
    line_of,
    scale_of,
)
from bot.cogs.war.pictures.panels import FIGHT, SHIELD, MapCanvas, PanelLand, draw_land, draw_panels, names_fit
from bot.ui.pictures.canvas import (
    MARGIN,
    TITLE_HEIGHT,
    WIDTH,
    Pen,
    draw_arrows,
    draw_lines,
    edges,
    grid_of,
    headline,
    lay,
    png,
    ring,
    sheet,
    solid,
    write,
)
from bot.ui.pictures.lettering import wrap
from bot.ui.pictures.rows import RowItem, draw_glyph, glyph
from rules.geometry import DIRECTIONS, Hex, bearing, hex_distance

_TEXT: Final = 20
_SIGN: Final = 18
_FORCES: Final = 17
_SAMPLE: Final = (9, 15)


class MapKey(Struct, frozen=True):
    """The key: factions with their words wrapped, then marks, and forces by their numbers."""

    width: int
    holders: Sequence[tuple[MapFaction, Sequence[str]]]
    blocks: Sequence[Block]

    @property
    def height(self) -> int:
        """How much room it takes, in pixels."""
        lines = sum(len(lines) for _, lines in self.holders)
        return lines * line_of(self.width) + height_of(self.blocks, self.width)


def key_of(chart: Chart, width: int, *, numbered: bool, more: Sequence[Sign] = ()) -> MapKey:
    """Return the key of a map for a picture of this width, with `more` signs than its own; forces are listed where the map has numbers for them."""
    scale = scale_of(width)
    room = width - 2 * MARGIN - round(INDENT * scale)
    holders = [
        (item, wrap(f"{item.name}: {holder_words(item)}", round(_TEXT * scale), room))
        for item in chart.holders.values()
    ]
    blocks = [block_of([*_mark_signs(chart, scale), *more], _SIGN, width)]
    if numbered and chart.layer != "income":
        blocks.append(block_of([*_force_signs(chart)], _FORCES, width))
    return MapKey(width, holders, [block for block in blocks if block.signs])


def draw_key(picture: Image.Image, key: MapKey, top: int) -> None:
    """Draw a key whose first line begins at this height."""
    scale, line, letters = scale_of(key.width), line_of(key.width), round(_TEXT * scale_of(key.width))
    for holder, lines in key.holders:
        middle = top + line // 2
        draw_sign(picture, Sign("", patch=_patch(PanelLand(holder.scheme), scale)), (MARGIN, middle), (key.width, 9))
        initials = Pen(round(17 * scale), bold=True)
        write(picture, holder.letters, (MARGIN + 20 * scale, middle), initials, align=0.5)
        for number, text in enumerate(lines):
            write(picture, text, (MARGIN + INDENT * scale, middle + number * line), Pen(letters))
        top += line * len(lines)
    draw_blocks(picture, key.blocks, top)


def _force_signs(chart: Chart) -> Iterator[Sign]:
    shown = {lot.at for lot in chart.lots}
    for token in (token for token in chart.tokens if token.at in shown):
        item = RowItem(token.drawn, str(token.number), chart.scheme(token.faction, LONE_SCHEME).piece)
        yield Sign(f"{token.name} ({token.at})", item)


def _patch(land: PanelLand, scale: float) -> tuple[Image.Image, Image.Image]:
    unit, half = (round(side * scale) for side in _SAMPLE)
    return draw_land(unit, half, land), solid(unit, half)


def _mark_signs(chart: Chart, scale: float) -> Iterator[Sign]:
    if any(lot.owner is None for lot in chart.lots):
        yield Sign("Neutral", patch=_patch(PanelLand(NEUTRAL_SCHEME), scale))
    cut = next((lot.owner for lot in chart.lots if lot.cut_off), None)
    if cut is not None:
        yield Sign("Cut off", patch=_patch(PanelLand(chart.holders[cut].scheme, cut_off=True), scale))
    if not all(lot.seen for lot in chart.lots):
        yield Sign("Out of sight", patch=_patch(PanelLand(NEUTRAL_SCHEME, veiled=True), scale))
    if chart.layer != "income":
        kinds = {token.drawn: token.kind for token in chart.tokens}
        yield from (Sign(label, RowItem(drawn)) for drawn, label in kinds.items())
    if chart.layer == "control":
        yield from _kinds(chart)
    if chart.layer == "supply":
        yield Sign("Supply source", RowItem("star"))
    if chart.layer == "income":
        yield Sign("Gold a turn", RowItem(None, "12"))
        yield Sign("Not paid out", RowItem(None, "(12)", "muted"))
        if not all(lot.seen for lot in chart.lots):
            yield Sign("Or more", RowItem(None, "12+"))
    if any(lot.fight for lot in chart.lots) and chart.layer != "income":
        yield Sign("Fight", RowItem("cross", colour=FIGHT))


def _kinds(chart: Chart) -> Iterator[Sign]:
    kinds = {lot.mark: lot.kind for lot in chart.lots if lot.mark}
    yield from (Sign(label, RowItem(mark)) for mark, label in kinds.items())
    if any(lot.bonus for lot in chart.lots):
        yield Sign("Bonus gold", RowItem(None, "+10"))
    if any(lot.facility for lot in chart.lots):
        yield Sign("Facility", RowItem("works"))
    if any(lot.garrison for lot in chart.lots):
        yield Sign("Garrison", RowItem("people", "2", SHIELD))


_USUAL: Final = 620
"""About twice what a telephone shows, so that the letters can be read there."""

_HIGHEST: Final = 1500
"""The greatest height of the hexes together, in pixels."""


def draw_map(chart: Chart) -> bytes:
    """Return the strategy map as a PNG."""
    return map_png(draw_base_map(chart, title_of(chart)), chart)


def map_png(made: MapCanvas, chart: Chart, keep: Sequence[str] = ()) -> bytes:
    """Return a map as a PNG; `keep` are rare colours that are drawn on it."""
    schemes = [NEUTRAL_SCHEME, *(holder.scheme for holder in chart.holders.values())]
    used = (part for scheme in schemes for part in (scheme.land, scheme.pale, scheme.piece))
    return png(made.picture, (FIGHT, LONE_SCHEME.piece, *used, *keep))


def draw_base_map(chart: Chart, title: str, more: Sequence[Sign] = ()) -> MapCanvas:
    """Return the strategy map as a picture of full colour, under a title; `more` are signs for what is yet to be drawn on it."""
    room = (_USUAL - 2 * MARGIN, WIDTH - 2 * MARGIN, _HIGHEST)
    grid = grid_of([*(lot.at for lot in chart.lots), *chart.blocked], TITLE_HEIGHT, room)
    width = grid.width + 2 * MARGIN
    named = names_fit(grid, chart)
    key = key_of(chart, width, numbered=not named, more=more)
    foot = TITLE_HEIGHT + grid.height + 16
    picture = sheet(width, foot + key.height + MARGIN)
    headline(picture, title, width - 2 * MARGIN)
    canvas = MapCanvas(picture, grid, named)
    draw_panels(canvas, chart)
    draw_key(picture, key, foot)
    return canvas


GOAL: Final = "#006c78"
"""The colour of where a force can go."""

CAPTURED: Final = "#f8c020"
"""The outline of what would be captured."""

_FAINT: Final = 120


def draw_reach(chart: Chart, reach: Reach, *, straight: bool) -> bytes:
    """Return the map with the reach of a force as a PNG; `straight`: it moves along spokes, which are drawn."""
    made = draw_base_map(chart, f"Where {reach.token.name} can move, turn {chart.turn}", [*_reach_signs(reach)])
    for at in reach.captured:
        made.frame(at, "ink", 0.26)
        made.frame(at, CAPTURED, 0.17)
    if straight:
        _draw_spokes(made, reach)
    made.frame(reach.token.at, "white", 0.34)
    made.frame(reach.token.at, GOAL, 0.24)
    for at in reach.ends:
        _draw_end(made, at, fight=at in reach.foes)
    _draw_way(made, chart, reach)
    return map_png(made, chart, (GOAL, CAPTURED))


def _draw_spokes(made: MapCanvas, reach: Reach) -> None:
    """Draw a line from the force to the last panel in each direction."""
    start, last = reach.token.at, dict[str, Hex]()
    for at in reach.ends:
        way = bearing(start, at) or ""
        last[way] = max(last.get(way, at), at, key=partial(hex_distance, start))
    lines = [(made.grid.middle(start), made.grid.middle(at)) for at in last.values()]
    draw_lines(made.picture, lines, max(3, made.grid.unit * 0.2), GOAL, cover=_FAINT)


def _draw_end(made: MapCanvas, at: Hex, *, fight: bool) -> None:
    """Draw a line and a dot in the upper right of a panel, or both in red, with a cross, where a fight begins there."""
    x, y = made.grid.middle(at)
    unit = made.grid.unit
    size, middle = max(12, round(unit * 0.62)), (x + round(1.14 * unit), y - round(0.76 * unit))
    if fight:
        made.frame(at, FIGHT, 0.2)
        corner = (middle[0] - size // 2, middle[1] - size // 2)
        lay(made.picture, glyph("disc", size + 8), (corner[0] - 4, corner[1] - 4), "white")
        lay(made.picture, glyph("cross", size), corner, FIGHT)
    else:
        lay(made.picture, ring(unit, made.grid.half, 2.5, 1), made.grid.corner(at), GOAL)
        draw_glyph(made.picture, RowItem("disc", colour=GOAL), middle, size)


def _draw_way(made: MapCanvas, chart: Chart, reach: Reach) -> None:
    """Draw the way in mind, the followers' arrows, and all of them as hollow pieces where they would be."""
    grid = made.grid
    ends = {ghost: _place_beside(made, ghost.to) for ghost in reach.ghosts}
    lines = [
        [grid.middle(ghost.token.at), *map(grid.middle, reach.way[:-1] if ghost.token == reach.token else ()), end]
        for ghost, end in ends.items()
    ]
    draw_lines(made.picture, lines, grid.unit * 0.32, "white")
    draw_arrows(made.picture, lines, grid.unit * 0.18, "ink", short=round(grid.unit * 0.55))
    for ghost, end in ends.items():
        piece = chart.scheme(ghost.token.faction, LONE_SCHEME).piece
        text = chart.letters(ghost.token.faction) if made.named else str(ghost.token.number)
        hollow = RowItem(ghost.token.drawn, text, "paper", ink=piece, rim=piece)
        draw_glyph(made.picture, hollow, end, round(grid.unit * 1.05))


def _place_beside(made: MapCanvas, at: Hex) -> tuple[float, float]:
    """Return where a piece that would come is drawn next to what is on the panel."""
    x, y = made.grid.middle(at)
    return x - 0.85 * made.grid.unit, y + 0.9 * made.grid.unit


def _reach_signs(reach: Reach) -> Iterator[Sign]:
    yield Sign(f"{reach.token.name} now", RowItem("hexagon", " ", GOAL))
    if any(at not in reach.foes for at in reach.ends):
        yield Sign("Can move there", RowItem("disc", " ", GOAL))
    if reach.foes:
        yield Sign("Starts a battle", RowItem("cross", colour=FIGHT))
    if reach.captured:
        yield Sign("Captures" if reach.way else "Can capture", RowItem("hexagon", " ", CAPTURED, rim="ink"))
    if reach.ghosts:
        yield Sign("Would be there", RowItem("disc", " ", "paper", rim="ink"))


FLIPPED: Final = "#f8c020"
"""The outline of panels that have changed hands."""

POCKET: Final = "#b01018"
"""The outline of panels that are newly cut off."""

JOINED: Final = "#10703c"
"""The outline of panels that are supplied again."""


def draw_captures(after: Chart, found: Captures) -> bytes:
    """Return the map as it is now as a PNG, with what has changed."""
    made = draw_base_map(after, f"Panels captured, turn {after.turn}", [*_capture_signs(found)])
    pockets = [at for panels in found.cut_off.values() for at in panels]
    joined = [at for panels in found.joined.values() for at in panels]
    _outline(made, pockets, POCKET)
    _outline(made, joined, JOINED)
    _outline(made, [flip.at for flip in found.flips], FLIPPED)
    for flip in found.flips:
        x, y = made.grid.middle(flip.at)
        unit = made.grid.unit
        draw_glyph(
            made.picture, _owner_before(flip.letters), (x + 1.06 * unit, y - 0.66 * unit), max(13, round(unit * 0.8))
        )
    return map_png(made, after, (FLIPPED, POCKET, JOINED))


def _outline(made: MapCanvas, panels: Collection[Hex], colour: str) -> None:
    """Draw a line around each group of panels, along those edges that lie at its border."""
    unit, half, known = made.grid.unit, made.grid.half, {*panels}
    for at in panels:
        ways = tuple(way for way in DIRECTIONS if at.step(way) not in known)
        lay(made.picture, edges(unit, half, ways, max(5.0, unit * 0.3)), made.grid.corner(at), "ink")
        lay(made.picture, edges(unit, half, ways, max(3.0, unit * 0.2)), made.grid.corner(at), colour)


def _owner_before(letters: str) -> RowItem:
    return RowItem("disc", letters, "paper", ink="ink", rim="ink")


def _capture_signs(found: Captures) -> Iterator[Sign]:
    if found.flips:
        yield Sign("Captured", RowItem("hexagon", " ", FLIPPED, rim="ink"))
        yield Sign("Owner before", _owner_before(found.flips[0].letters))
    if found.cut_off:
        yield Sign("Newly cut off", RowItem("hexagon", " ", POCKET, rim="ink"))
    if found.joined:
        yield Sign("Back in supply", RowItem("hexagon", " ", JOINED, rim="ink"))
