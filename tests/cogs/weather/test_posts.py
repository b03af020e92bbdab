"""A rollover's digest, and the weather's pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import Any

import discord
import pytest
import simcord
from msgspec.structs import replace
from PIL import Image
from sqlalchemy import Connection

from bot.cogs.weather import FEATURE
from bot.cogs.weather.pictures import categories_picture, forecast_picture, history_picture, week_picture
from bot.cogs.weather.words import history_key
from bot.core.campaigns import Campaign
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.kernel import find_drawing
from bot.outbox import queue as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import Post
from bot.outbox.sending import draw_picture, illustrate
from bot.rolls.entries import post_buttons
from bot.ui.pictures.style import RAMP, rgb
from rules.books.campaign.weather import Week, describe_week, forecast
from rules.library import Composer
from rules.ruleset import RuleSet
from tests.cogs.weather.skies import BOOK, make_drenched, stretch_labels, week
from tests.cogs.weather.skywatch import FAIR, ROUGH, put, read_details, roll, without_weather
from tests.outbox.test_posts import allow, forbid, forget, sends, wait
from tests.support.reading import newest, response, said, text
from tests.support.world import BOOKS, CountedRandomness, World

SPOTS = [region.label for zone in BOOKS["campaign"].zones.values() for region in zone.regions]


def images(message: discord.Message) -> list[str | None]:
    """Images of a message's embeds."""
    return [embed.image.url for embed in message.embeds if embed.image.url]


async def require_bare(world: World, message: discord.Message) -> None:
    """Assert that a message has words, Details and no picture."""
    assert "Weather of week 1" in text(message)
    whole = await read_details(world, message)
    assert [label for label in SPOTS if label not in whole] == []
    assert not message.attachments
    assert not images(message)


def require_map(message: discord.Message) -> None:
    """Assert that a message has words and the map."""
    assert "Weather of week" in text(message)
    (picture,) = message.attachments
    assert picture.filename == "weather.png"
    assert picture.description is not None
    assert 1 <= len(picture.description) <= 1024
    assert images(message) == ["attachment://weather.png"]


async def digest(world: World, number: int = 3) -> list[Post]:
    """A rollover's posts."""
    return await world.bots[-1].database.read(lambda tx: posts.posts_of_entry(tx, 1, number))


async def roll_unposted(world: World, status: int = 503) -> simcord.InteractionResult:
    """Roll week 1; its digest waits."""
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=status)
    result = await roll(world, *ROUGH)
    assert "Not posted yet" in said(result)
    assert not world.results.history()
    return result


async def test_without_attach_files_the_digest_goes_in_words(world: World) -> None:
    """Without an empty place."""
    forbid(world, world.results, attach_files=True)
    answer = said(await roll(world, *FAIR))
    assert "Not posted" not in answer
    assert "Posted" in answer
    await require_bare(world, newest(world.results))


@pytest.mark.parametrize("status", [400, pytest.param(413, marks=pytest.mark.slow)])
async def test_a_refused_upload_is_followed_by_the_words(world: World, status: int) -> None:
    """Once."""
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=status)
    assert "Posted" in said(await roll(world, *FAIR))
    first, second = sends(world, world.results)
    assert (first["embeds"][0]["image"]["url"], "image" in second["embeds"][0]) == ("attachment://weather.png", False)
    assert len(world.results.history()) == 1
    await require_bare(world, newest(world.results))


async def test_a_server_error_keeps_the_map_for_the_next_try(world: World) -> None:
    """Once."""
    await roll_unposted(world)
    assert len(sends(world, world.results)) == 1
    await wait(world, seconds=15)
    require_map(newest(world.results))
    assert len(world.results.history()) == 1


@pytest.mark.slow
async def test_a_digest_due_after_a_restart_carries_the_map(world: World) -> None:
    """From the entry."""
    await roll_unposted(world)
    await put(world, "Australia", "good", 1)
    await world.restart()
    await wait(world, minutes=5)
    message = next(item for item in world.results.history() if "Weather of week 1" in text(item))
    require_map(message)
    assert "Australia 6" in (message.attachments[0].description or "")
    (item,) = await digest(world)
    assert (item.state, item.message_id) == ("sent", message.id)


async def test_a_missing_permission_is_told_and_the_map_comes_once_it_is_there(world: World) -> None:
    """Once permitted, it has its map."""
    forbid(world, world.results, send_messages=True)
    assert "in #results I need Send Messages" in said(await roll(world, *FAIR))
    allow(world, world.results)
    await wait(world, seconds=15)
    require_map(newest(world.results))


@pytest.mark.slow
async def test_a_digest_with_its_map_is_found_again(world: World) -> None:
    """The restarted bot sends no second."""
    await roll(world, *FAIR)
    message = newest(world.results)
    await forget(world, 3)
    await world.restart()
    await wait(world, minutes=5)
    assert len(sends(world, world.results)) == 1
    assert [(item.state, item.message_id) for item in await digest(world)] == [("sent", message.id)]


class Torn(Library):
    """A library that fails."""

    def book(self, _tx: Connection, _campaign: Campaign, _book_id: str) -> RuleSet:
        """Fail."""
        raise RuntimeError("torn")


async def test_a_drawing_that_fails_costs_the_picture_alone(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """The log says why."""
    await roll_unposted(world)
    world.clock.advance(minutes=1)
    bot = world.bots[-1]
    draw = partial(illustrate, bot.database, partial(find_drawing, Torn(BOOKS, Composer()), [FEATURE]))
    outbox = Outbox(
        bot.database,
        ledger=Ledger(world.clock, CountedRandomness()),
        illustrate=draw,
        buttons={"results": post_buttons},
    )
    await outbox.send_due(bot)
    await require_bare(world, newest(world.results))
    (failed,) = [record for record in caplog.records if record.message == "picture.failed"]
    assert failed.exc_info
    assert "torn" in str(failed.exc_info[1])


async def test_what_cannot_be_drawn_gives_no_picture() -> None:
    """None, without an error."""
    nonsense: Any = {"week": 1, "zones": [{"label": "Nowhere"}]}
    assert await draw_picture("a", partial(week_picture, nonsense, BOOKS["campaign"])) is None
    nothing: Sequence[Any] = [None]
    assert await draw_picture("b", partial(history_picture, nothing, BOOKS["campaign"])) is None


@pytest.mark.slow
async def test_a_campaign_that_gave_the_book_up_still_gets_its_digest(world: World) -> None:
    """In words."""
    await roll_unposted(world)
    await without_weather(world)
    await wait(world, minutes=5)
    await require_bare(world, newest(world.results))


async def test_the_ledger_shows_a_rollover_without_a_broken_picture(world: World) -> None:
    """In words."""
    await roll(world, *ROUGH)
    for actor in (world.gm, world.player):
        answer = response(await actor.slash(world.orders, "ledger", entry=3))
        assert "Weather of week 1" in text(answer)
        assert "**South Africa** 1d20: **2**" in text(answer), "the ledger tells it whole"
        assert [embed.image.url for embed in answer.embeds] == [None]


FAIR_WEEK = week(BOOK, 3, "good")
FLOODED = replace(FAIR_WEEK, watches={"india": "mud-flood"})


def heat(made: Week) -> bytes:
    """The heat map of one week."""
    return history_picture([made], BOOK).data


def test_the_heat_map_is_coloured_by_weather_and_shows_mud_as_water() -> None:
    """Nothing else is blue."""
    stormy = replace(FAIR_WEEK, regions={**FAIR_WEEK.regions, "india": ("storms",)})
    flooded, fair = cells(heat(FLOODED)), cells(heat(FAIR_WEEK))
    assert rgb("flood") in flooded
    assert rgb("flood") not in fair
    assert rgb(RAMP[2]) not in flooded
    assert rgb(RAMP[2]) in cells(heat(stormy))


def cells(data: bytes) -> set[object]:
    """Colours of a week's heat map."""
    picture = Image.open(BytesIO(data)).convert("RGB")
    return {colour for _, colour in picture.getcolors(picture.width * picture.height) or []}


def test_the_key_of_the_heat_map_has_the_weather_that_occurred() -> None:
    """In the text, from light to dark, and the water."""
    stormy = replace(FAIR_WEEK, regions={**FAIR_WEEK.regions, "india": ("storms",), "congo": ("violent-storms",)})
    for place, own in (
        (None, "Good weather; Storms; Violent Storms"),
        (BOOK.zones["south-asia"], "Go Good weather; St Storms"),
    ):
        fair, rough = (history_key([made], BOOK, place) for made in (FAIR_WEEK, stormy))
        assert f"from light to dark: {own}" in rough
        assert "Storms" not in fair
        assert "Blue waves" not in rough
        assert "Blue waves: Mud/Flood" in history_key([FLOODED], BOOK, place)


def test_the_heat_map_of_a_place_shows_that_place() -> None:
    """The alt text too."""
    zone, india = BOOK.zones["south-asia"], BOOK.places["india"][1]
    stormy = replace(FAIR_WEEK, regions={**FAIR_WEEK.regions, "malaysia": ("storms",)})
    elsewhere = replace(FAIR_WEEK, regions={**FAIR_WEEK.regions, "congo": ("storms",)})
    drawn = {
        (name, place and place.id): history_picture([made], BOOK, place)
        for name, made in (("fair", FAIR_WEEK), ("stormy", stormy), ("elsewhere", elsewhere))
        for place in (None, zone, india)
    }
    data = {key: picture.data for key, picture in drawn.items()}

    assert data["fair", "india"] == data["stormy", "india"]
    assert data["fair", zone.id] == data["elsewhere", zone.id] != data["stormy", zone.id]
    assert data["fair", None] != data["elsewhere", None]
    heights = [Image.open(BytesIO(data["fair", name])).height for name in ("india", zone.id)]
    assert heights[1] > 4 * heights[0]
    answer = drawn["stormy", zone.id]
    assert "India: Good weather in 1. " in answer.alt
    assert "Malaysia: Storms in 1." in answer.alt


def test_mud_is_marked_once_whatever_its_mark() -> None:
    """Even with another mark."""
    own = {**BOOK.conditions, "mud-flood": replace(BOOK.conditions["mud-flood"], mark="Qx")}
    house = replace(BOOK, conditions=own)
    ours = week_picture(describe_week(FLOODED, None, house), house)
    theirs = week_picture(describe_week(FLOODED, None, BOOK), BOOK)
    assert ours.data == theirs.data


def test_a_forecast_and_the_categories_of_a_zone_are_pictures_with_words() -> None:
    """Alt texts say how much is missing."""
    for book in (BOOK, stretch_labels(BOOK, all_land=True)):
        chart = forecast_picture(forecast(book, [make_drenched(book, 12)], 13), book)
        shown = [chart, *(categories_picture(zone, book) for zone in book.zones.values())]
        for picture in shown:
            assert picture.data.startswith(b"\x89PNG")
            assert len(picture.alt) <= 1000
    chart = forecast_picture(forecast(BOOK, [], 1), BOOK)
    australia = categories_picture(BOOK.zones["australia"], BOOK)
    assert chart.alt.startswith("Chart of the forecast for week 1. South Africa: Good 40%, 1 10%, 2 10%, 3 15%, ")
    assert "Australia: 7 5%, Good 35%" in chart.alt
    assert "What the categories of Australia mean" in australia.alt
    assert " Good: Good weather in Central Indian Ocean, " in australia.alt
