"""The chart of a forecast: for each zone a bar, cut into its categories by their chances, coloured by how severe they are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, Pen, blank, headline, png, write
from bot.ui.pictures.key import GAP, Cell, KeyLine, draw_key, height, laid_out
from bot.ui.pictures.lettering import clip, length, on_one_line
from bot.ui.pictures.palette import fill_of, ink_on
from bot.ui.pictures.tiles import base
from rules.phrases import percent

_WIDTH: Final = 660
"""About twice what a telephone shows, so that the letters can be read there."""

_HEAD: Final = 30
_BAR: Final = 52
_SPACE: Final = 2
_LEAST: Final = 8
_BLOCK: Final = _HEAD + _BAR + 8
_SIZES: Final = range(24, 9, -1)
_SMALL_SIZES: Final = range(19, 9, -1)
_ASIDE: Final = Pen(19, over="muted")


class Share(Struct, frozen=True):
    """A category that may come: its cell and its chance."""

    cell: Cell
    chance: Fraction


class ZoneOdds(Struct, frozen=True):
    """What may come in a zone, calm first, and what is to be said beside its name."""

    label: str
    aside: str
    shares: Sequence[Share]


def forecast_chart(title: str, zones: Sequence[ZoneOdds], key: Sequence[KeyLine]) -> bytes:
    """Return the chart as a PNG."""
    meanings = laid_out(key, _WIDTH)
    foot = TITLE_HEIGHT + len(zones) * _BLOCK
    picture = blank(_WIDTH, foot + GAP + height(meanings) + MARGIN)
    headline(picture, title, _WIDTH - 2 * MARGIN)
    for number, zone in enumerate(zones):
        _draw_zone(picture, zone, TITLE_HEIGHT + number * _BLOCK)
    draw_key(picture, meanings, foot + GAP)
    return png(picture)


def _draw_zone(picture: Image.Image, zone: ZoneOdds, top: int) -> None:
    middle, end = top + _HEAD // 2, picture.width - MARGIN
    aside = clip(zone.aside, _ASIDE.size, (end - MARGIN) // 2)
    room = end - MARGIN - GAP - length(aside, _ASIDE.size)
    size, label = on_one_line(zone.label, _SIZES, room)
    write(picture, label, (MARGIN, middle), Pen(size, bold=True))
    write(picture, aside, (end, middle), _ASIDE, align=1)
    drawn = [(share, *ends) for share, ends in zip(zone.shares, _ends(zone.shares, end - MARGIN), strict=True)]
    narrow = [(share.cell.text, right - left - _SPACE) for share, left, right in drawn]
    size = min((on_one_line(text, _SIZES, width)[0] for text, width in narrow), default=_SIZES[0])
    for share, left, right in drawn:
        _draw_share(picture, share, (MARGIN + left, top + _HEAD), (right - left - _SPACE, size))


def _ends(shares: Sequence[Share], width: int) -> list[tuple[int, int]]:
    """Return where each share begins and ends on a bar of this width."""
    ends = [round(width * place) for place in accumulate((share.chance for share in shares), initial=Fraction(0))]
    return [(left, max(right, left + _LEAST)) for left, right in pairwise(ends)]


def _draw_share(picture: Image.Image, share: Share, at: tuple[int, int], room: tuple[int, int]) -> None:
    """Draw a share at a corner; `room` is its width, and the size of its letters."""
    width, letters = room
    fill = fill_of(share.cell.severity)
    picture.paste(base((width, _BAR), fill, land=True, below="paper"), at)
    chance = percent(share.chance).removesuffix("%")
    small, chance = on_one_line(chance, _SMALL_SIZES, width)
    for text, size, middle in ((clip(share.cell.text, letters, width, bold=True), letters, 18), (chance, small, 38)):
        write(picture, text, (at[0] + width / 2, at[1] + middle), Pen(size, ink_on(fill), fill), align=0.5)
