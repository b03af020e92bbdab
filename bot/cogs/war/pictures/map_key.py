"""The key below a map: factions with their gold, what marks mean, and forces by their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.cogs.war.pictures.chart import Chart, Holder
from bot.cogs.war.pictures.ground import Land, draw_land
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
from bot.cogs.war.pictures.panels import FIGHT, SHIELD
from bot.cogs.war.pictures.scheme import LONE, Scheme
from bot.cogs.war.pictures.words import holder_words
from bot.ui.pictures.canvas import MARGIN, Pen, write
from bot.ui.pictures.hexes import solid
from bot.ui.pictures.lettering import wrapped
from bot.ui.pictures.rows import Item

_TEXT: Final = 20
_SIGN: Final = 18
_FORCES: Final = 17
_SAMPLE: Final = (9, 15)


class Key(Struct, frozen=True):
    """The key as it stands: factions with their words wrapped, then marks, and forces by their numbers."""

    width: int
    holders: Sequence[tuple[Holder, Sequence[str]]]
    blocks: Sequence[Block]

    @property
    def height(self) -> int:
        """How much room it takes, in pixels."""
        lines = sum(len(lines) for _, lines in self.holders)
        return lines * line_of(self.width) + height_of(self.blocks, self.width)


def key_of(
    chart: Chart, colours: Mapping[str | None, Scheme], width: int, *, numbered: bool, more: Sequence[Sign] = ()
) -> Key:
    """Return the key of a map for a picture of this width, with `more` signs than its own; forces are listed where the map has numbers for them."""
    scale = scale_of(width)
    room = width - 2 * MARGIN - round(INDENT * scale)
    holders = [
        (item, wrapped(f"{item.name}: {holder_words(item)}", round(_TEXT * scale), room))
        for item in chart.holders.values()
    ]
    blocks = [block_of([*_signs(chart, colours, scale), *more], _SIGN, width)]
    if numbered and chart.layer != "income":
        blocks.append(block_of([*_forces(chart, colours)], _FORCES, width))
    return Key(width, holders, [block for block in blocks if block.signs])


def draw_key(picture: Image.Image, key: Key, top: int, colours: Mapping[str | None, Scheme]) -> None:
    """Draw a key whose first line begins at this height."""
    scale, line, letters = scale_of(key.width), line_of(key.width), round(_TEXT * scale_of(key.width))
    for holder, lines in key.holders:
        middle = top + line // 2
        draw_sign(picture, Sign("", patch=_patch(Land(colours[holder.id]), scale)), (MARGIN, middle), (key.width, 9))
        initials = Pen(round(17 * scale), bold=True)
        write(picture, holder.letters, (MARGIN + 20 * scale, middle), initials, align=0.5)
        for number, text in enumerate(lines):
            write(picture, text, (MARGIN + INDENT * scale, middle + number * line), Pen(letters))
        top += line * len(lines)
    draw_blocks(picture, key.blocks, top)


def _forces(chart: Chart, colours: Mapping[str | None, Scheme]) -> Iterator[Sign]:
    """Yield the forces on the map by their numbers."""
    shown = {lot.at for lot in chart.lots}
    for token in (token for token in chart.tokens if token.at in shown):
        item = Item(token.drawn, str(token.number), colours.get(token.faction, LONE).piece)
        yield Sign(f"{token.name} ({token.at})", item)


def _patch(land: Land, scale: float) -> tuple[Image.Image, Image.Image]:
    """Return a sample of land, and its coverage."""
    unit, half = (round(side * scale) for side in _SAMPLE)
    return draw_land(unit, half, land), solid(unit, half)


def _signs(chart: Chart, colours: Mapping[str | None, Scheme], scale: float) -> Iterator[Sign]:
    """Yield what the marks that occur mean."""
    if any(lot.owner is None for lot in chart.lots):
        yield Sign("Neutral", patch=_patch(Land(colours[None]), scale))
    cut = next((lot.owner for lot in chart.lots if lot.cut_off), None)
    if cut is not None:
        yield Sign("Cut off", patch=_patch(Land(colours[cut], cut_off=True), scale))
    if not all(lot.seen for lot in chart.lots):
        yield Sign("Out of sight", patch=_patch(Land(colours[None], veiled=True), scale))
    yield from _pieces(chart)
    if chart.layer == "control":
        yield from _kinds(chart)
    if chart.layer == "supply":
        yield Sign("Supply source", Item("star"))
    if chart.layer == "income":
        yield Sign("Gold a turn", Item(None, "12"))
        yield Sign("Not paid out", Item(None, "(12)", "muted"))
        if not all(lot.seen for lot in chart.lots):
            yield Sign("Or more", Item(None, "12+"))
    if any(lot.fight for lot in chart.lots) and chart.layer != "income":
        yield Sign("Fight", Item("cross", colour=FIGHT))


def _pieces(chart: Chart) -> Iterator[Sign]:
    if chart.layer != "income":
        kinds = {token.drawn: token.kind for token in chart.tokens}
        yield from (Sign(label, Item(drawn)) for drawn, label in kinds.items())


def _kinds(chart: Chart) -> Iterator[Sign]:
    """Yield the marks of kinds of panels, and of what stands there."""
    kinds = {lot.mark: lot.kind for lot in chart.lots if lot.mark}
    yield from (Sign(label, Item(mark)) for mark, label in kinds.items())
    if any(lot.bonus for lot in chart.lots):
        yield Sign("Bonus gold", Item(None, "+10"))
    if any(lot.facility for lot in chart.lots):
        yield Sign("Facility", Item("works"))
    if any(lot.garrison for lot in chart.lots):
        yield Sign("Garrison", Item("people", "2", SHIELD))
