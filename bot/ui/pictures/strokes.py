"""Lines and arrows over a picture of full colour, smooth and as faint as wanted."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from bot.ui.pictures.canvas import lay

_FINE: Final = 2
_HEAD: Final = 3.2
_SPREAD: Final = 0.5
_MOST_OFF: Final = 0.9

Point = tuple[float, float]


def draw_lines(
    picture: Image.Image, lines: Sequence[Sequence[Point]], width: float, colour: str, *, cover: int = 255
) -> None:
    """Draw lines through points in pixels; `cover`, 0 to 255, is how much they hide of what is below."""
    _drawn(picture, lines, width, colour, (cover, False))


def draw_arrows(
    picture: Image.Image, lines: Sequence[Sequence[Point]], width: float, colour: str, *, short: int = 0
) -> None:
    """Draw lines through points in pixels, each with a head so far before its end."""
    ended = [_shortened(line, short) for line in lines]
    _drawn(picture, ended, width, colour, (255, True))


def _drawn(
    picture: Image.Image, lines: Sequence[Sequence[Point]], width: float, colour: str, look: tuple[int, bool]
) -> None:
    points = [point for line in lines for point in line]
    if not points:
        return
    room = width * (_HEAD + 1)
    left, top = (max(0, int(min(point[axis] for point in points) - room)) for axis in (0, 1))
    right, bottom = (int(max(point[axis] for point in points) + room) for axis in (0, 1))
    fine = Image.new("L", ((right - left) * _FINE, (bottom - top) * _FINE))
    draw = ImageDraw.Draw(fine)
    for line in lines:
        placed = [((x - left) * _FINE, (y - top) * _FINE) for x, y in line]
        body = _shortened(placed, width * _FINE * _HEAD * 0.7) if look[1] else placed
        draw.line(body, fill=look[0], width=max(1, round(width * _FINE)), joint="curve")
        if look[1]:
            draw.polygon(_head(placed, width * _FINE * _HEAD), fill=look[0])
    lay(picture, fine.reduce(_FINE), (left, top), colour)


def _head(points: Sequence[Point], size: float) -> list[Point]:
    """Return the corners of an arrow's head at the end of a line."""
    (x, y), turn = points[-1], _turn(points)
    sides = (turn + pi - _SPREAD, turn + pi + _SPREAD)
    return [(x, y), *((x + size * cos(side), y + size * sin(side)) for side in sides)]


def _shortened(points: Sequence[Point], by: float) -> list[Point]:
    """Return a line that ends a little before its last point."""
    (x, y), turn = points[-1], _turn(points)
    by = min(by, hypot(x - points[-2][0], y - points[-2][1]) * _MOST_OFF)
    return [*points[:-1], (x - by * cos(turn), y - by * sin(turn))]


def _turn(points: Sequence[Point]) -> float:
    (before_x, before_y), (x, y) = points[-2:]
    return atan2(y - before_y, x - before_x)
