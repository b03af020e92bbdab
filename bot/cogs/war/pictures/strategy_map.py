"""The strategy map, a force's reach, and changes of hands."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.cogs.war.pictures import panels
from bot.cogs.war.pictures.changes import Captures, Reach
from bot.cogs.war.pictures.chart import LONE_SCHEME, NEUTRAL_SCHEME, Chart, MapFaction, holder_words, title_of
from bot.ui.pictures import canvas
from bot.ui.pictures.rows import RowItem, draw_glyph, glyph
from rules.geometry import DIRECTIONS, Hex, find_direction, hex_distance

_TEXT: Final = 20
_SIGN: Final = 18
_FORCES: Final = 17
_SAMPLE: Final = (9, 15)


class MapKey(Struct, frozen=True):
    """The key: wrapped factions, marks, and numbered forces."""

    width: int
    holders: Sequence[tuple[MapFaction, Sequence[str]]]
    blocks: Sequence[panels.Block]

    @property
    def height(self) -> int:
        """The key's height in pixels."""
        lines = sum(len(lines) for _, lines in self.holders)
        return lines * panels.line_of(self.width) + panels.height_of(self.blocks, self.width)


def _key_of(chart: Chart, width: int, *, numbered: bool, more: Sequence[panels.Sign] = ()) -> MapKey:
    scale = panels.scale_of(width)
    room = width - 2 * canvas.MARGIN - round(panels.INDENT * scale)
    holders = [
        (item, canvas.wrap(f"{item.name}: {holder_words(item)}", round(_TEXT * scale), room))
        for item in chart.holders.values()
    ]
    blocks = [panels.block_of([*_mark_signs(chart, scale), *more], _SIGN, width)]
    if numbered and chart.layer != "income":
        blocks.append(panels.block_of([*_force_signs(chart)], _FORCES, width))
    return MapKey(width, holders, [block for block in blocks if block.signs])


def _draw_key(picture: Image.Image, legend: MapKey, top: int) -> None:
    scale, line = panels.scale_of(legend.width), panels.line_of(legend.width)
    for holder, lines in legend.holders:
        middle = top + line // 2
        land = panels.Sign("", patch=_patch(panels.PanelLand(holder.scheme), scale))
        panels.draw_sign(picture, land, (canvas.MARGIN, middle), (legend.width, 9))
        initials = canvas.Pen(round(17 * scale), bold=True)
        canvas.write(picture, holder.letters, (canvas.MARGIN + 20 * scale, middle), initials, align=0.5)
        left, letters = canvas.MARGIN + panels.INDENT * scale, canvas.Pen(round(_TEXT * scale))
        for number, text in enumerate(lines):
            canvas.write(picture, text, (left, middle + number * line), letters)
        top += line * len(lines)
    panels.draw_blocks(picture, legend.blocks, top)


def _force_signs(chart: Chart) -> Iterator[panels.Sign]:
    shown = {lot.at for lot in chart.lots}
    for token in (token for token in chart.tokens if token.at in shown):
        item = RowItem(token.drawn, str(token.number), chart.scheme(token.faction, LONE_SCHEME).piece)
        yield panels.Sign(f"{token.name} ({token.at})", item)


def _patch(land: panels.PanelLand, scale: float) -> tuple[Image.Image, Image.Image]:
    unit, half = (round(side * scale) for side in _SAMPLE)
    return panels.draw_land(unit, half, land), canvas.make_solid_mask(unit, half)


def _mark_signs(chart: Chart, scale: float) -> Iterator[panels.Sign]:
    if any(lot.owner is None for lot in chart.lots):
        yield panels.Sign("Neutral", patch=_patch(panels.PanelLand(NEUTRAL_SCHEME), scale))
    cut = next((lot.owner for lot in chart.lots if lot.cut_off), None)
    if cut is not None:
        yield panels.Sign("Cut off", patch=_patch(panels.PanelLand(chart.holders[cut].scheme, cut_off=True), scale))
    if not all(lot.seen for lot in chart.lots):
        yield panels.Sign("Out of sight", patch=_patch(panels.PanelLand(NEUTRAL_SCHEME, veiled=True), scale))
    if chart.layer != "income":
        kinds = {token.drawn: token.kind for token in chart.tokens}
        yield from (panels.Sign(label, RowItem(drawn)) for drawn, label in kinds.items())
    if chart.layer == "control":
        yield from _list_kind_signs(chart)
    if chart.layer == "supply":
        yield panels.Sign("Supply source", RowItem("star"))
    if chart.layer == "income":
        yield panels.Sign("Gold a turn", RowItem(None, "12"))
        yield panels.Sign("Not paid out", RowItem(None, "(12)", "muted"))
        if not all(lot.seen for lot in chart.lots):
            yield panels.Sign("Or more", RowItem(None, "12+"))
    if any(lot.fight for lot in chart.lots) and chart.layer != "income":
        yield panels.Sign("Fight", RowItem("cross", colour=panels.FIGHT))


def _list_kind_signs(chart: Chart) -> Iterator[panels.Sign]:
    kinds = {lot.mark: lot.kind for lot in chart.lots if lot.mark}
    yield from (panels.Sign(label, RowItem(mark)) for mark, label in kinds.items())
    if any(lot.bonus for lot in chart.lots):
        yield panels.Sign("Bonus gold", RowItem(None, "+10"))
    if any(lot.facility for lot in chart.lots):
        yield panels.Sign("Facility", RowItem("works"))
    if any(lot.garrison for lot in chart.lots):
        yield panels.Sign("Garrison", RowItem("people", "2", panels.SHIELD))


_USUAL: Final = 620  # about twice a phone's width, so letters stay readable
_HIGHEST: Final = 1500  # of all hexes, in pixels


def draw_map(chart: Chart) -> bytes:
    """Return the map as a PNG."""
    return _map_png(draw_base_map(chart, title_of(chart)), chart)


def _map_png(made: panels.MapCanvas, chart: Chart, keep: Sequence[str] = ()) -> bytes:
    schemes = [NEUTRAL_SCHEME, *(holder.scheme for holder in chart.holders.values())]
    used = (part for scheme in schemes for part in (scheme.land, scheme.pale, scheme.piece))
    return canvas.png(made.picture, (panels.FIGHT, LONE_SCHEME.piece, *used, *keep))


def draw_base_map(chart: Chart, title: str, more: Sequence[panels.Sign] = ()) -> panels.MapCanvas:
    """Return the map in full colour, with `more` signs in its key."""
    room = (_USUAL - 2 * canvas.MARGIN, canvas.WIDTH - 2 * canvas.MARGIN, _HIGHEST)
    grid = canvas.grid_of([*(lot.at for lot in chart.lots), *chart.blocked], canvas.TITLE_HEIGHT, room)
    width = grid.width + 2 * canvas.MARGIN
    named = panels.names_fit(grid, chart)
    legend = _key_of(chart, width, numbered=not named, more=more)
    foot = canvas.TITLE_HEIGHT + grid.height + 16
    picture = canvas.sheet(width, foot + legend.height + canvas.MARGIN)
    canvas.headline(picture, title, width - 2 * canvas.MARGIN)
    made = panels.MapCanvas(picture, grid, named)
    panels.draw_panels(made, chart)
    _draw_key(picture, legend, foot)
    return made


GOAL: Final = "#006c78"  # where a force can go
CAPTURED: Final = "#f8c020"  # what would be captured
_FAINT: Final = 120


def draw_reach(chart: Chart, reach: Reach, *, straight: bool) -> bytes:
    """Return a force's reach as a PNG; `straight` draws spokes."""
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
    return _map_png(made, chart, (GOAL, CAPTURED))


def _draw_spokes(made: panels.MapCanvas, reach: Reach) -> None:
    start, last = reach.token.at, dict[str, Hex]()
    for at in reach.ends:
        way = find_direction(start, at) or ""
        last[way] = max(last.get(way, at), at, key=partial(hex_distance, start))
    lines = [(made.grid.middle(start), made.grid.middle(at)) for at in last.values()]
    canvas.draw_lines(made.picture, lines, max(3, made.grid.unit * 0.2), GOAL, cover=_FAINT)


def _draw_end(made: panels.MapCanvas, at: Hex, *, fight: bool) -> None:
    x, y = made.grid.middle(at)
    unit = made.grid.unit
    size, middle = max(12, round(unit * 0.62)), (x + round(1.14 * unit), y - round(0.76 * unit))
    if fight:
        made.frame(at, panels.FIGHT, 0.2)
        corner = (middle[0] - size // 2, middle[1] - size // 2)
        canvas.lay(made.picture, glyph("disc", size + 8), (corner[0] - 4, corner[1] - 4), "white")
        canvas.lay(made.picture, glyph("cross", size), corner, panels.FIGHT)
    else:
        canvas.lay(made.picture, canvas.ring(unit, made.grid.half, 2.5, 1), made.grid.corner(at), GOAL)
        draw_glyph(made.picture, RowItem("disc", colour=GOAL), middle, size)


def _draw_way(made: panels.MapCanvas, chart: Chart, reach: Reach) -> None:
    grid = made.grid
    middles = {ghost: grid.middle(ghost.to) for ghost in reach.ghosts}
    ends = {ghost: (x - 0.85 * grid.unit, y + 0.9 * grid.unit) for ghost, (x, y) in middles.items()}
    lines = [
        [grid.middle(ghost.token.at), *map(grid.middle, reach.way[:-1] if ghost.token == reach.token else ()), end]
        for ghost, end in ends.items()
    ]
    canvas.draw_lines(made.picture, lines, grid.unit * 0.32, "white")
    canvas.draw_arrows(made.picture, lines, grid.unit * 0.18, "ink", short=round(grid.unit * 0.55))
    for ghost, end in ends.items():
        piece = chart.scheme(ghost.token.faction, LONE_SCHEME).piece
        text = chart.letters(ghost.token.faction) if made.named else str(ghost.token.number)
        hollow = RowItem(ghost.token.drawn, text, "paper", ink=piece, rim=piece)
        draw_glyph(made.picture, hollow, end, round(grid.unit * 1.05))


def _reach_signs(reach: Reach) -> Iterator[panels.Sign]:
    yield panels.Sign(f"{reach.token.name} now", RowItem("hexagon", " ", GOAL))
    if any(at not in reach.foes for at in reach.ends):
        yield panels.Sign("Can move there", RowItem("disc", " ", GOAL))
    if reach.foes:
        yield panels.Sign("Starts a battle", RowItem("cross", colour=panels.FIGHT))
    if reach.captured:
        yield panels.Sign("Captures" if reach.way else "Can capture", RowItem("hexagon", " ", CAPTURED, rim="ink"))
    if reach.ghosts:
        yield panels.Sign("Would be there", RowItem("disc", " ", "paper", rim="ink"))


FLIPPED: Final = "#f8c020"  # changed hands
POCKET: Final = "#b01018"  # newly cut off
JOINED: Final = "#10703c"  # supplied again


def draw_captures(after: Chart, found: Captures) -> bytes:
    """Return the map with what changed as a PNG."""
    made = draw_base_map(after, f"Panels captured, turn {after.turn}", [*_capture_signs(found)])
    pockets = [at for some in found.cut_off.values() for at in some]
    joined = [at for some in found.joined.values() for at in some]
    _outline(made, pockets, POCKET)
    _outline(made, joined, JOINED)
    _outline(made, [flip.at for flip in found.flips], FLIPPED)
    for flip in found.flips:
        (x, y), unit = made.grid.middle(flip.at), made.grid.unit
        place = (x + 1.06 * unit, y - 0.66 * unit)
        draw_glyph(made.picture, _owner_before(flip.letters), place, max(13, round(unit * 0.8)))
    return _map_png(made, after, (FLIPPED, POCKET, JOINED))


def _outline(made: panels.MapCanvas, places: Collection[Hex], colour: str) -> None:
    unit, half, known = made.grid.unit, made.grid.half, {*places}
    for at in places:
        ways = tuple(way for way in DIRECTIONS if at.step(way) not in known)
        canvas.lay(made.picture, canvas.edges(unit, half, ways, max(5.0, unit * 0.3)), made.grid.corner(at), "ink")
        canvas.lay(made.picture, canvas.edges(unit, half, ways, max(3.0, unit * 0.2)), made.grid.corner(at), colour)


def _owner_before(letters: str) -> RowItem:
    return RowItem("disc", letters, "paper", ink="ink", rim="ink")


def _capture_signs(found: Captures) -> Iterator[panels.Sign]:
    if found.flips:
        yield panels.Sign("Captured", RowItem("hexagon", " ", FLIPPED, rim="ink"))
        yield panels.Sign("Owner before", _owner_before(found.flips[0].letters))
    if found.cut_off:
        yield panels.Sign("Newly cut off", RowItem("hexagon", " ", POCKET, rim="ink"))
    if found.joined:
        yield panels.Sign("Back in supply", RowItem("hexagon", " ", JOINED, rim="ink"))
