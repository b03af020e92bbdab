"""What a unit can do, drawn over the board: start, tiles within reach and way in the page's colours, targets, melee tiles and lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from PIL import Image, ImageDraw

from bot.cogs.war.pictures.aim import Aim
from bot.cogs.war.pictures.board import Board, draw_units, empty_board, finished, paint_of, swatch
from bot.cogs.war.pictures.board_facts import Field
from bot.cogs.war.pictures.board_words import name_of
from bot.cogs.war.pictures.key import Sign
from bot.ui.pictures.canvas import Pen, lay, write
from bot.ui.pictures.glyphs import glyph
from bot.ui.pictures.lettering import length
from bot.ui.pictures.palette import full
from bot.ui.pictures.rows import Item, draw_glyph
from rules.geometry.squares import Square

START: Final = "#008888"
"""Dark cyan: where the unit starts (line 136 of the page speaks of these colours)."""

WITHIN: Final = "#8c9094"
"""Gray: where it can go."""

WAY: Final = "#a0f0f4"
"""Light cyan: the way in mind."""

TARGET: Final = "#f02830"
"""Red: what it can shoot."""

MELEE: Final = "#fce060"
"""The corners of tiles of its melee."""

BAND: Final = "#c86414"
"""The lane of a warship."""

_DARK: Final = "#14181c"
_WITHIN: Final = 6
_CHANCE: Final = 16


def draw_overlay(field: Field, aim: Aim) -> bytes:
    """Return the board with what a unit can do as a PNG."""
    title = f"What {name_of(field, aim.man)} can do, turn {field.turn}"
    board, blocks = empty_board(field, title, [*_signs(aim)])
    for place in aim.ends:
        _shade(board, place, WITHIN)
    for place in aim.way:
        _shade(board, place, WAY)
    _shade(board, aim.man.at, START)
    for lane in aim.lanes:
        _band(board, aim.start, lane.tiles)
    _draw_goal(board, aim)
    draw_units(board)
    _draw_marks(board, aim)
    return finished(board, blocks, (START, WITHIN, WAY, TARGET, MELEE, BAND))


def _draw_marks(board: Board, aim: Aim) -> None:
    """Draw over the units whom it can shoot, strike and reach down its lanes, and whom not."""
    for place in aim.shot:
        _frame(board, place)
    for place in aim.melee:
        _corners(board, place)
    for place in aim.barred:
        _cross(board, place)
    chances = {place: percent for lane in aim.lanes for place, percent in lane.chances.items()}
    for place, percent in chances.items():
        _percent(board, place, f"{percent}%")


def _shade(board: Board, place: Square, colour: str) -> None:
    """Fill a tile but for a rim, so that what lies on it is still seen."""
    left, top = board.corner(place)
    rim = max(3, board.tile // 10)
    box = (left + rim, top + rim, left + board.tile - rim, top + board.tile - rim)
    ImageDraw.Draw(board.picture).rectangle(box, fill=full(colour), outline=full(_DARK))


def _band(board: Board, start: Square, tiles: tuple[Square, ...]) -> None:
    """Draw a lane as a narrow band from a ship to the last tile that its shot covers: what lies under it is still seen."""
    draw, half = ImageDraw.Draw(board.picture), max(4, board.tile // 8)
    for place in tiles:
        x, y = board.middle(place)
        across = (half, board.tile // 2) if place.column == start.column else (board.tile // 2, half)
        draw.rectangle((x - across[0], y - across[1], x + across[0], y + across[1]), fill=full(BAND))


def _frame(board: Board, place: Square) -> None:
    left, top = board.corner(place)
    draw = ImageDraw.Draw(board.picture)
    for inset, width, colour in ((0, 6, "white"), (1, 4, TARGET)):
        box = (left + inset, top + inset, left + board.tile - inset, top + board.tile - inset)
        draw.rectangle(box, outline=full(colour), width=width)


def _cross(board: Board, place: Square) -> None:
    """Draw the four ends of a cross about a unit that cannot be attacked, so that its number is still read."""
    left, top = board.corner(place)
    for inset, colour in ((0, _DARK), (1.5, "white")):
        lay(board.picture, glyph("strokes", board.tile, inset=inset), (left, top), colour)


def _corners(board: Board, place: Square) -> None:
    """Draw a bracket in each corner of a tile, within its frame if it has one."""
    left, top = board.corner(place)
    right, bottom, arm = left + board.tile, top + board.tile, board.tile // 4
    draw = ImageDraw.Draw(board.picture)
    for width, colour in ((7, _DARK), (4, MELEE)):
        for x, y, across, down in (
            (left, top, 1, 1),
            (right, top, -1, 1),
            (left, bottom, 1, -1),
            (right, bottom, -1, -1),
        ):
            corner = (x + _WITHIN * across, y + _WITHIN * down)
            draw.line((*corner, corner[0] + arm * across, corner[1]), fill=full(colour), width=width)
            draw.line((*corner, corner[0], corner[1] + arm * down), fill=full(colour), width=width)


def _percent(board: Board, place: Square, text: str) -> None:
    """Write a chance over the lower edge of a tile."""
    x, top = board.middle(place)[0], board.corner(place)[1]
    wide, high = length(text, _CHANCE, bold=True) + 8, _CHANCE + 1
    corner = (x - wide // 2, top + board.tile - high + 5)
    board.picture.paste(full(_DARK), (*corner, corner[0] + wide, corner[1] + high))
    write(board.picture, text, (x, corner[1] + high / 2), Pen(_CHANCE, "white", bold=True), align=0.5)


def _draw_goal(board: Board, aim: Aim) -> None:
    """Draw the unit hollow where its way ends."""
    if aim.way:
        paint = paint_of(board.field.parties[aim.man.side])
        hollow = Item(aim.man.drawn, aim.man.number, WAY, ink="ink", rim=paint.fill)
        draw_glyph(board.picture, hollow, board.middle(aim.start), board.tile * 2 // 3)


def _signs(aim: Aim) -> Iterator[Sign]:
    """Yield what is drawn for this unit."""
    yield Sign("Start", patch=swatch(START))
    if aim.ends:
        yield Sign("Within reach", patch=swatch(WITHIN))
    if aim.way:
        yield Sign("Planned path", patch=swatch(WAY))
    if aim.shot:
        yield Sign("In range", patch=_framed(TARGET))
    if aim.melee:
        yield Sign("Melee tile", Item("corners"))
    if aim.barred:
        yield Sign("Can't hit", Item("strokes"))
    if aim.lanes:
        yield Sign("Lane, chances", patch=swatch(BAND))


def _framed(colour: str) -> tuple[Image.Image, Image.Image]:
    """Return a sample of a frame, and its coverage."""
    patch, mask = swatch("paper")
    ImageDraw.Draw(patch).rectangle((0, 0, patch.width - 1, patch.height - 1), outline=full(colour), width=4)
    return patch, mask
