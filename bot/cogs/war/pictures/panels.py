"""The panels of a map: land, coordinates, the letters of owners, marks of kinds, facilities, and forces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.cogs.war.pictures.chart import LONE_SCHEME, NEUTRAL_SCHEME, Chart, MapForce, MapPanel, Scheme
from bot.ui.pictures.canvas import Grid, Pen, edges, face, lay, ring, shape, sheet, solid, write
from bot.ui.pictures.lettering import length, wrap
from bot.ui.pictures.rows import RowItem, draw_row
from rules.geometry import DIRECTIONS, Hex

BLOCKED: Final = "#3d434b"
"""The colour of blocked panels."""

_GAP: Final = "#f6f7f9"
_VEIL: Final = "#7d858f"


class PanelLand(Struct, frozen=True):
    """Empty land: its colours, whether it is cut off, whether what is there is `veiled`, and in which directions a border runs."""

    scheme: Scheme
    cut_off: bool = False
    veiled: bool = False
    ways: tuple[str, ...] = ()

    @property
    def fill(self) -> str:
        """Its colour between lines."""
        return self.scheme.pale if self.cut_off else self.scheme.land


@lru_cache(64)
def draw_land(unit: int, half: int, land: PanelLand) -> Image.Image:
    """Draw an empty panel in its box."""
    scheme, cut_off = land.scheme, land.cut_off
    picture = sheet(4 * unit, 2 * half, land.fill)
    whole = face(unit, half)
    if scheme.pattern and not cut_off:
        lay(picture, ImageChops.darker(_PATTERNS[scheme.pattern](unit, half), whole), (0, 0), scheme.line)
    if cut_off:
        lay(picture, ImageChops.darker(_hatching(unit, half), whole), (0, 0), scheme.line)
    if land.veiled:
        lay(picture, ImageChops.darker(_dots(unit, half), whole), (0, 0), _VEIL)
    lay(picture, edges(unit, half, land.ways, max(2.0, unit * 0.17)), (0, 0), scheme.line)
    lay(picture, ring(unit, half, 1), (0, 0), _GAP)
    return picture


@lru_cache(16)
def _hatching(unit: int, half: int) -> Image.Image:
    step = max(6, round(unit * 0.5))
    fine = Image.new("L", (8 * unit, 4 * half))
    draw = ImageDraw.Draw(fine)
    for start in range(-fine.height, fine.width, 2 * step):
        draw.line((start, fine.height, start + fine.height, 0), fill=150, width=max(2, round(step * 0.45)))
    return fine.reduce(2)


@lru_cache(16)
def _dots(unit: int, half: int) -> Image.Image:
    step = max(5, round(unit * 0.5))
    fine = Image.new("L", (8 * unit, 4 * half))
    draw = ImageDraw.Draw(fine)
    for row, top in enumerate(range(0, fine.height, 2 * step)):
        for left in range(step * (row % 2), fine.width, 2 * step):
            draw.ellipse((left, top, left + step * 0.55, top + step * 0.55), fill=220)
    return fine.reduce(2)


@lru_cache(16)
def _stripes(unit: int, half: int, *, upright: bool) -> Image.Image:
    step, mask = max(6, round(unit * 0.5)), Image.new("L", (4 * unit, 2 * half))
    for start in range(0, mask.width if upright else mask.height, step):
        line = (start, 0, start, mask.height) if upright else (0, start, mask.width, start)
        ImageDraw.Draw(mask).line(line, fill=90, width=max(1, step // 6))
    return mask


def _grid(unit: int, half: int) -> Image.Image:
    return ImageChops.lighter(_stripes(unit, half, upright=True), _stripes(unit, half, upright=False))


_PATTERNS: Final[Mapping[str, Callable[[int, int], Image.Image]]] = {
    "upright": partial(_stripes, upright=True),
    "level": partial(_stripes, upright=False),
    "grid": _grid,
}


FIGHT: Final = "#b3141d"
"""The colour of fights, and of whatever is the enemy's."""

SHIELD: Final = "#3b3f45"
"""The colour of garrisons."""

_MOST: Final = 3
"""Forces that are drawn side by side on one panel; of more, their number is."""

_WIDE: Final = 26
_DENSE: Final = 17
_SLOPE: Final = 1.732


class MapCanvas(Struct, frozen=True):
    """A map that more can be drawn on, where its panels are, and whether forces are `named` on them or have numbers."""

    picture: Image.Image
    grid: Grid
    named: bool

    @property
    def dense(self) -> bool:
        """Whether panels are too small for coordinates above a force."""
        return self.grid.unit < _DENSE

    def frame(self, at: Hex, colour: str, share: float) -> None:
        """Draw a thick line along the inside of a panel's edge."""
        lay(
            self.picture,
            ring(self.grid.unit, self.grid.half, max(3.0, self.grid.unit * share), 1),
            self.grid.corner(at),
            colour,
        )


class PanelFace(Struct, frozen=True):
    """A panel as it is drawn: land, the letters of its owner, its coordinates, what is in its middle and below, and the lines of a name."""

    unit: int
    half: int
    land: PanelLand
    letters: str
    head: str
    body: tuple[RowItem, ...]
    foot: tuple[RowItem, ...]
    name: tuple[str, ...]


def names_fit(grid: Grid, chart: Chart) -> bool:
    """Return whether the names of all forces fit, one on a panel, on two lines; else they have numbers."""
    return grid.unit >= _WIDE and all(
        len(lot.forces) <= 1 and all(_lines(grid.unit, token) for token in chart.on(lot)) for lot in chart.lots
    )


def draw_panels(canvas: MapCanvas, chart: Chart) -> None:
    """Draw all panels, and blocked ones."""
    grid, picture = canvas.grid, canvas.picture
    owners = {lot.at: lot.owner for lot in chart.lots}
    whole = solid(grid.unit, grid.half)
    for lot in chart.lots:
        ways = [way for way in DIRECTIONS if owners.get(lot.at.step(way)) != lot.owner] if lot.owner else []
        land = PanelLand(chart.scheme(lot.owner, NEUTRAL_SCHEME), lot.cut_off, not lot.seen, tuple(ways))
        picture.paste(_draw_face(_face(canvas, chart, lot, land)), grid.corner(lot.at), whole)
    for at in chart.blocked:
        lay(picture, face(grid.unit, grid.half, 1), grid.corner(at), BLOCKED)


def _face(canvas: MapCanvas, chart: Chart, lot: MapPanel, land: PanelLand) -> PanelFace:
    grid, letters = canvas.grid, chart.letters(lot.owner)
    forces, marks = [*_forces(canvas, chart, lot)], [*_MARKS[chart.layer](lot)] if chart.layer in _MARKS else []
    body, foot = (forces, marks) if forces else (marks[:2], marks[2:])
    tokens = () if chart.layer == "income" else chart.on(lot)
    head = "" if canvas.dense and tokens else str(lot.at)
    name = tuple(_lines(grid.unit, tokens[0])) if canvas.named and tokens else ()
    if len(name) > 1:
        body, foot = [*forces, *marks], []
    return PanelFace(grid.unit, grid.half, land, letters, head, tuple(body), tuple(foot), name)


@lru_cache(256)
def _draw_face(look: PanelFace) -> Image.Image:
    """Draw a panel as it looks, in its box; maps of one war after another have most of them in common."""
    unit, half, land, x = look.unit, look.half, look.land, 2 * look.unit
    picture = draw_land(unit, half, land).copy()
    if look.letters:
        size = min(24, max(9, round(unit * (0.9 if len(look.letters) < 2 else 0.7))))  # noqa: PLR2004 - one letter
        write(picture, look.letters, (0.64 * unit, half), Pen(size, land.scheme.piece, bold=True), align=0.5)
    if look.name:
        draw_row(picture, look.body, (x + 0.2 * unit, half - 0.42 * unit), (round(2.6 * unit), round(unit * 0.96)))
    elif look.head:
        draw_row(picture, look.body, (x + 0.2 * unit, half + 0.08 * unit), (round(2.4 * unit), round(unit * 1.35)))
    else:
        draw_row(picture, look.body, (x + 0.15 * unit, half - 0.15 * unit), (round(2.7 * unit), round(unit * 2.4)))
    below = 0.62 if look.head else 0.5
    draw_row(picture, look.foot, (x, 2 * half - below * unit), (round(2.3 * unit), round(unit * 0.86)))
    size, under = _letters(unit), land.fill if land.cut_off or land.veiled or land.scheme.pattern else None
    _write_on_ground(picture, look.head, (x, size * 0.5 + unit * 0.16), size, under)
    for line, down in zip(look.name, _heights(unit, len(look.name)), strict=True):
        _write_on_ground(picture, line, (x, half + down), _name_size(unit), under)
    return picture


def _write_on_ground(picture: Image.Image, text: str, at: tuple[float, float], size: int, under: str | None) -> None:
    """Write letters, on a plain ground where there is a pattern (`under`)."""
    if not text:
        return
    if under is not None:
        box = (length(text, size) + 8, size + 3)
        lay(picture, shape(box, radius=5), (int(at[0] - box[0] / 2), int(at[1] - box[1] / 2)), under)
    write(picture, text, at, Pen(size), align=0.5)


def _forces(canvas: MapCanvas, chart: Chart, lot: MapPanel) -> Iterator[RowItem]:
    """Yield the pieces on a panel, crossed swords between those that fight, a question mark where that isn't known."""
    if chart.layer == "income":
        return
    tokens = chart.on(lot)
    for place, token in enumerate(tokens[:_MOST]):
        if place == 1 and lot.fight:
            yield RowItem("cross", colour=FIGHT, share=0.7)
        text = chart.letters(token.faction) if canvas.named else str(token.number)
        yield RowItem(token.drawn, text, chart.scheme(token.faction, LONE_SCHEME).piece)
    if len(tokens) > _MOST:
        yield RowItem(None, f"+{len(tokens) - _MOST}")
    if lot.fight and len(tokens) <= 1:
        yield RowItem("cross", colour=FIGHT, share=0.7)
    if not lot.seen and not tokens:
        yield RowItem(None, "?", "muted")


def _kind_marks(lot: MapPanel) -> Iterator[RowItem]:
    if lot.mark:
        yield RowItem(lot.mark)
    if lot.bonus:
        yield RowItem(None, f"+{lot.bonus}")
    if lot.facility:
        yield RowItem("works")
    if lot.garrison:
        yield RowItem("people", str(lot.garrison), SHIELD)


def _supply_marks(lot: MapPanel) -> Iterator[RowItem]:
    if lot.fed:
        yield RowItem("star")


def _pay_marks(lot: MapPanel) -> Iterator[RowItem]:
    """Yield the gold that a panel pays its owner; in brackets what it would pay if it were owned and in supply.

    Something on a panel out of sight may add to it.
    """
    owned, gold = lot.owner is not None and not lot.cut_off, f"{lot.pays}{'' if lot.seen else '+'}"
    yield RowItem(None, gold) if owned else RowItem(None, f"({gold})", "muted")


_MARKS: Final = {"control": _kind_marks, "supply": _supply_marks, "income": _pay_marks}


def _lines(unit: int, token: MapForce) -> Sequence[str]:
    """Return the lines of a force's name on its panel; none where they do not fit."""
    size = _name_size(unit)
    lines = wrap(token.name, size, round(2.7 * unit))
    if len(lines) > 2:  # noqa: PLR2004 - there is room for two
        return ()
    rooms = (2 * (2 * unit - (abs(y) + size / 2) / _SLOPE) - 4 for y in _heights(unit, len(lines)))
    return lines if all(length(line, size) <= room for line, room in zip(lines, rooms, strict=True)) else ()


def _heights(unit: int, count: int) -> list[float]:
    """Return how far below the middle of a panel each line of a name is."""
    first = (0.36 if count > 1 else 0.42) * unit
    return [first + number * _name_size(unit) * 1.05 for number in range(count)]


def _letters(unit: int) -> int:
    return min(18, max(9, round(unit * 0.8)))


def _name_size(unit: int) -> int:
    return round(unit * 0.54)
