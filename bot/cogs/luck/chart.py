"""The picture of counted faces: bars, with a line where each should end."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import MARGIN, TITLE_HEIGHT, Pen, blank, headline, png, write
from bot.ui.pictures.style import RAMP, number

WIDTH: Final = 660
MOST_BARS: Final = 20
"""More faces than this share bars."""

_HEAD: Final = 34
_ROOM: Final = 120
_FOOT: Final = 34
_GAP: Final = 3
_LABEL, _LEAST_LABELLED, _TALL = Pen(19, bold=True), 22, 24
_LABEL_SIZES: Final = ((15, 2), (11, 5), (9, 9))
_BAR, _LINE = RAMP[2], "ink"


class Bars(Struct, frozen=True):
    """One die's bars (label, count), and how many of each a fair die would have."""

    head: str
    bars: Sequence[tuple[str, int]]
    expected: Sequence[float]


def make_bars(head: str, counts: Sequence[int]) -> Bars:
    """Group counts by face into bars."""
    size = -(-len(counts) // MOST_BARS)
    starts = range(0, len(counts), size)
    groups = [counts[start : start + size] for start in starts]
    ends = [(start + 1, start + len(group)) for start, group in zip(starts, groups, strict=True)]
    labels = [str(first) if first == last else f"{first}-{last}" for first, last in ends]
    expected = [sum(counts) * len(group) / len(counts) for group in groups]
    return Bars(head, list(zip(labels, map(sum, groups), strict=True)), expected)


def draw_chart(title: str, blocks: Sequence[Bars]) -> bytes:
    """Draw the picture as a PNG."""
    each = _HEAD + _ROOM + _FOOT
    picture = blank(WIDTH, TITLE_HEIGHT + each * len(blocks) + MARGIN // 2)
    headline(picture, title, WIDTH - 2 * MARGIN)
    for place, block in enumerate(blocks):
        _draw(picture, block, TITLE_HEIGHT + place * each)
    return png(picture)


def _draw(picture: Image.Image, block: Bars, top: int) -> None:
    write(picture, block.head, (MARGIN, top + _HEAD // 2), _LABEL)
    base, across = top + _HEAD + _ROOM, (WIDTH - 2 * MARGIN) / len(block.bars)
    highest = max(*(seen for _, seen in block.bars), *block.expected, 1)
    for place, ((label, seen), due) in enumerate(zip(block.bars, block.expected, strict=True)):
        left, right = round(MARGIN + place * across), round(MARGIN + (place + 1) * across) - _GAP
        tall, line = round(seen / highest * (_ROOM - 18)), base - round(due / highest * (_ROOM - 18))
        if tall:
            picture.paste(number(_BAR), (left, base - tall, right, base))
        picture.paste(number(_LINE), (left - 1, line - 1, right + 1, line + 1))
        middle = (left + right) / 2
        if right - left >= _LEAST_LABELLED:
            write(picture, label, (middle, base + 12), _label_pen(label), align=0.5)
            within = tall >= _TALL  # at the foot of its bar, where no line crosses it
            pen = Pen(13, under=_BAR) if within else Pen(13)
            write(picture, str(seen), (middle, base - 10 if within else base - tall - 9), pen, align=0.5)
    picture.paste(number("border"), (MARGIN, base, WIDTH - MARGIN - _GAP, base + 1))


def _label_pen(label: str) -> Pen:
    return Pen(next(size for size, longest in _LABEL_SIZES if len(label) <= longest), over="muted")
