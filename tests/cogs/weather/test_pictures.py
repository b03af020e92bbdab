"""What the pictures of the weather are drawn from."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from bot.cogs.weather.pictures import Drawings
from bot.cogs.weather.queries import Almanac, told
from bot.core.database import Database
from bot.core.library import Library
from rules.books.campaign.weather import Week
from rules.compose import Composer
from tests.cogs.weather.skies import BOOK, week
from tests.support.world import BOOKS

FAIR = week(BOOK, 3, "good")
FLOODED = replace(FAIR, watches={"india": "mud-flood"})


@pytest.fixture
async def drawings(tmp_path: Path) -> AsyncIterator[Drawings]:
    """The service; nothing is looked up here."""
    database = Database(f"sqlite:///{tmp_path / 'none.db'}")
    yield Drawings(database, Almanac(database, Library(BOOKS, Composer())))
    await database.close()


async def heat(drawings: Drawings, made: Week) -> bytes:
    """The heat map of one week."""
    picture = await drawings.history([made], BOOK)
    assert picture is not None
    return picture.data


async def test_the_heat_map_counts_mud(drawings: Drawings) -> None:
    """A zone of fair weather with a flood is as severe as one with another condition of that severity."""
    stormy = replace(FAIR, regions={**FAIR.regions, "india": ("storms",)})
    assert BOOK.conditions["storms"].severity == BOOK.conditions["mud-flood"].severity
    assert await heat(drawings, FLOODED) == await heat(drawings, stormy) != await heat(drawings, FAIR)


async def test_the_heat_map_of_a_place_shows_that_place(drawings: Drawings) -> None:
    """A zone has a row for each of its regions, a region one; what happens elsewhere is not in it, and the alt text says as much."""
    zone, india = BOOK.zones["south-asia"], BOOK.places["india"][1]
    stormy = replace(FAIR, regions={**FAIR.regions, "malaysia": ("storms",)})
    elsewhere = replace(FAIR, regions={**FAIR.regions, "congo": ("storms",)})
    drawn = {
        (name, place and place.id): await drawings.history([made], BOOK, place)
        for name, made in (("fair", FAIR), ("stormy", stormy), ("elsewhere", elsewhere))
        for place in (None, zone, india)
    }
    data = {key: picture and picture.data for key, picture in drawn.items()}

    assert None not in data.values()
    assert data["fair", "india"] == data["stormy", "india"]
    assert data["fair", zone.id] == data["elsewhere", zone.id] != data["stormy", zone.id]
    assert data["fair", None] != data["elsewhere", None]
    heights = [Image.open(BytesIO(data["fair", name] or b"")).height for name in ("india", zone.id)]
    assert heights[1] - heights[0] == (len(zone.regions) - 1) * 38
    told = drawn["stormy", zone.id]
    assert told is not None
    assert "India: Good weather in 1. " in told.alt
    assert "Malaysia: Storms in 1." in told.alt


async def test_mud_is_marked_once_whatever_its_mark(drawings: Drawings) -> None:
    """A flood is drawn as such and has no second mark, also where a house has given it another one."""
    own = {**BOOK.conditions, "mud-flood": replace(BOOK.conditions["mud-flood"], mark="Qx")}
    house = replace(BOOK, conditions=own)
    ours = await drawings.week(told(FLOODED, None, house), house)
    theirs = await drawings.week(told(FLOODED, None, BOOK), BOOK)
    assert ours is not None
    assert theirs is not None
    assert ours.data == theirs.data
