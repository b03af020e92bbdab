"""The digest of a rollover in the results channel: with its map where one can be, and always in words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import discord
import pytest
import simcord
from sqlalchemy import Connection

from bot.cogs.weather import FEATURE
from bot.cogs.weather.pictures import history_picture, week_picture
from bot.core.campaigns import Campaign
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.kernel import drawing_of
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.message import illustrate
from bot.outbox.store import Post
from bot.rolls.buttons import post_buttons
from rules.library import Composer
from rules.ruleset import RuleSet
from tests.cogs.weather.skywatch import FAIR, ROUGH, put, roll, told_whole, without_weather
from tests.outbox.test_posts import allow, forbid, forget, sends, wait
from tests.support.reading import newest, response, said, text
from tests.support.world import BOOKS, CountedRandomness, World

SPOTS = [region.label for zone in BOOKS["campaign"].zones.values() for region in zone.regions]


def images(message: discord.Message) -> list[str | None]:
    """What the embeds of a message show as pictures."""
    return [embed.image.url for embed in message.embeds if embed.image.url]


async def require_bare(world: World, message: discord.Message) -> None:
    """Claim that a message tells the week in words, all of it behind Details, and has neither a picture nor a place for one."""
    assert "Weather of week 1" in text(message)
    whole = await told_whole(world, message)
    assert [label for label in SPOTS if label not in whole] == []
    assert not message.attachments
    assert not images(message)


def require_map(message: discord.Message) -> None:
    """Claim that a message tells a week in words and shows the map, which has words of its own."""
    assert "Weather of week" in text(message)
    (picture,) = message.attachments
    assert picture.filename == "weather.png"
    assert picture.description is not None
    assert 1 <= len(picture.description) <= 1024
    assert images(message) == ["attachment://weather.png"]


async def digest(world: World, number: int = 3) -> list[Post]:
    """The posts of a rollover as they stand."""
    return await world.bots[-1].database.read(lambda tx: posts.posts_of_entry(tx, 1, number))


async def unposted(world: World, status: int = 503) -> simcord.InteractionResult:
    """Roll week 1 while the results channel fails once, so that its digest is due later."""
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=status)
    result = await roll(world, *ROUGH)
    assert "Not posted yet" in said(result)
    assert not world.results.history()
    return result


async def test_without_attach_files_the_digest_goes_in_words(world: World) -> None:
    """Where the bot may not attach files the digest has no picture and no broken place for one, and nobody is bothered."""
    forbid(world, world.results, attach_files=True)
    told = said(await roll(world, *FAIR))
    assert "Not posted" not in told
    assert "Posted" in told
    await require_bare(world, newest(world.results))


@pytest.mark.parametrize("status", [400, pytest.param(413, marks=pytest.mark.slow)])
async def test_a_refused_upload_is_followed_by_the_words(world: World, status: int) -> None:
    """When Discord refuses the message with its picture, it is sent at once without; there is one message."""
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=status)
    assert "Posted" in said(await roll(world, *FAIR))
    first, second = sends(world, world.results)
    assert (first["embeds"][0]["image"]["url"], "image" in second["embeds"][0]) == ("attachment://weather.png", False)
    assert len(world.results.history()) == 1
    await require_bare(world, newest(world.results))


async def test_a_server_error_keeps_the_map_for_the_next_try(world: World) -> None:
    """After a 503 nothing is sent blindly without the picture; the digest follows with it, once."""
    await unposted(world)
    assert len(sends(world, world.results)) == 1
    await wait(world, seconds=15)
    require_map(newest(world.results))
    assert len(world.results.history()) == 1


@pytest.mark.slow
async def test_a_digest_due_after_a_restart_carries_the_map(world: World) -> None:
    """What a restart leaves behind is posted by the new process, drawn from what the entry tells, whatever has changed since."""
    await unposted(world)
    await put(world, "Australia", "good", 1)
    await world.restart()
    await wait(world, minutes=5)
    message = next(item for item in world.results.history() if "Weather of week 1" in text(item))
    require_map(message)
    assert "Australia 6" in (message.attachments[0].description or "")
    (item,) = await digest(world)
    assert (item.state, item.message_id) == ("sent", message.id)


async def test_a_missing_permission_is_told_and_the_map_comes_once_it_is_there(world: World) -> None:
    """Without Send Messages the receipt says so; when it is granted, the digest goes out with its map."""
    forbid(world, world.results, send_messages=True)
    assert "in #results I need Send Messages" in said(await roll(world, *FAIR))
    allow(world, world.results)
    await wait(world, seconds=15)
    require_map(newest(world.results))


@pytest.mark.slow
async def test_a_digest_with_its_map_is_found_again(world: World) -> None:
    """When the bot died between sending and noting, the restarted bot finds the message with the picture and sends no second."""
    await roll(world, *FAIR)
    message = newest(world.results)
    await forget(world, 3)
    await world.restart()
    await wait(world, minutes=5)
    assert len(sends(world, world.results)) == 1
    assert [(item.state, item.message_id) for item in await digest(world)] == [("sent", message.id)]


class Torn(Library):
    """A library that fails in a way that nobody foresaw."""

    def book(self, _tx: Connection, _campaign: Campaign, _book_id: str) -> RuleSet:
        """Fail."""
        raise RuntimeError("torn")


async def test_a_drawing_that_fails_costs_the_picture_alone(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """When the map cannot be drawn, the digest goes out in words, and the log says why."""
    await unposted(world)
    world.clock.advance(minutes=1)
    bot = world.bots[-1]
    draw = partial(illustrate, bot.database, partial(drawing_of, Torn(BOOKS, Composer()), [FEATURE]))
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
    """A week or a history that makes no sense gives None, and raises nothing."""
    nonsense: Any = {"week": 1, "zones": [{"label": "Nowhere"}]}
    assert await week_picture(nonsense, BOOKS["campaign"]) is None
    nothing: Sequence[Any] = [None]
    assert await history_picture(nothing, BOOKS["campaign"]) is None


@pytest.mark.slow
async def test_a_campaign_that_gave_the_book_up_still_gets_its_digest(world: World) -> None:
    """A digest that is due after the campaign has changed to a book without weather goes out in words, and nothing stands still."""
    await unposted(world)
    await without_weather(world)
    await wait(world, minutes=5)
    await require_bare(world, newest(world.results))


async def test_the_ledger_shows_a_rollover_without_a_broken_picture(world: World) -> None:
    """`/ledger show` tells the rollover in words and leaves no place for a picture that is not sent along."""
    await roll(world, *ROUGH)
    for actor in (world.gm, world.player):
        answer = response(await actor.slash(world.orders, "ledger show", number=3))
        assert "Weather of week 1" in text(answer)
        assert "**South Africa** 1d20: **2**" in text(answer), "the ledger tells it whole"
        assert [embed.image.url for embed in answer.embeds] == [None]
