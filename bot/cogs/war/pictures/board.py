"""The board of a battle: tiles, their letters, and units."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image, ImageDraw

from bot.cogs.war.pictures.chart import LONE_SCHEME, scheme_of
from bot.cogs.war.pictures.field import BoardFacts, BoardSide, BoardUnit, UnitReach, terrain_letters
from bot.ui.pictures import canvas
from bot.ui.pictures.rows import RowItem, draw_piece, glyph
from bot.ui.pictures.style import full, ink_beside, set_luminance
from rules.geometry import Square

_GRID: Final = {"space": "#30363f", "land": "#b3a67f"}
GOLD: Final = "#fccc30"  # for heroes and aces
_COOLS: Final = "#d0202c"
_CHIP: Final = "#14181d"
_PIECE: Final = 0.9
_MARK: Final = 0.36
_RING: Final = 6
_LIGHT: Final = 0.45
_SIDE: Final = canvas.ROOM[1]
_LETTERS: Final = canvas.find_least_size(_SIDE, _SIDE)


class BoardCanvas(Struct, frozen=True):
    """A board to draw on: tile size in pixels, and where it begins. Letters are left of it, numbers below."""

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
    board = empty_board(field)
    draw_units(board)
    return _board_png(board)


def empty_board(field: BoardFacts) -> BoardCanvas:
    """Return the empty board at a phone's size."""
    left = canvas.length(str(field.size), _LETTERS, bold=True) + canvas.EDGE
    below = _LETTERS + 2
    tile = (_SIDE - left - 2) // field.size
    board = BoardCanvas(canvas.sheet(left + tile * field.size + 2, tile * field.size + 2 + below), field, tile, left, 0)
    _draw_tiles(board)
    return board


def _board_png(board: BoardCanvas, keep: Sequence[str] = ()) -> bytes:
    paints = [side_paint(party).fill for party in board.field.parties.values()]
    return canvas.png(board.picture, (GOLD, _COOLS, _CHIP, *paints, *keep))


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
    letters = terrain_letters(field)
    for place, found in field.terrain.items():
        left, top = board.corner(place)
        colour = found.colour(field.where)
        pen = canvas.Pen(_LETTERS, ink_beside(colour))
        canvas.write(board.picture, letters[found.label], (left + 4, top + _LETTERS * 0.55), pen)
    pen = canvas.Pen(_LETTERS, bold=True)
    for number in range(1, field.size + 1):
        x, y = board.middle(Square(number, number))
        canvas.write(board.picture, str(Square(number, 1))[0], (x, board.top + side + _LETTERS * 0.5), pen, align=0.5)
        canvas.write(board.picture, str(number), (board.left - canvas.EDGE / 2, y), pen, align=1)


def _draw_unit(board: BoardCanvas, man: BoardUnit, paint: UnitPaint) -> None:
    middle, (left, top) = board.middle(man.at), board.corner(man.at)
    size, mark, tile = round(board.tile * _PIECE), round(board.tile * _MARK), board.tile
    if man.hero:
        draw_piece(board.picture, RowItem(man.drawn, colour=GOLD, rim="ink"), middle, size + _RING, 0)
    draw_piece(board.picture, paint.item(man), middle, size - _RING * man.hero, _LETTERS)
    if man.ace:
        _chip(board.picture, (left, top), mark, (GOLD, str(man.ace)), "star")
    if man.moved:
        _chip(board.picture, (left, top + tile - mark), mark, ("white", ""), "chevrons")
    if man.attacked:
        _chip(board.picture, (left + tile - mark, top + tile - mark), mark, ("white", ""), "cross")
    turns = man.pips(board.field.turn)
    if turns:
        _chip(board.picture, (left + tile - mark, top), mark, ("white", str(turns)), fill=_COOLS)


def _chip(
    picture: Image.Image, at: tuple[int, int], size: int, look: tuple[str, str], shape: str = "", fill: str = _CHIP
) -> None:
    colour, letters = look
    wide = (size if shape else 4) + (canvas.length(letters, _LETTERS, bold=True) if letters else 0)
    picture.paste(full(fill), (at[0], at[1], at[0] + wide, at[1] + size))
    if shape:
        canvas.lay(picture, glyph(shape, size, inset=1.5), at, colour)
    if letters:
        right = (at[0] + wide - 1, at[1] + size / 2)
        canvas.write(picture, letters, right, canvas.Pen(_LETTERS, colour, bold=True), align=1)


START: Final = "#008888"  # dark cyan: the start (line 136)
WITHIN: Final = "#8c9094"  # gray: where it can go
WAY: Final = "#a0f0f4"  # light cyan: the way in mind
TARGET: Final = "#f02830"  # red: what it can shoot
MELEE: Final = "#fce060"
BAND: Final = "#c86414"  # a warship's lane
_DARK: Final = "#14181c"
_WITHIN: Final = 6


def draw_overlay(field: BoardFacts, aim: UnitReach) -> bytes:
    """Return the board with the reach as PNG."""
    board = empty_board(field)
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
        draw_piece(board.picture, hollow, board.middle(aim.start), board.tile * 4 // 5, _LETTERS)
    draw_units(board)
    _draw_marks(board, aim)
    return _board_png(board, (START, WITHIN, WAY, TARGET, MELEE, BAND))


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
    wide, high = canvas.length(text, _LETTERS) + 4, round(_LETTERS * 0.9)
    corner = (x - wide // 2, top + board.tile - high)
    board.picture.paste(full(_DARK), (*corner, corner[0] + wide, corner[1] + high))
    canvas.write(board.picture, text, (x, corner[1] + high / 2), canvas.Pen(_LETTERS, "white"), align=0.5)
