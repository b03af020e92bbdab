"""The board of a battle: tiles, margins, units and key."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw

from bot.cogs.war.pictures.chart import LONE_SCHEME, scheme_of
from bot.cogs.war.pictures.field import BoardFacts, BoardSide, BoardUnit, UnitReach, board_title, name_of, side_words
from bot.cogs.war.pictures.panels import Block, Sign, block_of, draw_blocks, height_of
from bot.ui.pictures import canvas
from bot.ui.pictures.rows import RowItem, draw_glyph, glyph
from bot.ui.pictures.style import full, set_luminance
from rules.geometry import Square

_WIDTH: Final = 660
_EDGE: Final = 30  # in pixels
_GRID: Final = {"space": "#30363f", "land": "#b3a67f"}
GOLD: Final = "#fccc30"  # for heroes and aces
_PIP: Final = "#d0202c"
_CHIP: Final = "#14181d"
_PIECE: Final = 0.78
_MARK: Final = 0.3
_RING: Final = 5
_TEXT: Final = 19
_LIGHT: Final = 0.45


class BoardCanvas(Struct, frozen=True):
    """A board to draw on: tile size in pixels, and where it begins."""

    picture: Image.Image
    field: BoardFacts
    tile: int
    left: int
    top: int

    def corner(self, place: Square) -> tuple[int, int]:
        """Return a tile's upper left corner."""
        return self.left + (place.column - 1) * self.tile, self.top + (self.field.size - place.row) * self.tile

    def middle(self, place: Square) -> tuple[int, int]:
        """Return the middle of a tile."""
        left, top = self.corner(place)
        return left + self.tile // 2, top + self.tile // 2


class UnitPaint(Struct, frozen=True):
    """A side's colours: attackers dark, defenders light."""

    fill: str
    ink: str
    rim: str

    def item(self, man: BoardUnit) -> RowItem:
        """Return the piece of a unit."""
        return RowItem(man.drawn, man.number, self.fill, ink=self.ink, rim=self.rim)


def draw_board(field: BoardFacts) -> bytes:
    """Return the board as a PNG."""
    board, blocks = empty_board(field, board_title(field))
    draw_units(board)
    return _board_png(board, blocks)


def empty_board(field: BoardFacts, title: str, more: Sequence[Sign] = ()) -> tuple[BoardCanvas, Sequence[Block]]:
    """Return the board without units, and the blocks of its key, with `more` signs."""
    tile = (_WIDTH - 2 * canvas.MARGIN - 2 * _EDGE) // field.size
    left, top = (_WIDTH - tile * field.size) // 2, canvas.TITLE_HEIGHT + _EDGE
    lies = dict.fromkeys([field.usual, *field.terrain.values()])
    terrain = (Sign(found.label, patch=_swatch(found.colour(field.where))) for found in lies)
    lists = ([*_list_sides(field)], [*terrain, *_list_marks(field), *more], [*_list_roster(field)])
    blocks = [block_of(signs, _TEXT, _WIDTH, 1 if place == 0 else 4) for place, signs in enumerate(lists) if signs]
    foot = top + tile * field.size + _EDGE
    picture = canvas.sheet(_WIDTH, foot + height_of(blocks, _WIDTH) + canvas.MARGIN)
    canvas.headline(picture, title, _WIDTH - 2 * canvas.MARGIN)
    board = BoardCanvas(picture, field, tile, left, top)
    _draw_tiles(board)
    return board, blocks


def _board_png(board: BoardCanvas, blocks: Sequence[Block], keep: Sequence[str] = ()) -> bytes:
    draw_blocks(board.picture, blocks, board.top + board.tile * board.field.size + _EDGE)
    paints = [side_paint(party).fill for party in board.field.parties.values()]
    return canvas.png(board.picture, (GOLD, _PIP, _CHIP, *paints, *keep))


def draw_units(board: BoardCanvas) -> None:
    """Draw all units with their marks."""
    paints = {side: side_paint(party) for side, party in board.field.parties.items()}
    for man in board.field.men:
        _draw_unit(board, man, paints[man.side])


def side_paint(party: BoardSide) -> UnitPaint:
    """Return a side's colours."""
    scheme = None if party.place is None else scheme_of(party.colour, party.place)
    if party.attacks:
        return UnitPaint((scheme or LONE_SCHEME).piece, "white", "white")
    return UnitPaint(set_luminance(party.colour if scheme else LONE_SCHEME.piece, _LIGHT), "ink", "ink")


def _draw_tiles(board: BoardCanvas) -> None:
    field, tile = board.field, board.tile
    side = tile * field.size
    draw = ImageDraw.Draw(board.picture)
    whole = (board.left, board.top, board.left + side, board.top + side)
    draw.rectangle(whole, fill=full(field.usual.colour(field.where)))
    for place, found in field.terrain.items():
        left, top = board.corner(place)
        draw.rectangle((left, top, left + tile, top + tile), fill=full(found.colour(field.where)))
    for number in range(field.size + 1):
        across, down = board.left + number * tile, board.top + number * tile
        draw.line((across, board.top, across, board.top + side), fill=full(_GRID[field.where]))
        draw.line((board.left, down, board.left + side, down), fill=full(_GRID[field.where]))
    for number in range(1, field.size + 1):
        x, y = board.middle(Square(number, number))
        for end in (board.top - _EDGE // 2, board.top + side + _EDGE // 2):
            canvas.write(board.picture, str(Square(number, 1))[0], (x, end), canvas.Pen(20, bold=True), align=0.5)
        for end in (board.left - _EDGE // 2, board.left + side + _EDGE // 2):
            canvas.write(board.picture, str(number), (end, y), canvas.Pen(20, bold=True), align=0.5)


def _draw_unit(board: BoardCanvas, man: BoardUnit, paint: UnitPaint) -> None:
    x, y = board.middle(man.at)
    size, mark = round(board.tile * _PIECE), round(board.tile * _MARK)
    if man.hero:
        draw_glyph(board.picture, RowItem(man.drawn, colour=GOLD, rim="ink"), (x, y), size + _RING)
    draw_glyph(board.picture, paint.item(man), (x, y), size - _RING * man.hero)
    left, top = board.corner(man.at)
    right, bottom = left + board.tile - mark, top + board.tile - mark
    if man.ace:
        _chip(board.picture, "star", (left + 1, top + 1), (mark, GOLD), str(man.ace))
    if man.moved:
        _chip(board.picture, "chevrons", (left + 1, bottom), (mark, "white"))
    if man.attacked:
        _chip(board.picture, "cross", (right, bottom), (mark, "white"))
    pips = man.pips(board.field.turn)
    for number in range(man.cooldown if pips else 0):
        pip = max(7, round(board.tile * 0.17))
        x, y = left + board.tile - pip - 2, top + 3 + number * (pip + 2)
        canvas.lay(board.picture, glyph("disc", pip + 2), (x - 1, y - 1), "white")
        canvas.lay(board.picture, glyph("disc", pip), (x, y), _PIP if number < pips else _CHIP)


def _chip(picture: Image.Image, name: str, at: tuple[int, int], look: tuple[int, str], letters: str = "") -> None:
    size, colour = look
    wide = size + (round(size * 0.75) if letters else 0)
    picture.paste(full(_CHIP), (at[0], at[1], at[0] + wide, at[1] + size))
    canvas.lay(picture, glyph(name, size, inset=1.5), at, colour)
    if letters:
        middle = (at[0] + size + size * 0.3, at[1] + size / 2)
        canvas.write(picture, letters, middle, canvas.Pen(size, colour, bold=True), align=0.5)


def _list_sides(field: BoardFacts) -> Iterator[Sign]:
    for party in field.parties.values():
        paint = side_paint(party)
        yield Sign(side_words(field, party), RowItem("disc", party.letters, paint.fill, ink=paint.ink, rim=paint.rim))


def _list_roster(field: BoardFacts) -> Iterator[Sign]:
    for side, party in field.parties.items():
        paint = side_paint(party)
        for man in field.men:
            if man.side == side:
                pilot = f", {man.pilot}" if man.pilot else ""
                yield Sign(f"{name_of(field, man)}, {man.at}{pilot}", paint.item(man))


def _swatch(colour: str, side: int = 22) -> tuple[Image.Image, Image.Image]:
    return canvas.sheet(side, side, colour), Image.new("L", (side, side), 255)


def _list_marks(field: BoardFacts) -> Iterator[Sign]:
    kinds = {man.drawn: man.kind for man in field.men}
    yield from (Sign(label, RowItem(drawn)) for drawn, label in kinds.items())
    marks = [("Ace and level", "star", "ace"), ("Hero", "ring", "hero")]
    marks += [("Has moved", "chevrons", "moved"), ("Has attacked", "cross", "attacked")]
    for label, drawn, name in marks:
        if any(getattr(man, name) for man in field.men):
            yield Sign(label, RowItem(drawn))
    if any(man.next_shot for man in field.men):
        yield Sign("Turns until it fires", RowItem("disc", " ", _PIP))


START: Final = "#008888"  # dark cyan: the start (line 136)
WITHIN: Final = "#8c9094"  # gray: where it can go
WAY: Final = "#a0f0f4"  # light cyan: the way in mind
TARGET: Final = "#f02830"  # red: what it can shoot
MELEE: Final = "#fce060"
BAND: Final = "#c86414"  # a warship's lane
_DARK: Final = "#14181c"
_WITHIN: Final = 6
_CHANCE: Final = 16


def draw_overlay(field: BoardFacts, aim: UnitReach) -> bytes:
    """Return the board with a unit's reach as a PNG."""
    title = f"What {name_of(field, aim.man)} can do, turn {field.turn}"
    board, blocks = empty_board(field, title, [*_aim_signs(aim)])
    for place in aim.ends:
        _shade(board, place, WITHIN)
    for place in aim.way:
        _shade(board, place, WAY)
    _shade(board, aim.man.at, START)
    for lane in aim.lanes:
        _band(board, aim.start, lane.tiles)
    if aim.way:
        paint = side_paint(board.field.parties[aim.man.side])
        hollow = RowItem(aim.man.drawn, aim.man.number, WAY, ink="ink", rim=paint.fill)
        draw_glyph(board.picture, hollow, board.middle(aim.start), board.tile * 2 // 3)
    draw_units(board)
    _draw_marks(board, aim)
    return _board_png(board, blocks, (START, WITHIN, WAY, TARGET, MELEE, BAND))


def _draw_marks(board: BoardCanvas, aim: UnitReach) -> None:
    for place in aim.shot:
        _frame(board, place)
    for place in aim.melee:
        _corners(board, place)
    for place in aim.barred:
        for inset, colour in ((0, _DARK), (1.5, "white")):
            canvas.lay(board.picture, glyph("strokes", board.tile, inset=inset), board.corner(place), colour)
    chances = {place: percent for lane in aim.lanes for place, percent in lane.chances.items()}
    for place, percent in chances.items():
        _percent(board, place, f"{percent}%")


def _shade(board: BoardCanvas, place: Square, colour: str) -> None:
    left, top = board.corner(place)
    rim = max(3, board.tile // 10)
    box = (left + rim, top + rim, left + board.tile - rim, top + board.tile - rim)
    ImageDraw.Draw(board.picture).rectangle(box, fill=full(colour), outline=full(_DARK))


def _band(board: BoardCanvas, start: Square, tiles: tuple[Square, ...]) -> None:
    draw, half = ImageDraw.Draw(board.picture), max(4, board.tile // 8)
    for place in tiles:
        x, y = board.middle(place)
        across = (half, board.tile // 2) if place.column == start.column else (board.tile // 2, half)
        draw.rectangle((x - across[0], y - across[1], x + across[0], y + across[1]), fill=full(BAND))


def _frame(board: BoardCanvas, place: Square) -> None:
    left, top = board.corner(place)
    draw = ImageDraw.Draw(board.picture)
    for inset, width, colour in ((0, 6, "white"), (1, 4, TARGET)):
        box = (left + inset, top + inset, left + board.tile - inset, top + board.tile - inset)
        draw.rectangle(box, outline=full(colour), width=width)


def _corners(board: BoardCanvas, place: Square) -> None:
    left, top = board.corner(place)
    right, bottom, arm = left + board.tile, top + board.tile, board.tile // 4
    draw = ImageDraw.Draw(board.picture)
    for width, colour in ((7, _DARK), (4, MELEE)):
        upper, lower = ((left, top, 1, 1), (right, top, -1, 1)), ((left, bottom, 1, -1), (right, bottom, -1, -1))
        for x, y, across, down in (*upper, *lower):
            corner = (x + _WITHIN * across, y + _WITHIN * down)
            draw.line((*corner, corner[0] + arm * across, corner[1]), fill=full(colour), width=width)
            draw.line((*corner, corner[0], corner[1] + arm * down), fill=full(colour), width=width)


def _percent(board: BoardCanvas, place: Square, text: str) -> None:
    x, top = board.middle(place)[0], board.corner(place)[1]
    wide, high = canvas.length(text, _CHANCE, bold=True) + 8, _CHANCE + 1
    corner = (x - wide // 2, top + board.tile - high + 5)
    board.picture.paste(full(_DARK), (*corner, corner[0] + wide, corner[1] + high))
    canvas.write(board.picture, text, (x, corner[1] + high / 2), canvas.Pen(_CHANCE, "white", bold=True), align=0.5)


def _aim_signs(aim: UnitReach) -> Iterator[Sign]:
    shades = (("Start", START, True), ("Within reach", WITHIN, aim.ends), ("Planned path", WAY, aim.way))
    yield from (Sign(label, patch=_swatch(colour)) for label, colour, some in shades if some)
    if aim.shot:
        patch, mask = _swatch("paper")
        ImageDraw.Draw(patch).rectangle((0, 0, patch.width - 1, patch.height - 1), outline=full(TARGET), width=4)
        yield Sign("In range", patch=(patch, mask))
    if aim.melee:
        yield Sign("Melee tile", RowItem("corners"))
    if aim.barred:
        yield Sign("Can't hit", RowItem("strokes"))
    if aim.lanes:
        yield Sign("Lane, chances", patch=_swatch(BAND))
