"""The key below a picture, in columns."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import MARGIN, Pen, clip, length, write
from bot.ui.pictures.rows import RowItem, draw_glyph, draw_row

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
    return Block(signs, max(1, min(most, int((width - 2 * MARGIN) // widest))), size)


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
        step = (picture.width - 2 * MARGIN) // block.columns
        for number, sign in enumerate(block.signs):
            place = (MARGIN + number // block.rows * step, top + number % block.rows * line + line // 2)
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
    write(picture, clip(sign.words, room[1], int(at[0] + room[0] - left)), (left, at[1]), Pen(room[1]))
