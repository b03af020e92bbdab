from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import combinations, pairwise, product

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.cogs.weather.drawing import _GAP, _WIDTH, weather_map
from bot.ui.pictures.canvas import clip, fit_text, length
from bot.ui.pictures.heat_map import heat_map
from bot.ui.pictures.style import RAMP, fill_of, ink_on, palette, rgb
from bot.ui.pictures.tiles import _PAD, _SIZE, _WATER, CELL, Cell, Tile, _fit, _hyphenate
from rules.climate import WARNED
from rules.loader import load_book

Colour = tuple[int, int, int]

WIDEST = 1100
TILE = Tile(label="A", at=(0, 0), zone="North", land=True, severity=2, weather="", flood=False)
STRANGE = (
    "",
    " ",
    "\n",
    "a\nb\0c",
    "\ud800",
    "W" * 60,
    "ab " * 20,
    "日本語の地域",
    "مصر",
    "🌧️⛈️",
    "Čenstochová",
    "-" * 60,
)

# Machado, Oliveira, Fernandes 2009, severity 1.0; for linear red, green and blue.
SIGHTS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def open_png(png: bytes) -> Image.Image:
    """Check a PNG's size; return it in full colour."""
    with Image.open(BytesIO(png)) as picture:
        picture.verify()
    with Image.open(BytesIO(png)) as picture:
        assert picture.format == "PNG"
        assert picture.width <= WIDEST
        return picture.convert("RGB")


def corner(column: int, row: int, columns: int) -> tuple[int, int]:
    """Return a place's corner."""
    return max(0, _WIDTH - columns * CELL[0]) // 2 + _GAP + column * CELL[0], _GAP + row * CELL[1]


def place(picture: Image.Image, column: int, row: int, columns: int) -> Image.Image:
    """Return a place's pixels."""
    left, top = corner(column, row, columns)
    return picture.crop((left, top, left + CELL[0], top + CELL[1]))


def colours(picture: Image.Image) -> dict[Colour, int]:
    """Count pixels by colour."""
    found: dict[Colour, int] = {}
    for column, row in product(range(picture.width), range(picture.height)):
        pixel = pixel_at(picture, column, row)
        found[pixel] = found.get(pixel, 0) + 1
    return found


def pixel_at(picture: Image.Image, column: int, row: int) -> Colour:
    """Return one pixel's colour."""
    pixel = picture.getpixel((column, row))
    assert isinstance(pixel, tuple)
    return pixel[0], pixel[1], pixel[2]


def see_colour(colour: Colour, sight: str) -> tuple[float, ...]:
    """Return a colour as this sight sees it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (c / 255 for c in colour)
    ]
    rows = SIGHTS[sight]
    return tuple(min(1.0, max(0.0, sum(a * b for a, b in zip(row, linear, strict=True)))) for row in rows)


def luminance(linear: Sequence[float]) -> float:
    """Return the WCAG luminance."""
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the WCAG contrast."""
    dark, light = sorted(luminance(see_colour(rgb(name), "usual")) for name in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(linear: Sequence[float]) -> tuple[float, float, float]:
    """Return the CIELAB colour."""
    red, green, blue = linear
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, luminance(linear), z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def grid_of(count: int, columns: int) -> Iterator[tuple[int, int]]:
    """Return places row by row."""
    return ((number % columns, number // columns) for number in range(count))


@pytest.mark.parametrize("sight", SIGHTS)
def test_severities_differ_and_rise_in_every_sight(sight: str) -> None:
    """At least 15 apart, and darker when worse."""
    ramp = [lab(see_colour(rgb(fill), sight)) for fill in RAMP]

    assert min(math.dist(one, other) for one, other in combinations(ramp, 2)) >= 15
    lightness = [lab(see_colour(rgb(fill), sight))[0] for fill in RAMP]

    assert all(calmer - worse >= 8 for calmer, worse in pairwise(lightness))


@pytest.mark.parametrize(
    ("letters", "ground"),
    [
        *((ink_on(fill), fill) for fill in (*RAMP, "unknown")),
        ("ink", "hatch"),
        ("ink", "paper"),
        ("muted", "paper"),
        ("white", "ink"),
    ],
)
def test_letters_read_on_every_colour(letters: str, ground: str) -> None:
    """At least 4.5 to 1."""
    assert contrast(letters, ground) >= 4.5


def test_the_palette_fits_a_byte() -> None:
    """256 entries at most."""
    assert len(palette()) % 3 == 0
    assert len(palette()) // 3 <= 256


def test_each_severity_has_its_colour_at_its_place() -> None:
    """Most of its tile."""
    severities = [0, 1, 2, 3, 4, None]
    tiles = [replace(TILE, at=(number, 0), severity=severity) for number, severity in enumerate(severities)]

    picture = open_png(weather_map(tiles))

    for number, severity in enumerate(severities):
        found = colours(place(picture, number, 0, len(tiles)))
        shown = {fill for fill in (*RAMP, "unknown") if found.get(rgb(fill), 0) > 3000}
        assert shown == {fill_of(severity)}


def test_unknown_weather_is_hatched() -> None:
    """Not by shade only."""
    known, unknown = (
        colours(place(open_png(weather_map([replace(TILE, severity=each)])), 0, 0, 1)) for each in (0, None)
    )

    assert rgb("hatch") not in known
    assert unknown[rgb("hatch")] > 300


def test_land_and_sea_differ_by_shape() -> None:
    """Straight and wavy edges."""
    edges = []
    for land in (True, False):
        picture = open_png(weather_map([replace(TILE, land=land)]))
        left, top = corner(0, 0, 1)
        edges.append({pixel_at(picture, column, top + 4) for column in range(left + 20, left + CELL[0] - 20)})

    assert edges[0] == {rgb("edge")}
    assert len(edges[1]) > 1


def test_a_flood_is_drawn_as_water() -> None:
    """Blue, and nothing else is."""
    dry, wet = (open_png(weather_map([replace(TILE, flood=flood)])) for flood in (False, True))

    assert rgb("flood") not in colours(dry)
    assert colours(place(wet, 0, 0, 1))[rgb("flood")] > 500


@pytest.mark.parametrize("severity", [3, 4])
def test_a_flood_shows_on_dark_tiles(severity: int) -> None:
    """Its waves are white."""
    tile = replace(TILE, severity=severity, flood=True)
    lower = place(open_png(weather_map([tile])), 0, 0, 1).crop((8, 140, CELL[0] - 8, CELL[1]))

    assert colours(lower)[rgb("white")] > 50


def test_zones_are_parted_by_a_border() -> None:
    """Not within a zone."""
    zones = ("North", "North", "South")
    tiles = [replace(TILE, at=(number, 0), zone=zone) for number, zone in enumerate(zones)]
    picture = open_png(weather_map(tiles))

    between = [pixel_at(picture, corner(column, 0, 3)[0], _GAP + CELL[1] // 2) for column in (1, 2)]

    assert between == [rgb("plate"), rgb("border")]
    tiles = [replace(TILE, at=at) for at in grid_of(4, 2)]
    picture = open_png(weather_map(tiles))

    assert pixel_at(picture, *corner(1, 1, 2)) == rgb("plate")


@pytest.mark.parametrize(
    "changed",
    [
        replace(TILE, weather="Severe Storms"),
        replace(TILE, label="B"),
        replace(TILE, severity=None),
        replace(TILE, land=False),
        replace(TILE, flood=True),
    ],
)
def test_everything_known_of_a_region_is_shown(changed: Tile) -> None:
    """Any change is visible."""
    before, after = (place(open_png(weather_map([tile])), 0, 0, 1) for tile in (TILE, changed))

    assert before.tobytes() != after.tobytes()


@pytest.mark.parametrize("flood", [False, True])
def test_names_of_regions_are_readable_on_a_phone(*, flood: bool) -> None:
    """With the longest severe weather beside them, their letters are 9 pixels high where the map is 280."""
    book = load_book("campaign")
    severe = [item.label for item in book.conditions.values() if item.severity >= WARNED]
    tiles = [replace(TILE, at=at) for at in grid_of(45, 9)]
    height = open_png(weather_map(tiles)).height
    room = (_SIZE[0] - 2 * _PAD, _SIZE[1] - 2 * _PAD - _WATER * flood)
    calm = {region.label: _fit(region.label, "", room)[0] for _, region in book.places.values()}
    assert min(calm.values()) * 280 / height >= 9
    small = {
        (region.label, words): size
        for _, region in book.places.values()
        for words in severe
        if (size := _fit(region.label, words, room)[0]) * 280 / height < 9
    }
    assert small == {}


@pytest.mark.parametrize(
    ("word", "broken"),
    [
        ("Madagascar", "Mada-gascar"),
        ("Philippines", "Philip-pines"),
        ("Southeast", "South-east"),
        ("Snowstorm", "Snow-storm"),
        ("Australia", "Austra-lia"),
        ("Congo", "Congo"),
        ("Lutzow-Holm", "Lutzow-Holm"),
    ],
)
def test_a_word_that_is_too_wide_is_broken_where_it_reads(word: str, broken: str) -> None:
    """Near its middle; one that fits stays whole."""
    assert _hyphenate(word, 28, _SIZE[0] - 2 * _PAD) == broken


def test_a_map_of_nine_by_five_is_as_wide_and_high_as_a_phone_shows() -> None:
    """350 by 280 pixels there."""
    picture = open_png(weather_map([replace(TILE, at=at) for at in grid_of(45, 9)]))

    assert 1.2 <= picture.width / picture.height <= 1.3


def test_the_same_weather_gives_the_same_bytes() -> None:
    """Nothing else matters."""
    tiles = [replace(TILE, at=at, severity=at[0] % 5, flood=at[0] == 1) for at in grid_of(12, 4)]
    weeks = [str(week) for week in range(52)]
    rows = [("North", [Cell("3", 2)] * 52)]

    assert weather_map(tiles) == weather_map(tiles)
    assert heat_map(weeks, rows) == heat_map(weeks, rows)


@pytest.mark.parametrize("text", STRANGE)
def test_strange_texts_are_drawn(text: str) -> None:
    """Too long, or in other scripts."""
    tile = Tile(text, (0, 0), text, land=False, severity=3, weather=text, flood=True)

    picture = open_png(weather_map([tile]))
    heat = open_png(heat_map([text] * 3, [(text, [Cell(text, 1)] * 3)]))

    assert picture.width == _WIDTH + 2 * _GAP
    assert heat.height < 300


def test_nothing_and_very_much_are_drawn() -> None:
    """No error at either extreme."""
    assert open_png(weather_map([])).height < 200
    assert open_png(heat_map([], [])).height < 200
    assert open_png(heat_map(["1"], [])).height < 200
    assert open_png(heat_map([], [("North", [])])).height < 200
    tiles = [replace(TILE, zone=f"Zone {number // 5}", at=at) for number, at in enumerate(grid_of(300, 9))]

    assert open_png(weather_map(tiles)).height < 6000


@pytest.mark.parametrize(
    "places",
    [
        pytest.param([(0, 0), (0, 0), (0, 0)], id="one place"),
        pytest.param([(10**9, 0), (0, 1), (0, 10**9)], id="far away"),
        pytest.param([(-5, -7), (-4, -7), (-3, -7)], id="negative"),
    ],
)
def test_regions_stand_somewhere_whatever_their_places(places: list[tuple[int, int]]) -> None:
    """Shared or outside places."""
    tiles = [replace(TILE, at=at, severity=number) for number, at in enumerate(places)]
    wanted = [replace(tile, at=(number, 0)) for number, tile in enumerate(tiles)]

    picture = open_png(weather_map(tiles))

    assert picture.tobytes() == open_png(weather_map(wanted)).tobytes()


@pytest.mark.parametrize("severity", [-3, 9])
def test_severities_off_the_scale_take_its_end(severity: int) -> None:
    """The nearest end."""
    assert fill_of(severity) == (RAMP[0] if severity < 0 else RAMP[-1])


def test_a_long_name_shrinks_and_then_is_cut() -> None:
    """To its box's smallest size."""
    assert fit_text("Papua New Guinea", (17, 13), 100, 60) == (17, ("Papua New", "Guinea"))
    assert fit_text("Lutzow-Holm Bay", (17, 13), 100, 60)[1][0] == "Lutzow-"
    size, lines = fit_text("Incomprehensibilities of everything everywhere", (17, 13), 100, 30)
    assert size == 13
    assert len(lines) == 2
    assert all(line.endswith("…") and length(line, 13) <= 100 for line in lines)


def test_texts_are_cut_to_their_width_and_to_the_letters_of_the_font() -> None:
    """Accents and foreign letters become plain."""
    assert clip("Fog", 17, 200) == "Fog"
    assert length(clip("Fog " * 30, 17, 90), 17) <= 90
    assert clip("Fog", 17, 1) == ""
