"""The picture of counted faces: bars, with a line where each should end."""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from PIL import Image

from bot.ui.pictures.canvas import EDGE, ROOM, Pen, blank, find_least_size, length, png, write
from bot.ui.pictures.style import RAMP, number

MOST_BARS: Final = 20
"""More faces than this share bars."""

_SIZE: Final = find_least_size(*ROOM)
_LINE_HEIGHT: Final = _SIZE + 6
_ROOM: Final = 140
_GAP: Final = 3
_HEAD: Final = Pen(_SIZE + 3, bold=True)
_LABEL: Final = Pen(_SIZE, over="muted")
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


def draw_chart(blocks: Sequence[Bars]) -> bytes:
    """Draw the picture as a PNG."""
    each = _ROOM + 3 * _LINE_HEIGHT
    picture = blank(ROOM[0], each * len(blocks) + 2 * EDGE)
    for place, block in enumerate(blocks):
        _draw(picture, block, EDGE + place * each)
    return png(picture)


def _draw(picture: Image.Image, block: Bars, top: int) -> None:
    write(picture, block.head, (EDGE, top + _LINE_HEIGHT // 2), _HEAD)
    base, across = top + 2 * _LINE_HEIGHT + _ROOM, (picture.width - 2 * EDGE) / len(block.bars)
    highest = max(*(seen for _, seen in block.bars), *block.expected, 1)
    for place, ((_, seen), due) in enumerate(zip(block.bars, block.expected, strict=True)):
        left, right = round(EDGE + place * across), round(EDGE + (place + 1) * across) - _GAP
        tall, line = round(seen / highest * _ROOM), base - round(due / highest * _ROOM)
        if tall:
            picture.paste(number(_BAR), (left, base - tall, right, base))
        picture.paste(number(_LINE), (left - 1, line - 1, right + 1, line + 1))
        if length(str(seen), _SIZE) <= across:  # the text has all counts
            write(
                picture,
                str(seen),
                ((left + right) / 2, base - max(tall, base - line) - _SIZE / 2),
                Pen(_SIZE),
                align=0.5,
            )
    for label, start, end in _list_labels([label for label, _ in block.bars], across):
        write(picture, label, ((start + end - _GAP) / 2, base + _LINE_HEIGHT / 2), _LABEL, align=0.5)
    picture.paste(number("border"), (EDGE, base, picture.width - EDGE - _GAP, base + 1))


def _list_labels(labels: Sequence[str], across: float) -> Iterator[tuple[str, float, float]]:
    every = -(-max(length(label, _SIZE) + _GAP for label in labels) // int(across))
    for place in range(0, len(labels), every):
        left = EDGE + place * across
        yield labels[place], left, left + across
