"""The heat map, the forecast and the dice statistics: their letters and cells."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from random import Random

import pytest
from PIL import Image

from bot.cogs.luck import chart
from bot.cogs.luck.chart import draw_chart, make_bars
from bot.cogs.weather import drawing
from bot.cogs.weather.drawing import draw_categories, draw_forecast
from bot.ui.pictures import canvas, tiles
from bot.ui.pictures.canvas import PHONE, Pen, write
from bot.ui.pictures.gallery import kept
from bot.ui.pictures.heat_map import heat_map
from bot.ui.pictures.style import RAMP, rgb
from bot.ui.pictures.tiles import Cell
from rules.books.campaign.weather import forecast
from tests.cogs.weather.skies import BOOK, make_drenched
from tests.ui.pictures.test_pictures import open_png, pixel_at

DICE = Random(1)  # noqa: S311 - no secret


def letters_of(monkeypatch: pytest.MonkeyPatch, draw: Callable[[], bytes]) -> tuple[Image.Image, dict[str, float]]:
    """Return a picture, and all that is written on it with the least height in pixels where a phone shows it."""
    sizes: dict[str, int] = {}

    def note(picture: Image.Image, text: str, at: tuple[float, float], pen: Pen, align: float = 0) -> int:
        if text:
            sizes[text] = min(pen.size, sizes.get(text, pen.size))
        return write(picture, text, at, pen, align)

    for module in (canvas, tiles, drawing, chart):
        monkeypatch.setattr(module, "write", note)
    kept.clear()
    picture = open_png(draw())
    scale = min(1, PHONE[0] / picture.width, PHONE[1] / picture.height)
    return picture, {text: size * scale for text, size in sizes.items()}


@pytest.mark.parametrize("weeks", [1, 12, 26, 52])
@pytest.mark.parametrize("rows", [1, 5, 8, 12])
def test_letters_of_a_heat_map_are_readable_on_a_phone(monkeypatch: pytest.MonkeyPatch, weeks: int, rows: int) -> None:
    """Names, weeks and categories are 9 pixels high; categories are left out where they don't fit."""
    names = [(f"Zone {number}", [Cell("7W", 3)] * weeks) for number in range(rows)]
    numbers = [str(week) for week in range(100, 100 + weeks)]
    _, sizes = letters_of(monkeypatch, lambda: heat_map(numbers, names))

    assert min(sizes.values()) >= 9
    assert {label for label, _ in names} <= {*sizes}
    assert "100" in sizes
    assert "7W" in sizes or weeks == 52
    assert all(text in {*numbers, "7W"} or text.startswith("Zone ") for text in sizes)


def test_a_year_of_the_book_has_its_names_and_categories(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is cut."""
    labels = [zone.label for zone in BOOK.zones.values()]
    picture, sizes = letters_of(
        monkeypatch,
        lambda: heat_map([str(week) for week in range(1, 53)], [(each, [Cell("6W", 2)] * 52) for each in labels]),
    )

    assert {*labels, "6W", "52"} <= {*sizes}
    assert not any("\N{HORIZONTAL ELLIPSIS}" in text for text in sizes)
    assert picture.width >= 1.2 * picture.height


def test_letters_of_the_forecast_and_categories_are_readable_on_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zones, categories and chances; narrow ones have none."""
    coming = forecast(BOOK, [make_drenched(BOOK, 12)], 13)
    _, odds = letters_of(monkeypatch, lambda: draw_forecast(coming, BOOK))
    assert {*(zone.label for zone in BOOK.zones.values()), "G", "6W"} <= {*odds}
    assert min(odds.values()) >= 9
    for zone in BOOK.zones.values():
        _, cells = letters_of(monkeypatch, lambda zone=zone: draw_categories(zone, BOOK))  # type: ignore[misc]
        assert min(cells.values()) >= 9
        assert {"G", "Go"} <= {*cells}


def test_letters_of_the_dice_statistics_are_readable_on_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice, faces and counts; some labels of many bars are left out."""
    blocks = [
        make_bars(f"d{sides}", [DICE.randrange(most) for _ in range(sides)])
        for sides, most in ((20, 90), (100, 20), (6, 20_000))
    ]
    picture, sizes = letters_of(monkeypatch, lambda: draw_chart(blocks))

    assert min(sizes.values()) >= 9
    assert {"d20", "d100", "d6", "1", "20", "6", "1-5", *(str(seen) for _, seen in blocks[0].bars)} <= {*sizes}
    assert picture.width >= 1.2 * picture.height


def test_a_year_of_ten_zones_is_drawn() -> None:
    """52 weeks and ten rows."""
    rows = [(f"Zone {number}", [Cell("6W", number % 5)] * 52) for number in range(10)]

    picture = open_png(heat_map([str(week) for week in range(1, 53)], rows))

    assert 900 <= picture.width <= 1000
    assert 600 <= picture.height <= 700


def test_heat_stands_in_the_order_of_the_weeks() -> None:
    """Left to right."""
    heats = [Cell(str(severity), severity) for severity in range(5)]
    picture = open_png(heat_map(list("12345"), [("North", heats)]))

    spots = [
        (column, pixel_at(picture, column, row)) for column, row in product(range(picture.width), range(picture.height))
    ]
    starts = [min(column for column, pixel in spots if pixel == rgb(fill)) for fill in RAMP]

    assert starts == sorted(starts)
    assert all(right - left > 20 for left, right in pairwise(starts))


def test_missing_weeks_are_not_known() -> None:
    """At the end of a row."""
    short = heat_map(["1", "2"], [("North", [Cell("3", 2)])])

    assert short == heat_map(["1", "2"], [("North", [Cell("3", 2), Cell("", None)])])


def test_wide_weeks_are_thinned_out() -> None:
    """The first label stays."""
    weeks, rows = ["Week 100"] * 52, [("North", [Cell("G", 0)] * 52)]
    full = heat_map(weeks, rows)

    assert heat_map([weeks[0], "", *weeks[2:]], rows) == full
    assert heat_map(["", *weeks[1:]], rows) != full
