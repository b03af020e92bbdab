from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image, ImageChops

from bot.ui.pictures.canvas import (
    EDGE,
    ROOM,
    Pen,
    draw_arrows,
    draw_lines,
    edges,
    face,
    grid_of,
    lay,
    png,
    ring,
    sheet,
    write,
)
from bot.ui.pictures.rows import GLYPHS, RowItem, draw_piece, draw_row, glyph
from bot.ui.pictures.style import full, luminance_of, nearest, set_luminance, to_linear
from rules.books.total_war.catalog import PanelKind, Piece, Terrain, UnitClass
from rules.geometry import DIRECTIONS, Hex, disc
from rules.loader import load_book


def send_picture(picture: Image.Image, *keep: str) -> Image.Image:
    """Return a picture as sent."""
    return Image.open(BytesIO(png(picture, keep))).convert("RGB")


def colours(picture: Image.Image) -> set[object]:
    """Return a picture's colours."""
    return {colour for _, colour in picture.getcolors(picture.width * picture.height) or []}


def test_what_covers_an_area_keeps_its_colour() -> None:
    """Forty fields with letters."""
    picture, wanted = sheet(400, 100), set[object]()
    for number in range(40):
        colour = f"#{number * 6:02x}{255 - number * 5:02x}{number * 3:02x}"
        box = (number % 20 * 20, number // 20 * 50)
        lay(picture, Image.new("L", (20, 50), 255), box, colour)
        write(picture, "a1", (box[0] + 2, box[1] + 20), Pen(12))
        wanted.add(full(colour))

    assert wanted <= colours(send_picture(picture))


def test_colours_are_reduced_and_a_rare_one_is_kept_where_that_is_asked() -> None:
    """Very many colours work too."""
    picture = Image.radial_gradient("L").convert("RGB")
    picture.putpixel((3, 3), full("#fc0404"))

    assert full("#fc0404") in colours(send_picture(picture, "#fc0404"))
    bands = [Image.linear_gradient("L"), Image.linear_gradient("L").rotate(90), Image.radial_gradient("L")]
    picture = Image.merge("RGB", bands).resize((900, 900))

    assert len(colours(nearest(picture).convert("RGB"))) <= 256


@pytest.mark.parametrize("colour", ["#2b6cff", "#000000", "#ffffff", "#d62828", "no colour", "#123"])
@pytest.mark.parametrize("luminance", [0.07, 0.3, 0.6])
def test_a_tint_has_the_lightness_that_is_asked_for(colour: str, luminance: float) -> None:
    """Unknown colours are grey."""
    assert luminance_of(to_linear(set_luminance(colour, luminance))) == pytest.approx(luminance, abs=0.01)


def test_all_glyphs_differ() -> None:
    """At a piece's size."""
    masks = [glyph(name, 24).tobytes() for name in GLYPHS]

    assert all(any(mask) for mask in masks)
    assert len({*masks}) == len(masks)


def test_whatever_the_book_draws_there_is() -> None:
    """All of Total War's shapes and colours."""
    book = load_book("total_war")
    shapes = [*(item.drawn for item in book.entries_of(Piece).values())]
    shapes += [item.drawn for item in book.entries_of(UnitClass).values()]
    shapes += [item.drawn for item in book.entries_of(PanelKind).values() if item.drawn]

    assert {*shapes} <= {*GLYPHS}
    assert all(full(item.colour(where)) for item in book.entries_of(Terrain).values() for where in ("space", "land"))


@pytest.mark.parametrize("radius", [0, 1, 3, 5, 11, 18])
def test_hexes_stand_side_by_side_within_their_room(radius: int) -> None:
    """They share only rims."""
    panels = disc(Hex(2, -1), radius)
    grid = grid_of(panels)
    width, height = 4 * grid.unit, 2 * grid.half
    middles = {grid.middle(at): at for at in panels}

    assert len(middles) == len(panels)
    for at in panels:
        left, top = grid.corner(at)
        assert EDGE <= left <= left + width <= EDGE + grid.width <= ROOM[0] - EDGE
        assert EDGE <= top <= top + height <= EDGE + grid.height <= ROOM[1] - EDGE
        beside = [grid.corner(at.step(way)) for way in DIRECTIONS]
        assert {(x - left, y - top) for x, y in beside} == {
            (0, -height), (3 * grid.unit, -grid.half), (3 * grid.unit, grid.half),
            (0, height), (-3 * grid.unit, grid.half), (-3 * grid.unit, -grid.half),
        }  # fmt: skip


def test_edges_lie_on_the_sides_that_are_named() -> None:
    """All edges make the ring."""
    north = edges(10, 17, ("N",), 3).getbbox()
    assert north is not None
    assert north[3] <= 5
    every, whole = edges(10, 17, tuple(DIRECTIONS), 3), ring(10, 17, 3)
    assert sum(abs(a - b) for a, b in zip(every.tobytes(), whole.tobytes(), strict=True)) < 0.15 * sum(whole.tobytes())
    assert face(10, 17).getpixel((20, 17)) == 255


@pytest.mark.parametrize("room", [(200, 40), (60, 40), (30, 12)])
def test_a_row_keeps_to_its_room(room: tuple[int, int]) -> None:
    """Items shrink to fit."""
    picture = sheet(240, 60, "white")
    draw_row(picture, [RowItem("star"), RowItem(None, "+50"), RowItem("disc", "12")], (120, 30), room, 12)
    box = ImageChops.difference(picture, sheet(240, 60, "white")).getbbox()

    assert box is not None
    assert box[2] - box[0] <= room[0] + 3
    assert box[3] - box[1] <= room[1] + 3


def test_nothing_is_a_row_too() -> None:
    """Empty rows and lines are fine."""
    picture = sheet(40, 40)
    before = picture.tobytes()
    draw_row(picture, [], (20, 20), (10, 10), 9)
    draw_lines(picture, [], 3, "ink")
    assert picture.tobytes() == before
    draw_piece(picture, RowItem("disc"), (20, 20), 20, 9)
    assert picture.tobytes() != before


def test_an_arrow_has_its_head_where_it_ends() -> None:
    """And stops short of it."""
    picture = sheet(120, 60, "white")
    draw_arrows(picture, [[(10, 30), (110, 30)]], 4, "ink", short=20)
    grey = picture.convert("L")
    dark = [sum(grey.crop((x, 0, x + 1, 60)).histogram()[:60]) for x in (20, 82, 105)]

    assert dark[1] > dark[0] > dark[2] == 0
