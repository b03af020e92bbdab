"""The panels of a map, what is on them, and the key below a picture."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.cogs.war.pictures.chart import LONE_SCHEME, NEUTRAL_SCHEME, Chart, MapForce, MapPanel, Scheme
from bot.ui.pictures import canvas
from bot.ui.pictures.canvas import clip, length, wrap
from bot.ui.pictures.rows import RowItem, draw_glyph, draw_row
from rules.geometry import DIRECTIONS, Hex

INDENT: Final = 46  # at a scale of 1
LINE: Final = 30  # the height of a line at a scale of 1
GAP: Final = 8
_USUAL: Final = 800
_MIDDLE: Final = 20
_PIECE: Final = 27
_MARK: Final = (40, 22)


class Sign(Struct, frozen=True):
    """A meaning in words, with a glyph (`item`), or a picture and its mask (`patch`)."""

    words: str
    item: RowItem | None = None
    patch: tuple[Image.Image, Image.Image] | None = None


class Block(Struct, frozen=True):
    """Signs of the key in columns; `letters` is the text size in pixels."""

    signs: Sequence[Sign]
    columns: int
    letters: int

    @property
    def rows(self) -> int:
        """Its lines."""
        return -(-len(self.signs) // self.columns)


def scale_of(width: int) -> float:
    """Return the key's scale for a picture's width, so that phones show it equally large."""
    return width / _USUAL


def block_of(signs: Sequence[Sign], letters: int, width: int, most: int = 4) -> Block:
    """Return signs in as many columns as fit, at most `most`; `letters` is the size before scaling."""
    scale = scale_of(width)
    size = round(letters * scale)
    widest = max((length(sign.words, size) for sign in signs), default=1) + (INDENT + GAP) * scale
    return Block(signs, max(1, min(most, int((width - 2 * canvas.MARGIN) // widest))), size)


def line_of(width: int) -> int:
    """Return a line's height in pixels."""
    return round(LINE * scale_of(width))


def height_of(blocks: Sequence[Block], width: int) -> int:
    """Return the blocks' height in pixels."""
    return sum(block.rows * line_of(width) + GAP for block in blocks)


def draw_blocks(picture: Image.Image, blocks: Sequence[Block], top: int) -> None:
    """Draw blocks one below the other."""
    line = line_of(picture.width)
    for block in blocks:
        top += GAP
        step = (picture.width - 2 * canvas.MARGIN) // block.columns
        for number, sign in enumerate(block.signs):
            place = (canvas.MARGIN + number // block.rows * step, top + number % block.rows * line + line // 2)
            draw_sign(picture, sign, place, (step, block.letters))
        top += block.rows * line


def draw_sign(picture: Image.Image, sign: Sign, at: tuple[int, int], room: tuple[int, int]) -> None:
    """Draw a sign from its left end and middle height."""
    scale = scale_of(picture.width)
    middle = (at[0] + round(_MIDDLE * scale), at[1])
    if sign.patch is not None:
        patch, mask = sign.patch
        picture.paste(patch, (middle[0] - patch.width // 2, middle[1] - patch.height // 2), mask)
    elif sign.item is not None and sign.item.shape and sign.item.text:
        draw_glyph(picture, sign.item, middle, round(_PIECE * scale))
    elif sign.item is not None:
        draw_row(picture, [sign.item], middle, (round(_MARK[0] * scale), round(_MARK[1] * scale)))
    left = at[0] + INDENT * scale
    canvas.write(picture, clip(sign.words, room[1], int(at[0] + room[0] - left)), (left, at[1]), canvas.Pen(room[1]))


BLOCKED: Final = "#3d434b"
_GAP: Final = "#f6f7f9"
_VEIL: Final = "#7d858f"


class PanelLand(Struct, frozen=True):
    """Empty land: colours, whether it's cut off or out of sight (`veiled`), and directions with a border."""

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
    picture = canvas.sheet(4 * unit, 2 * half, land.fill)
    whole = canvas.face(unit, half)
    if scheme.pattern and not cut_off:
        canvas.lay(picture, ImageChops.darker(_PATTERNS[scheme.pattern](unit, half), whole), (0, 0), scheme.line)
    if cut_off:
        canvas.lay(picture, ImageChops.darker(_draw_hatching(unit, half), whole), (0, 0), scheme.line)
    if land.veiled:
        canvas.lay(picture, ImageChops.darker(_draw_dots(unit, half), whole), (0, 0), _VEIL)
    canvas.lay(picture, canvas.edges(unit, half, land.ways, max(2.0, unit * 0.17)), (0, 0), scheme.line)
    canvas.lay(picture, canvas.ring(unit, half, 1), (0, 0), _GAP)
    return picture


@lru_cache(16)
def _draw_hatching(unit: int, half: int) -> Image.Image:
    step = max(6, round(unit * 0.5))
    fine = Image.new("L", (8 * unit, 4 * half))
    draw = ImageDraw.Draw(fine)
    for start in range(-fine.height, fine.width, 2 * step):
        draw.line((start, fine.height, start + fine.height, 0), fill=150, width=max(2, round(step * 0.45)))
    return fine.reduce(2)


@lru_cache(16)
def _draw_dots(unit: int, half: int) -> Image.Image:
    step = max(5, round(unit * 0.5))
    fine = Image.new("L", (8 * unit, 4 * half))
    draw = ImageDraw.Draw(fine)
    for row, top in enumerate(range(0, fine.height, 2 * step)):
        for left in range(step * (row % 2), fine.width, 2 * step):
            draw.ellipse((left, top, left + step * 0.55, top + step * 0.55), fill=220)
    return fine.reduce(2)


@lru_cache(16)
def _draw_stripes(unit: int, half: int, *, upright: bool) -> Image.Image:
    step, mask = max(6, round(unit * 0.5)), Image.new("L", (4 * unit, 2 * half))
    for start in range(0, mask.width if upright else mask.height, step):
        line = (start, 0, start, mask.height) if upright else (0, start, mask.width, start)
        ImageDraw.Draw(mask).line(line, fill=90, width=max(1, step // 6))
    return mask


def _draw_grid(unit: int, half: int) -> Image.Image:
    return ImageChops.lighter(_draw_stripes(unit, half, upright=True), _draw_stripes(unit, half, upright=False))


_PATTERNS: Final[Mapping[str, Callable[[int, int], Image.Image]]] = {
    "upright": partial(_draw_stripes, upright=True),
    "level": partial(_draw_stripes, upright=False),
    "grid": _draw_grid,
}


FIGHT: Final = "#b3141d"  # for fights and enemies
SHIELD: Final = "#3b3f45"  # for garrisons
_MOST: Final = 3  # drawn side by side on a panel; more are counted
_WIDE: Final = 26
_DENSE: Final = 17
_SLOPE: Final = 1.732


class MapCanvas(Struct, frozen=True):
    """A map to draw on; with `named`, forces show names, else numbers."""

    picture: Image.Image
    grid: canvas.Grid
    named: bool

    def frame(self, at: Hex, colour: str, share: float) -> None:
        """Draw a thick line inside a panel's edge."""
        unit, half = self.grid.unit, self.grid.half
        canvas.lay(self.picture, canvas.ring(unit, half, max(3.0, unit * share), 1), self.grid.corner(at), colour)


class PanelFace(Struct, frozen=True):
    """A panel as drawn: land, owner's letters, coordinates above, pieces in the middle and below, and name lines."""

    unit: int
    half: int
    land: PanelLand
    letters: str
    head: str
    body: tuple[RowItem, ...]
    foot: tuple[RowItem, ...]
    name: tuple[str, ...]


def names_fit(grid: canvas.Grid, chart: Chart) -> bool:
    """Return whether all forces' names fit on two lines."""
    return grid.unit >= _WIDE and all(
        len(lot.forces) <= 1 and all(_lines(grid.unit, token) for token in chart.on(lot)) for lot in chart.lots
    )


def draw_panels(made: MapCanvas, chart: Chart) -> None:
    """Draw all panels."""
    grid, picture = made.grid, made.picture
    owners = {lot.at: lot.owner for lot in chart.lots}
    whole = canvas.make_solid_mask(grid.unit, grid.half)
    for lot in chart.lots:
        ways = [way for way in DIRECTIONS if owners.get(lot.at.step(way)) != lot.owner] if lot.owner else []
        land = PanelLand(chart.scheme(lot.owner, NEUTRAL_SCHEME), lot.cut_off, not lot.seen, tuple(ways))
        picture.paste(_draw_face(_face(made, chart, lot, land)), grid.corner(lot.at), whole)
    for at in chart.blocked:
        canvas.lay(picture, canvas.face(grid.unit, grid.half, 1), grid.corner(at), BLOCKED)


def _face(made: MapCanvas, chart: Chart, lot: MapPanel, land: PanelLand) -> PanelFace:
    grid, letters = made.grid, chart.letters(lot.owner)
    forces, marks = [*_list_forces(made, chart, lot)], [*_MARKS[chart.layer](lot)] if chart.layer in _MARKS else []
    body, foot = (forces, marks) if forces else (marks[:2], marks[2:])
    tokens = () if chart.layer == "income" else chart.on(lot)
    head = "" if grid.unit < _DENSE and tokens else str(lot.at)
    name = tuple(_lines(grid.unit, tokens[0])) if made.named and tokens else ()
    if len(name) > 1:
        body, foot = [*forces, *marks], []
    return PanelFace(grid.unit, grid.half, land, letters, head, tuple(body), tuple(foot), name)


@lru_cache(256)
def _draw_face(look: PanelFace) -> Image.Image:
    unit, half, land, x = look.unit, look.half, look.land, 2 * look.unit
    picture = draw_land(unit, half, land).copy()
    if look.letters:
        size = min(24, max(9, round(unit * (0.9 if len(look.letters) < 2 else 0.7))))  # noqa: PLR2004 - one letter
        canvas.write(
            picture, look.letters, (0.64 * unit, half), canvas.Pen(size, land.scheme.piece, bold=True), align=0.5
        )
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
    if not text:
        return
    if under is not None:
        box = (length(text, size) + 8, size + 3)
        canvas.lay(picture, canvas.shape(box, radius=5), (int(at[0] - box[0] / 2), int(at[1] - box[1] / 2)), under)
    canvas.write(picture, text, at, canvas.Pen(size), align=0.5)


def _list_forces(made: MapCanvas, chart: Chart, lot: MapPanel) -> Iterator[RowItem]:
    if chart.layer == "income":
        return
    tokens = chart.on(lot)
    for place, token in enumerate(tokens[:_MOST]):
        if place == 1 and lot.fight:
            yield RowItem("cross", colour=FIGHT, share=0.7)
        text = chart.letters(token.faction) if made.named else str(token.number)
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
    owned, gold = lot.owner is not None and not lot.cut_off, f"{lot.pays}{'' if lot.seen else '+'}"
    yield RowItem(None, gold) if owned else RowItem(None, f"({gold})", "muted")


_MARKS: Final = {"control": _kind_marks, "supply": _supply_marks, "income": _pay_marks}


def _lines(unit: int, token: MapForce) -> Sequence[str]:
    size = _name_size(unit)
    lines = wrap(token.name, size, round(2.7 * unit))
    if len(lines) > 2:  # noqa: PLR2004 - there is room for two
        return ()
    rooms = (2 * (2 * unit - (abs(y) + size / 2) / _SLOPE) - 4 for y in _heights(unit, len(lines)))
    return lines if all(length(line, size) <= room for line, room in zip(lines, rooms, strict=True)) else ()


def _heights(unit: int, count: int) -> list[float]:
    first = (0.36 if count > 1 else 0.42) * unit
    return [first + number * _name_size(unit) * 1.05 for number in range(count)]


def _letters(unit: int) -> int:
    return min(18, max(9, round(unit * 0.8)))


def _name_size(unit: int) -> int:
    return round(unit * 0.54)
