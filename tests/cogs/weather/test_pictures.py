"""What the pictures of the weather are drawn from."""

from __future__ import annotations

from io import BytesIO

from msgspec.structs import replace
from PIL import Image

from bot.cogs.weather.pictures import categories_picture, forecast_picture, history_picture, week_picture
from bot.ui.pictures.palette import RAMP, rgb
from rules.books.campaign.weather import Week, describe_week, forecast
from tests.cogs.weather.skies import BOOK, drenched, stretched, week

FAIR = week(BOOK, 3, "good")
FLOODED = replace(FAIR, watches={"india": "mud-flood"})


async def heat(made: Week) -> bytes:
    """The heat map of one week."""
    picture = await history_picture([made], BOOK)
    assert picture is not None
    return picture.data


async def test_the_heat_map_is_coloured_by_weather_and_shows_mud_as_water() -> None:
    """A flood changes no colour: a fair zone stays as calm as it was, with water in it, and the key says what that is."""
    stormy = replace(FAIR, regions={**FAIR.regions, "india": ("storms",)})
    flooded, fair = cells(await heat(FLOODED)), cells(await heat(FAIR))
    assert rgb("flood") in flooded
    assert rgb("flood") not in fair
    assert rgb(RAMP[2]) not in flooded
    assert rgb(RAMP[2]) in cells(await heat(stormy))


def cells(data: bytes) -> set[object]:
    """The colours of a heat map of one week, its key too."""
    picture = Image.open(BytesIO(data)).convert("RGB")
    return {colour for _, colour in picture.getcolors(picture.width * picture.height) or []}


async def test_the_key_of_the_heat_map_has_the_weather_that_occurred() -> None:
    """A colour that no week has is not explained; each further kind of weather makes the key longer."""
    one = Image.open(BytesIO(await heat(FAIR))).height
    stormy = replace(FAIR, regions={**FAIR.regions, "india": ("storms",), "congo": ("violent-storms",)})
    assert Image.open(BytesIO(await heat(stormy))).height > one


async def test_the_heat_map_of_a_place_shows_that_place() -> None:
    """A zone has a row for each of its regions, a region one; what happens elsewhere is not in it, and the alt text says as much."""
    zone, india = BOOK.zones["south-asia"], BOOK.places["india"][1]
    stormy = replace(FAIR, regions={**FAIR.regions, "malaysia": ("storms",)})
    elsewhere = replace(FAIR, regions={**FAIR.regions, "congo": ("storms",)})
    drawn = {
        (name, place and place.id): await history_picture([made], BOOK, place)
        for name, made in (("fair", FAIR), ("stormy", stormy), ("elsewhere", elsewhere))
        for place in (None, zone, india)
    }
    data = {key: picture and picture.data for key, picture in drawn.items()}

    assert None not in data.values()
    assert data["fair", "india"] == data["stormy", "india"]
    assert data["fair", zone.id] == data["elsewhere", zone.id] != data["stormy", zone.id]
    assert data["fair", None] != data["elsewhere", None]
    heights = [Image.open(BytesIO(data["fair", name] or b"")).height for name in ("india", zone.id)]
    assert heights[1] - heights[0] == (len(zone.regions) - 1) * 42
    told = drawn["stormy", zone.id]
    assert told is not None
    assert "India: Good weather in 1. " in told.alt
    assert "Malaysia: Storms in 1." in told.alt


async def test_mud_is_marked_once_whatever_its_mark() -> None:
    """A flood is drawn as such and has no second mark, also where a house has given it another one."""
    own = {**BOOK.conditions, "mud-flood": replace(BOOK.conditions["mud-flood"], mark="Qx")}
    house = replace(BOOK, conditions=own)
    ours = await week_picture(describe_week(FLOODED, None, house), house)
    theirs = await week_picture(describe_week(FLOODED, None, BOOK), BOOK)
    assert ours is not None
    assert theirs is not None
    assert ours.data == theirs.data


async def test_a_forecast_and_the_categories_of_a_zone_are_pictures_with_words() -> None:
    """Both are drawn, also with the longest labels; the alt text has the same facts as far as there is room, and says how much is missing."""
    for book in (BOOK, stretched(BOOK, all_land=True)):
        chart = await forecast_picture(forecast(book, [drenched(book, 12)], 13), book)
        shown = [chart, *[await categories_picture(zone, book) for zone in book.zones.values()]]
        for picture in shown:
            assert picture is not None
            assert picture.data.startswith(b"\x89PNG")
            assert len(picture.alt) <= 1000
    chart = await forecast_picture(forecast(BOOK, [], 1), BOOK)
    australia = await categories_picture(BOOK.zones["australia"], BOOK)
    assert chart is not None
    assert australia is not None
    assert chart.alt.startswith("Chart of the forecast for week 1. South Africa: Good 40%, 1 10%, 2 10%, 3 15%, ")
    assert "Australia: 7 5%, Good 35%" in chart.alt
    assert "What the categories of Australia mean" in australia.alt
    assert " Good: Good weather in Central Indian Ocean, " in australia.alt
