"""Measure and wrap letters, and draw on a picture: letters, chips, lines, arrows and hexes."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from io import BytesIO
from math import atan2, ceil, cos, hypot, pi, sin
from typing import Final
from unicodedata import category, normalize

from msgspec import Struct
from PIL import Image, ImageDraw, ImageFilter, ImageOps

from bot.ui.pictures.style import full, has, main_font, nearest, number, palette, runs, steps
from rules.geometry import DIRECTIONS, Hex

LINE: Final = 1.08
"""Line distance as a multiple of the size."""

_LONGEST: Final = 200
_BOLD: Final = 0.45
_ELLIPSIS: Final = "…"
_BLANK: Final = {"Cc", "Cs", "Zl", "Zp", "Zs"}
_UNSEEN: Final = re.compile("[\ufe00-\ufe0f]")
"""Variation selectors, as of coloured emoji."""

_WIDE: Final = "\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60"
"""Chinese and Japanese letters, between which a line can end."""

_WORDS: Final = re.compile(rf"[{_WIDE}]\s*|[^\s{_WIDE}-]*-+\s*|[^\s{_WIDE}-]+\s*")


@lru_cache(2048)
def clean(text: str) -> str:
    """Return at most 200 characters on one line, without invisible signs. Rare forms become plain letters."""
    composed = normalize("NFC", _UNSEEN.sub("", text[:_LONGEST])).replace("...", _ELLIPSIS)
    return " ".join("".join(map(_drawable, composed)).split())


@lru_cache(4096)
def _drawable(sign: str) -> str:
    kind = category(sign)
    if kind in _BLANK:
        return " "
    if kind == "Cf":
        return ""
    plainer = normalize("NFKC", sign)
    return plainer if not has(sign) and all(map(has, plainer)) else sign


@lru_cache(4096)
def length(text: str, size: int, *, bold: bool = False) -> int:
    """Return a line's width in pixels."""
    return ceil(sum(font.getlength(part) for font, part in runs(clean(text), size))) + bold


@lru_cache(2048)
def clip(text: str, size: int, width: int, *, bold: bool = False) -> str:
    """Cut a text to `width` pixels with an ellipsis; empty if nothing fits."""
    text = clean(text)
    if length(text, size, bold=bold) <= width:
        return text
    cuts = (text[:end].rstrip() + _ELLIPSIS for end in range(len(text) - 1, 0, -1))
    return next((cut for cut in cuts if length(cut, size, bold=bold) <= width), "")


@lru_cache(1024)
def fit_one_line(text: str, sizes: Sequence[int], width: int) -> tuple[int, str]:
    """Return the first of the falling `sizes` at which a bold line fits, and the line, cut at the last size."""
    size = next((size for size in sizes if length(text, size, bold=True) <= width), sizes[-1])
    return size, clip(text, size, width, bold=True)


@lru_cache(1024)
def fit_text(text: str, sizes: Sequence[int], width: int, height: int) -> tuple[int, tuple[str, ...]]:
    """Return the first of the falling `sizes` at which a text fits a box, and its lines, cut at the last size."""
    for size in sizes:
        lines = wrap(clean(text), size, width)
        if len(lines) <= _measure_room(size, height) and all(length(line, size) <= width for line in lines):
            return size, lines
    size = sizes[-1]
    lines = wrap(clean(text), size, width)
    room = _measure_room(size, height)
    rows = (*lines[: room - 1], " ".join(lines[room - 1 :]))
    return size, tuple(clip(line, size, width) for line in rows if line)


@lru_cache(2048)
def letters(text: str, size: int, *, bold: bool = False) -> Image.Image:
    """Return a line's coverage, 0 to 255. Its height depends on the size only."""
    base, below = main_font(size).getmetrics()
    mask = Image.new("L", (max(1, length(text, size, bold=bold)), base + below))
    draw, left = ImageDraw.Draw(mask), 0.0
    for font, part in runs(clean(text), size):
        draw.text((left, base), part, fill=255, font=font, anchor="ls", stroke_width=_BOLD if bold else 0)
        left += font.getlength(part)
    return mask


def _measure_room(size: int, height: int) -> int:
    return max(1, int(height / (size * LINE)))


def wrap(text: str, size: int, width: int) -> tuple[str, ...]:
    """Wrap a text to a width. A wider word gets its own line."""
    lines = [""]
    for word in _WORDS.findall(text):
        if lines[-1] and length(lines[-1] + word, size) > width:
            lines.append("")
        lines[-1] += word
    return tuple(line.rstrip() for line in lines)


PHONE: Final = (400, 280)
"""The most of a picture that a phone shows, in its pixels."""

_READABLE: Final = 9
ROOM: Final = (1000, 700)
"""The same in a picture's pixels: sharp when opened."""

EDGE: Final = 8
"""Paper around what is drawn."""


def find_least_size(width: int, height: int) -> int:
    """Return the size of letters that a phone shows 9 pixels high."""
    return ceil(_READABLE * max(1, width / PHONE[0], height / PHONE[1]))


FULL: Final = "RGB"
"""Full colour: for colours unknown beforehand, and shapes over several colours."""

CREST: Final = 3
_FINE: Final = 4
_RADIUS: Final = 9
_AROUND: Final = 3
_WAVE_LENGTH: Final = 22
_WAVE_HEIGHT: Final = 2.5
COVERED: Final = [0] + [255] * 255


class Pen(Struct, frozen=True):
    """How letters are written: size in pixels, colour, and the colour below."""

    size: int
    over: str = "ink"
    under: str = "paper"
    bold: bool = False


def blank(width: int, height: int, colour: str = "paper") -> Image.Image:
    """Return an empty picture of palette entries, in a colour."""
    return Image.new("L", (width, height), number(colour))


def sheet(width: int, height: int, colour: str = "paper") -> Image.Image:
    """Return an empty picture in full colour (RGB)."""
    return Image.new(FULL, (width, height), full(colour))


def lay(picture: Image.Image, mask: Image.Image, at: tuple[int, int], colour: str) -> None:
    """Lay a colour on a full-colour picture through a mask."""
    picture.paste(full(colour), at, mask)


def png(picture: Image.Image, keep: Iterable[str] = ()) -> bytes:
    """Return PNG data of at most 256 colours. `keep` are rare colours that a full-colour picture must not lose."""
    level = 2 if picture.mode == FULL else 3
    if picture.mode == FULL:
        picture = nearest(picture, keep)
    else:
        picture.putpalette(palette())
    out = BytesIO()
    picture.save(out, "PNG", compress_level=level)
    return out.getvalue()


def stamp(picture: Image.Image, mask: Image.Image, at: tuple[int, int], colours: tuple[str, str]) -> None:
    """Lay the first colour through a mask on a palette picture, smooth against the second."""
    picture.paste(mask.point(steps(*colours)), at, mask.point(COVERED))


def write(  # noqa: PLR0913 - what is written, where, and how it looks
    picture: Image.Image, text: str, at: tuple[float, float], pen: Pen, align: float = 0, *, halo: bool = False
) -> int:
    """Write a line, return its width. `at` is its middle height, and left (`align` 0), middle (0.5) or right (1).

    A `halo` of the colour below parts it from what it covers, in full colour.
    """
    mask = letters(text, pen.size, bold=pen.bold)
    corner = (int(at[0] - mask.width * align), int(at[1] - mask.height / 2))
    if halo:
        lay(picture, _halo(text, pen.size, bold=pen.bold), (corner[0] - _AROUND, corner[1] - _AROUND), pen.under)
    if picture.mode == FULL:
        picture.paste(full(pen.over), corner, mask)
    else:
        coloured, covered = _render(text, pen)
        picture.paste(coloured, corner, covered)
    return mask.width


@lru_cache(1024)
def _halo(text: str, size: int, *, bold: bool) -> Image.Image:
    return ImageOps.expand(letters(text, size, bold=bold), _AROUND).filter(ImageFilter.MaxFilter(2 * _AROUND - 1))


@lru_cache(2048)
def _render(text: str, pen: Pen) -> tuple[Image.Image, Image.Image]:
    mask = letters(text, pen.size, bold=pen.bold)
    return mask.point(steps(pen.over, pen.under)), mask.point(COVERED)


@lru_cache(256)
def shape(size: tuple[int, int], *, radius: int = 0, wavy: bool = False, inset: float = 0) -> Image.Image:
    """Return a mask of a box, rounded or wavy, its edges `inset` pixels further in."""
    width, height = (side * _FINE for side in size)
    fine = Image.new("L", (width, height))
    if wavy:
        ImageDraw.Draw(fine).polygon(_waves(*size, inset), fill=255)
    else:
        inner = inset * _FINE
        edges = (inner, inner, width - inner - 1, height - inner - 1)
        rounding = max(0, (radius or min(_RADIUS, *(side // 4 for side in size))) - inset) * _FINE
        ImageDraw.Draw(fine).rounded_rectangle(edges, rounding, fill=255)
    return fine.reduce(_FINE)


@lru_cache(64)
def flood(size: tuple[int, int], depth: int) -> Image.Image:
    """Return a mask of water in a box: its lowest `depth` pixels, with waves on top."""
    width, height = size
    fine = Image.new("L", (width * _FINE, height * _FINE))
    surface = [(x, _crest(x, height - depth)) for x in range(0, width + 1, 1)]
    corners = [(width, height), (0, height)]
    ImageDraw.Draw(fine).polygon([(x * _FINE, y * _FINE) for x, y in [*surface, *corners]], fill=255)
    return fine.reduce(_FINE)


def _waves(width: int, height: int, inset: float) -> list[tuple[float, float]]:
    across = [inset, *range(2, width - 1), width - inset]
    upper = [(x, _crest(x, inset + _WAVE_HEIGHT)) for x in across]
    lower = [(x, _crest(x, height - inset - _WAVE_HEIGHT)) for x in reversed(across)]
    return [(x * _FINE, y * _FINE) for x, y in [*upper, *lower]]


def _crest(x: float, middle: float) -> float:
    return middle + _WAVE_HEIGHT * sin(2 * pi * x / _WAVE_LENGTH)


_LINE_SCALE: Final = 2
_HEAD: Final = 3.2
_SPREAD: Final = 0.5
_MOST_OFF: Final = 0.9
Point = tuple[float, float]


def draw_arrows(
    picture: Image.Image, lines: Sequence[Sequence[Point]], width: float, colour: str, *, short: int = 0
) -> None:
    """Draw lines with heads, ending `short` pixels early."""
    ended = [_shorten_line(line, short) for line in lines]
    draw_lines(picture, ended, width, colour, heads=True)


def draw_lines(  # noqa: PLR0913 - what is drawn, and how it looks
    picture: Image.Image,
    lines: Sequence[Sequence[Point]],
    width: float,
    colour: str,
    *,
    cover: int = 255,
    heads: bool = False,
) -> None:
    """Draw lines through points, with `heads` as arrows. `cover`, 0 to 255, hides what is below."""
    points = [point for line in lines for point in line]
    if not points:
        return
    room = width * (_HEAD + 1)
    left, top = (max(0, int(min(point[axis] for point in points) - room)) for axis in (0, 1))
    right, bottom = (int(max(point[axis] for point in points) + room) for axis in (0, 1))
    fine = Image.new("L", ((right - left) * _LINE_SCALE, (bottom - top) * _LINE_SCALE))
    draw = ImageDraw.Draw(fine)
    for line in lines:
        placed = [((x - left) * _LINE_SCALE, (y - top) * _LINE_SCALE) for x, y in line]
        body = _shorten_line(placed, width * _LINE_SCALE * _HEAD * 0.7) if heads else placed
        draw.line(body, fill=cover, width=max(1, round(width * _LINE_SCALE)), joint="curve")
        if heads:
            draw.polygon(_arrow_head(placed, width * _LINE_SCALE * _HEAD), fill=cover)
    lay(picture, fine.reduce(_LINE_SCALE), (left, top), colour)


def _arrow_head(points: Sequence[Point], size: float) -> list[Point]:
    (x, y), turn = points[-1], _turn(points)
    sides = (turn + pi - _SPREAD, turn + pi + _SPREAD)
    return [(x, y), *((x + size * cos(side), y + size * sin(side)) for side in sides)]


def _shorten_line(points: Sequence[Point], by: float) -> list[Point]:
    (x, y), turn = points[-1], _turn(points)
    by = min(by, hypot(x - points[-2][0], y - points[-2][1]) * _MOST_OFF)
    return [*points[:-1], (x - by * cos(turn), y - by * sin(turn))]


def _turn(points: Sequence[Point]) -> float:
    (before_x, before_y), (x, y) = points[-2:]
    return atan2(y - before_y, x - before_x)


_HEX_SCALE: Final = 3
_WIDEST_UNIT: Final = 60
_ROOT: Final = 1.7320508
_STRETCHED: Final = 1.65
_NARROWED: Final = 0.85
"""The widest and narrowest hexes, beside regular ones: a phone is wide."""


class Grid(Struct, frozen=True):
    """Hexes in pixels: `unit` is half an upper edge, `half` half a height. `first` has the least column and row."""

    unit: int
    half: int
    corner_of_first: tuple[int, int]
    first: tuple[int, int]
    width: int
    height: int

    def corner(self, place: Hex) -> tuple[int, int]:
        """Return the upper left corner of a hex's box."""
        column, row = place.q - self.first[0], 2 * place.r + place.q - self.first[1]
        return self.corner_of_first[0] + 3 * self.unit * column, self.corner_of_first[1] + self.half * row

    def middle(self, place: Hex) -> tuple[int, int]:
        """Return the middle of a hex."""
        left, top = self.corner(place)
        return left + 2 * self.unit, top + self.half


def grid_of(panels: Iterable[Hex]) -> Grid:
    """Return the largest grid that a phone shows whole."""
    places = [*panels] or [Hex(0, 0)]
    columns, rows = [place.q for place in places], [2 * place.r + place.q for place in places]
    across, down = 3 * (max(columns) - min(columns) + 1) + 1, max(rows) - min(rows) + 2
    wide, high = (room - 2 * EDGE for room in ROOM)
    unit, half = max(1, min(_WIDEST_UNIT, wide // across)), max(1, high // down)
    half = max(1, min(half, int(unit * _ROOT / _NARROWED)))
    unit = max(1, min(unit, int(half * _STRETCHED / _ROOT)))
    return Grid(unit, half, (EDGE, EDGE), (min(columns), min(rows)), unit * across, half * down)


@lru_cache(64)
def face(unit: int, half: int, inset: float = 0) -> Image.Image:
    """Return a mask of a hex, its edges `inset` pixels further in."""
    fine = Image.new("L", (4 * unit * _HEX_SCALE, 2 * half * _HEX_SCALE))
    ImageDraw.Draw(fine).polygon([(x * _HEX_SCALE, y * _HEX_SCALE) for x, y in outline(unit, half, inset)], fill=255)
    return fine.reduce(_HEX_SCALE)


@lru_cache(64)
def make_solid_mask(unit: int, half: int) -> Image.Image:
    """Return a mask of a hex without smooth edges, so that it copies quickly."""
    return face(unit, half).point(COVERED).convert("1", dither=Image.Dither.NONE)


@lru_cache(64)
def ring(unit: int, half: int, width: float, inset: float = 0) -> Image.Image:
    """Return a mask of a line, `width` pixels wide, inside a hex's whole edge."""
    fine = Image.new("L", (4 * unit * _HEX_SCALE, 2 * half * _HEX_SCALE))
    draw = ImageDraw.Draw(fine)
    for edge, shade in ((inset, 255), (inset + width, 0)):
        draw.polygon([(x * _HEX_SCALE, y * _HEX_SCALE) for x, y in outline(unit, half, edge)], fill=shade)
    return fine.reduce(_HEX_SCALE)


@lru_cache(256)
def edges(unit: int, half: int, ways: tuple[str, ...], width: float) -> Image.Image:
    """Return a mask of lines inside those edges of a hex that face the directions `ways`."""
    fine = Image.new("L", (4 * unit * _HEX_SCALE, 2 * half * _HEX_SCALE))
    draw = ImageDraw.Draw(fine)
    outer, inner = outline(unit, half, 0), outline(unit, half, width)
    for place, way in enumerate(DIRECTIONS):
        if way in ways:
            after = (place + 1) % 6
            corners = (outer[place], outer[after], inner[after], inner[place])
            draw.polygon([(x * _HEX_SCALE, y * _HEX_SCALE) for x, y in corners], fill=255)
    return fine.reduce(_HEX_SCALE)


def outline(unit: int, half: int, inset: float) -> list[tuple[float, float]]:
    """Return a hex's corners clockwise, from the one between NW and N."""
    share = 1 - inset / half
    points = [(-1, -1), (1, -1), (2, 0), (1, 1), (-1, 1), (-2, 0)]
    return [(2 * unit + x * unit * share, half + y * half * share) for x, y in points]
