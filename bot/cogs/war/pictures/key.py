"""The key below a picture: samples of what is drawn, and what they mean, in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.cogs.war.pictures.chart import MapFaction
from bot.ui.pictures.canvas import MARGIN, Pen, write
from bot.ui.pictures.lettering import clip, length
from bot.ui.pictures.rows import Item, draw_glyph, draw_row
from bot.ui.pictures.tints import tinted

LUMINANCES: Final = (0.48, 0.27, 0.37, 0.23, 0.56, 0.32)
"""The relative luminance of the first faction's land, the second's, and so on: dark letters read on each with 4.5 to 1 at least."""

PATTERNS: Final = ("", "", "upright", "level", "grid")
_CUT_OFF: Final = 0.5
"""How far land that is cut off comes nearer to white."""

_DEEP: Final = 0.07
_LINE: Final = 0.13


class Scheme(Struct, frozen=True):
    """A faction's colours: land, land that is cut off, the lines of hatching and borders, pieces (on which white reads); and the pattern of its land."""

    land: str
    pale: str
    line: str
    piece: str
    pattern: str = ""


NEUTRAL_SCHEME: Final = Scheme("#dcdee1", "#dcdee1", "#9aa1a9", "#4a525c")
LONE_SCHEME: Final = Scheme("#dcdee1", "#dcdee1", "#4a525c", "#3b3f45")
"""A lone rogue, who has pieces and no land."""


def scheme_of(colour: str, place: int) -> Scheme:
    """Return the colours of the faction of this place among all, counted from 0."""
    light = LUMINANCES[place % len(LUMINANCES)]
    pale = light + (1 - light) * _CUT_OFF
    return Scheme(
        tinted(colour, light),
        tinted(colour, pale),
        tinted(colour, _LINE),
        tinted(colour, _DEEP),
        PATTERNS[place % len(PATTERNS)],
    )


def schemes(holders: Mapping[str, MapFaction]) -> dict[str | None, Scheme]:
    """Return the colours of each faction by its id; None is neutral land."""
    return {None: NEUTRAL_SCHEME, **{name: scheme_of(item.colour, item.place) for name, item in holders.items()}}


INDENT: Final = 46
"""How far the words stand from the left end of their sample, at a scale of 1."""

LINE: Final = 30
"""The height of a line, at a scale of 1."""

GAP: Final = 8
_USUAL: Final = 800
_MIDDLE: Final = 20
_PIECE: Final = 27
_MARK: Final = (40, 22)


class Sign(Struct, frozen=True):
    """What something that is drawn means: words, with a glyph for their sample, or a picture and its coverage."""

    words: str
    item: Item | None = None
    patch: tuple[Image.Image, Image.Image] | None = None


class Block(Struct, frozen=True):
    """Signs in so many columns, their words of a size in pixels."""

    signs: Sequence[Sign]
    columns: int
    letters: int

    @property
    def rows(self) -> int:
        """How many lines stand one below the other."""
        return -(-len(self.signs) // self.columns)


def scale_of(width: int) -> float:
    """Return how large a key is on a picture of this width: larger on a wider one, so that a telephone shows all alike."""
    return width / _USUAL


def block_of(signs: Sequence[Sign], letters: int, width: int, most: int = 4) -> Block:
    """Return signs with letters of this size at a scale of 1, in as many columns as they leave room for."""
    scale = scale_of(width)
    size = round(letters * scale)
    widest = max((length(sign.words, size) for sign in signs), default=1) + (INDENT + GAP) * scale
    return Block(signs, max(1, min(most, int((width - 2 * MARGIN) // widest))), size)


def line_of(width: int) -> int:
    """Return the height of a line on a picture of this width, in pixels."""
    return round(LINE * scale_of(width))


def height_of(blocks: Sequence[Block], width: int) -> int:
    """Return how much room blocks take, in pixels."""
    return sum(block.rows * line_of(width) + GAP for block in blocks)


def draw_blocks(picture: Image.Image, blocks: Sequence[Block], top: int) -> None:
    """Draw blocks of signs one below the other."""
    line = line_of(picture.width)
    for block in blocks:
        top += GAP
        step = (picture.width - 2 * MARGIN) // block.columns
        for number, sign in enumerate(block.signs):
            place = (MARGIN + number // block.rows * step, top + number % block.rows * line + line // 2)
            draw_sign(picture, sign, place, (step, block.letters))
        top += block.rows * line


def draw_sign(picture: Image.Image, sign: Sign, at: tuple[int, int], room: tuple[int, int]) -> None:
    """Draw a sign, its left end and middle height at a place; `room` is its width, and the size of its letters."""
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
    write(picture, clip(sign.words, room[1], int(at[0] + room[0] - left)), (left, at[1]), Pen(room[1]))
