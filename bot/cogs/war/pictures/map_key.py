"""The key below a map: factions with their gold, what marks mean, and forces by their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.cogs.war.pictures.chart import Chart, Holder
from bot.cogs.war.pictures.ground import Land, draw_land
from bot.cogs.war.pictures.panels import FIGHT, SHIELD
from bot.cogs.war.pictures.scheme import LONE, Scheme
from bot.cogs.war.pictures.words import holder_words
from bot.ui.pictures.canvas import COVERED, MARGIN, Pen, write
from bot.ui.pictures.hexes import face
from bot.ui.pictures.lettering import clip, length, wrapped
from bot.ui.pictures.rows import Item, draw_glyph, draw_row

_USUAL: Final = 800
_GAP: Final = 8
_LINE: Final = 30
_TEXT: Final = 20
_SIGN: Final = 18
_SAMPLE: Final = (10, 17)
_INDENT: Final = 46
_COLUMN: Final = 190
_FORCES: Final = 17
"""Sizes at the usual width of a map, in pixels; a wider one has larger letters, so that they can be read on a telephone too."""


class Sign(Struct, frozen=True):
    """What a mark on the map means; `land` is a sample of land instead."""

    words: str
    item: Item | None = None
    land: Land | None = None


class Block(Struct, frozen=True):
    """Lines of the key in so many columns."""

    signs: Sequence[Sign]
    columns: int
    letters: int

    @property
    def rows(self) -> int:
        """How many lines stand one below the other."""
        return -(-len(self.signs) // self.columns)


class Key(Struct, frozen=True):
    """The key as it stands: how large compared to the usual, factions with their words wrapped, marks, and forces by their numbers."""

    scale: float
    holders: Sequence[tuple[Holder, Sequence[str]]]
    blocks: Sequence[Block]

    @property
    def line(self) -> int:
        """The height of a line, in pixels."""
        return round(_LINE * self.scale)

    @property
    def height(self) -> int:
        """How much room it takes, in pixels."""
        rows = sum(len(lines) for _, lines in self.holders) + sum(block.rows for block in self.blocks)
        return self.line * rows + _GAP * len(self.blocks)


def key_of(chart: Chart, colours: Mapping[str | None, Scheme], width: int, *, numbered: bool) -> Key:
    """Return the key of a map for a picture of this width; forces are listed where the map has numbers for them."""
    scale, room = width / _USUAL, width - 2 * MARGIN
    letters = round(_TEXT * scale)
    holders = [
        (item, wrapped(f"{item.name}: {holder_words(item)}", letters, room - round(_INDENT * scale)))
        for item in chart.holders.values()
    ]
    blocks = [Block([*_signs(chart, colours)], max(1, int(room // (_COLUMN * scale))), round(_SIGN * scale))]
    if numbered and chart.layer != "income":
        blocks.append(_forces(chart, colours, scale, room))
    return Key(scale, holders, [block for block in blocks if block.signs])


def draw_key(picture: Image.Image, key: Key, top: int, colours: Mapping[str | None, Scheme]) -> None:
    """Draw a key whose first line begins at this height."""
    for holder, lines in key.holders:
        _sample(picture, key, Land(colours[holder.id]), (MARGIN, top + key.line // 2))
        place = (MARGIN + 20 * key.scale, top + key.line // 2)
        write(picture, holder.letters, place, Pen(round(17 * key.scale), bold=True), align=0.5)
        for line in lines:
            write(picture, line, (MARGIN + _INDENT * key.scale, top + key.line // 2), Pen(round(_TEXT * key.scale)))
            top += key.line
    for block in key.blocks:
        top += _GAP
        step = (picture.width - 2 * MARGIN) // block.columns
        for number, sign in enumerate(block.signs):
            place = (MARGIN + number // block.rows * step, top + number % block.rows * key.line + key.line // 2)
            _draw_sign(picture, key, sign, place, (step, block.letters))
        top += block.rows * key.line


def _forces(chart: Chart, colours: Mapping[str | None, Scheme], scale: float, room: int) -> Block:
    """Return the list of forces, in as many columns as their words leave room for."""
    letters = round(_FORCES * scale)
    signs = [
        Sign(
            f"{token.name} ({token.at})",
            Item(token.drawn, str(token.number), colours.get(token.faction, LONE).piece),
        )
        for token in chart.tokens
    ]
    widest = max((length(sign.words, letters) for sign in signs), default=1) + (_INDENT + 6) * scale
    return Block(signs, max(1, min(4, int(room // widest))), letters)


def _draw_sign(picture: Image.Image, key: Key, sign: Sign, at: tuple[int, int], room: tuple[int, int]) -> None:
    """Draw a line of the key; `room` is its width, and the size of its letters."""
    middle = (at[0] + 20 * key.scale, at[1])
    if sign.land is not None:
        _sample(picture, key, sign.land, at)
    elif sign.item is not None and sign.item.shape and sign.item.text:
        draw_glyph(picture, sign.item, middle, round(27 * key.scale))
    elif sign.item is not None:
        draw_row(picture, [sign.item], middle, (round(40 * key.scale), round(22 * key.scale)))
    left = at[0] + _INDENT * key.scale
    write(picture, clip(sign.words, room[1], int(at[0] + room[0] - left)), (left, at[1]), Pen(room[1]))


def _sample(picture: Image.Image, key: Key, land: Land, at: tuple[int, int]) -> None:
    unit, half = (round(side * key.scale * 0.9) for side in _SAMPLE)
    middle = round(20 * key.scale)
    picture.paste(
        draw_land(unit, half, land), (at[0] + middle - 2 * unit, at[1] - half), face(unit, half).point(COVERED)
    )


def _signs(chart: Chart, colours: Mapping[str | None, Scheme]) -> Iterator[Sign]:
    """Yield what the marks that occur mean."""
    if any(lot.owner is None for lot in chart.lots):
        yield Sign("Neutral", land=Land(colours[None]))
    cut = next((lot.owner for lot in chart.lots if lot.cut_off), None)
    if cut is not None:
        yield Sign("Cut off", land=Land(colours[cut], cut_off=True))
    if not all(lot.seen for lot in chart.lots):
        yield Sign("Not seen", land=Land(colours[None], veiled=True))
    yield from _pieces(chart)
    if chart.layer == "control":
        yield from _kinds(chart)
    if chart.layer == "supply":
        yield Sign("Supply begins", Item("star"))
    if chart.layer == "income":
        yield Sign("Gold a turn", Item(None, "12"))
        yield Sign("Pays nobody", Item(None, "(12)", "muted"))
    if any(lot.fight for lot in chart.lots) and chart.layer != "income":
        yield Sign("Fight", Item("swords", colour=FIGHT))


def _pieces(chart: Chart) -> Iterator[Sign]:
    if chart.layer != "income":
        kinds = {token.drawn: token.kind for token in chart.tokens}
        yield from (Sign(label, Item(drawn)) for drawn, label in kinds.items())


def _kinds(chart: Chart) -> Iterator[Sign]:
    """Yield the marks of kinds of panels, and of what stands there."""
    kinds = {lot.mark: lot.kind for lot in chart.lots if lot.mark}
    yield from (Sign(label, Item(mark)) for mark, label in kinds.items())
    if any(lot.bonus for lot in chart.lots):
        yield Sign("Gold on top", Item(None, "+10"))
    if any(lot.facility for lot in chart.lots):
        yield Sign("Facility", Item("works"))
    if any(lot.garrison for lot in chart.lots):
        yield Sign("Garrison", Item("people", "2", SHIELD))
