"""The panels of a map, and what is on them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache, partial
from typing import Final

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw

from bot.cogs.war.pictures.chart import LONE_SCHEME, NEUTRAL_SCHEME, Chart, MapForce, MapPanel, Scheme
from bot.ui.pictures import canvas
from bot.ui.pictures.rows import RowItem, draw_row
from rules.geometry import DIRECTIONS, Hex, disc

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

    @property
    def has_lines(self) -> bool:
        """Whether letters on it need a ground."""
        return self.cut_off or self.veiled or bool(self.scheme.pattern)


@lru_cache(128)
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
    canvas.lay(picture, canvas.edges(unit, half, land.ways, max(2.0, half * 0.1)), (0, 0), scheme.line)
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
_HEADED: Final = 2  # lines of letters on a panel that has its coordinates
_FOOTED: Final = 3
_NEAR: Final = 2  # panels about one that is deep in a faction's land


class MapCanvas(Struct, frozen=True):
    """A map to draw on, and the size of its letters in pixels."""

    picture: Image.Image
    grid: canvas.Grid
    letters: int

    @property
    def lines(self) -> int:
        """How many lines of letters fit on a panel."""
        return min(_FOOTED, 2 * self.grid.half // self.letters)

    def frame(self, at: Hex, colour: str, share: float) -> None:
        """Draw a thick line inside a panel's edge."""
        unit, half = self.grid.unit, self.grid.half
        canvas.lay(self.picture, canvas.ring(unit, half, max(3.0, half * share / 2), 1), self.grid.corner(at), colour)


class PanelFace(Struct, frozen=True):
    """A panel as drawn: land, letters' size, owner's letters, coordinates above, pieces in the middle and below."""

    unit: int
    half: int
    land: PanelLand
    size: int
    letters: str
    head: str
    body: tuple[RowItem, ...]
    foot: tuple[RowItem, ...]


def empty_map(chart: Chart) -> MapCanvas:
    """Return the map's land at a phone's size."""
    grid, size = _measure(chart)
    made = MapCanvas(canvas.sheet(1, 1), grid, canvas.find_least_size(*size))
    owners = {lot.at: lot.owner for lot in chart.lots}
    faces = tuple((lot.at, _face(made, chart, lot, owners)) for lot in chart.lots)
    return MapCanvas(_draw_ground(grid, size, faces, chart.blocked).copy(), grid, made.letters)


def _measure(chart: Chart) -> tuple[canvas.Grid, tuple[int, int]]:
    grid = canvas.grid_of([*(lot.at for lot in chart.lots), *chart.blocked])
    return grid, (grid.width + 2 * canvas.EDGE, grid.height + 2 * canvas.EDGE)


def measure_map(chart: Chart) -> tuple[int, int]:
    """Return the picture's width and height."""
    return _measure(chart)[1]


@lru_cache(4)
def _draw_ground(
    grid: canvas.Grid, size: tuple[int, int], faces: tuple[tuple[Hex, PanelFace], ...], blocked: tuple[Hex, ...]
) -> Image.Image:
    picture, whole = canvas.sheet(*size), canvas.make_solid_mask(grid.unit, grid.half)
    for at, face in faces:
        picture.paste(_draw_face(face), grid.corner(at), whole)
    for at in blocked:
        canvas.lay(picture, canvas.face(grid.unit, grid.half, 1), grid.corner(at), BLOCKED)
    return picture


def draw_labels(made: MapCanvas, chart: Chart) -> None:
    """Write what doesn't fit on the panels: owners' letters, coordinates and forces."""
    if made.lines >= _HEADED:
        return
    taken = {lot.at for lot in chart.lots if lot.forces or (lot.mark and made.lines)}
    if not made.lines:
        hearts = {name: at for name in chart.holders if (at := _find_heart(chart, name)) is not None}
        for name, at in hearts.items():
            _write_owner(made, chart, name, at, 2 * made.letters)
            taken.update(disc(at, _NEAR))
    taken.update(_write_coordinates(made, chart, taken))
    owners = {lot.at: lot.owner for lot in chart.lots}
    for lot in chart.lots if made.lines else ():
        if lot.owner and lot.at not in taken and any(owners.get(at) != lot.owner for at in disc(lot.at, 1)):
            _write_owner(made, chart, lot.owner, lot.at, made.letters)
    room = (max(6 * made.grid.unit, 4 * made.letters), made.letters)
    for lot in chart.lots:
        draw_row(made.picture, [*_list_forces(made, chart, lot)], made.grid.middle(lot.at), room, made.letters)


def _write_owner(made: MapCanvas, chart: Chart, owner: str, at: Hex, size: int) -> None:
    scheme = chart.scheme(owner, NEUTRAL_SCHEME)
    pen = canvas.Pen(size, scheme.piece, scheme.land, bold=True)
    canvas.write(made.picture, chart.letters(owner), made.grid.middle(at), pen, align=0.5, halo=True)


def _write_coordinates(made: MapCanvas, chart: Chart, taken: Collection[Hex]) -> set[Hex]:
    wide = max((canvas.length(str(lot.at), made.letters) for lot in chart.lots), default=0)
    step, done = max(2, -(-(wide + made.letters) // (3 * made.grid.unit))), dict[Hex, MapPanel]()
    for lot in chart.lots:
        fits = not lot.at.q % step and 2 * (lot.at.r % step) < step and _has_room(made, lot.at, wide)
        if fits and lot.at not in taken:
            done.setdefault(Hex(lot.at.q // step, lot.at.r // step), lot)
    for lot in done.values():
        under = PanelLand(chart.scheme(lot.owner, NEUTRAL_SCHEME), lot.cut_off).fill
        canvas.write(
            made.picture, str(lot.at), made.grid.middle(lot.at), canvas.Pen(made.letters, under=under), 0.5, halo=True
        )
    return {lot.at for lot in done.values()}


def _has_room(made: MapCanvas, at: Hex, wide: int) -> bool:
    x, _ = made.grid.middle(at)
    return wide / 2 <= x <= made.picture.width - wide / 2


def _find_heart(chart: Chart, owner: str) -> Hex | None:
    own = {lot.at for lot in chart.lots if lot.owner == owner}
    return max(sorted(own), key=lambda at: len(own.intersection(disc(at, _NEAR))), default=None)


def _face(made: MapCanvas, chart: Chart, lot: MapPanel, owners: Mapping[Hex, str | None]) -> PanelFace:
    grid, lines = made.grid, made.lines
    ways = [way for way in DIRECTIONS if owners.get(lot.at.step(way)) != lot.owner] if lot.owner else []
    land = PanelLand(chart.scheme(lot.owner, NEUTRAL_SCHEME), lot.cut_off, not lot.seen, tuple(ways))
    marks = [*_MARKS[chart.layer](lot)] if chart.layer in _MARKS and lines else []
    forces, letters, head = [*_list_forces(made, chart, lot)], chart.letters(lot.owner), str(lot.at)
    body, foot = ([*forces, *marks], []) if lines < _FOOTED else (forces, marks) if forces else (marks, [])
    if lines < _HEADED:  # the rest is written over the land
        body, head, letters = [] if forces else marks[:1], "", ""
    return PanelFace(grid.unit, grid.half, land, made.letters, letters, head, tuple(body), tuple(foot))


@lru_cache(256)
def _draw_face(look: PanelFace) -> Image.Image:
    unit, half, land, size = look.unit, look.half, look.land, look.size
    picture = draw_land(unit, half, land).copy()
    left, right = 0.8 * unit, 3.2 * unit
    if look.letters:
        wide = canvas.length(look.letters, size, bold=True)
        start = max(0.4 * unit, unit * size * 0.7 / half)  # where the hex is as wide at the letters' height
        pen = canvas.Pen(size, land.scheme.piece, land.fill, bold=True)
        canvas.write(picture, look.letters, (start, half), pen, halo=land.has_lines)
        left, right = max(unit, start + wide + 3), 3.5 * unit
    above, below = size * bool(look.head), size * bool(look.foot)
    room = (int(right - left), min(2 * half - above - below - size // 4, 2 * size))
    draw_row(picture, look.body, ((left + right) / 2, half + (above - below) / 2), room, size)
    draw_row(picture, look.foot, (2 * unit, 2 * half - size * 0.62), (round(2.4 * unit), size), size)
    _write_head(picture, look.head, (2 * unit, 0), canvas.Pen(size, under=land.fill), halo=land.has_lines)
    return picture


def write_heads(made: MapCanvas, chart: Chart, places: Collection[Hex]) -> None:
    """Write coordinates again over what was drawn across panels."""
    for lot in chart.lots if made.lines >= _HEADED else ():
        if lot.at in places:
            left, top = made.grid.corner(lot.at)
            land = PanelLand(chart.scheme(lot.owner, NEUTRAL_SCHEME), lot.cut_off)
            pen = canvas.Pen(made.letters, under=land.fill)
            _write_head(made.picture, str(lot.at), (left + 2 * made.grid.unit, top), pen, halo=True)


def _write_head(picture: Image.Image, text: str, at: tuple[int, int], pen: canvas.Pen, *, halo: bool) -> None:
    canvas.write(picture, text, (at[0], at[1] + pen.size * 0.56), pen, align=0.5, halo=halo)


def _list_forces(made: MapCanvas, chart: Chart, lot: MapPanel) -> Iterator[RowItem]:
    if chart.layer == "income":
        return
    tokens = chart.on(lot)
    most = _MOST if made.lines >= _HEADED else 1
    more = f" +{len(tokens) - most}" if len(tokens) > most else ""
    for place, token in enumerate(tokens[:most], 1):
        if place > 1 and lot.fight:
            yield RowItem("cross", colour=FIGHT, share=0.7)
        yield tag_of(chart, token, more if place == most else "")
    if lot.fight and min(most, len(tokens)) <= 1:
        yield RowItem("cross", colour=FIGHT, share=0.7)
    if not lot.seen and not tokens and made.lines >= _HEADED:
        yield RowItem(None, "?", "muted")


def tag_of(chart: Chart, token: MapForce, more: str = "", *, hollow: bool = False) -> RowItem:
    """Return a force's tag: its glyph and number."""
    piece = chart.scheme(token.faction, LONE_SCHEME).piece
    colours = ("paper", piece, piece) if hollow else (piece, "white", "white")
    return RowItem(token.drawn, f"{token.number}{more}", colours[0], ink=colours[1], rim=colours[2])


def _kind_marks(lot: MapPanel) -> Iterator[RowItem]:
    if lot.mark:
        yield RowItem(lot.mark)
    if lot.bonus:
        yield RowItem(None, f"+{lot.bonus}")
    if lot.facility:
        yield RowItem("works")
    if lot.garrison:
        yield from (RowItem("people", colour=SHIELD), RowItem(None, str(lot.garrison), SHIELD))


def _supply_marks(lot: MapPanel) -> Iterator[RowItem]:
    if lot.fed:
        yield RowItem("star")


def _pay_marks(lot: MapPanel) -> Iterator[RowItem]:
    owned, gold = lot.owner is not None and not lot.cut_off, f"{lot.pays}{'' if lot.seen else '+'}"
    yield RowItem(None, gold) if owned else RowItem(None, f"({gold})", "muted")


_MARKS: Final = {"control": _kind_marks, "supply": _supply_marks, "income": _pay_marks}
