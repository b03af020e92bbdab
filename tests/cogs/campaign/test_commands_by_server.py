"""A server shows the commands of the books that its open campaigns play, and no others."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from sqlalchemy import Connection

from bot.app import FEATURES
from bot.client import Adjutant
from bot.core.schema import campaign
from bot.ui import registration
from tests.core.test_chores import REFUSAL
from tests.support.reading import response, said
from tests.support.world import World, running

BY_BOOK = {
    book: {command.name for feature in FEATURES if feature.book == book for command in feature.commands}
    for book in {feature.book for feature in FEATURES}
}


def shown(world: World, guild_id: int | None) -> set[str]:
    """The commands that Discord has for one server alone, or for all of them."""
    return {name for name, _ in world.env.backend.commands.get(guild_id, ())}


def hang(bot: Adjutant, server: int) -> asyncio.Event:
    """Let Discord take a server's commands only once the event is set."""
    own, arrives = bot.http.bulk_upsert_guild_commands, asyncio.Event()

    async def send(application: int, guild_id: int, payload: list[dict[str, Any]]) -> list[Any]:
        if guild_id == server:
            await arrives.wait()
        return await own(application, guild_id, payload)

    bot.http.bulk_upsert_guild_commands = send  # type: ignore[assignment,method-assign]
    return arrives


async def test_a_server_gets_the_commands_of_its_books_at_once(world: World) -> None:
    """Those of no book are everywhere; a book that a campaign takes up or drops brings or takes its commands."""
    here = world.guild.id
    elsewhere = world.env.create_guild("Elsewhere").id
    found = [shown(world, here)]
    for change in ("roe, total_war", "-campaign, -total_war", "-roe, campaign"):
        await world.manager.slash(world.orders, "gm settings", books=change)
        found.append(shown(world, here))

    campaign, roe, war = BY_BOOK["campaign"], BY_BOOK["roe"], BY_BOOK["total_war"]
    assert found == [campaign, campaign | roe | war, roe, campaign]
    assert shown(world, None) == BY_BOOK[None]
    assert shown(world, elsewhere) == set()


async def test_an_archived_campaign_takes_its_commands_with_it(world: World) -> None:
    """They come back when it's restored; another open campaign's stay."""
    asked = await world.manager.slash(world.orders, "campaign archive")
    await world.manager.click(response(asked), label="Archive")
    archived = shown(world, world.guild.id)
    await world.manager.slash(world.orders, "campaign archive", restore=True)

    assert (archived, shown(world, world.guild.id)) == (set(), BY_BOOK["campaign"])

    results, staff = (world.guild.create_text_channel(name) for name in ("night", "night-staff"))
    more = {"name": "Long Night", "results": results, "staff": staff, "game_master": world.roles["gm"]}
    await world.manager.slash(world.orders, "campaign create", **more)
    again = await world.manager.slash(world.orders, "campaign archive", campaign="Iron Sea")
    await world.manager.click(response(again), label="Archive")
    assert shown(world, world.guild.id) == BY_BOOK["campaign"]


async def test_what_is_registered_is_not_sent_again(world: World) -> None:
    """Neither the loop nor a restart repeats it; what is changed past this process comes with the loop."""
    sent = Mock(wraps=world.bots[-1].http.bulk_upsert_guild_commands)
    world.bots[-1].http.bulk_upsert_guild_commands = sent  # type: ignore[method-assign]
    await world.bots[-1].register_books()
    assert sent.call_count == 0

    await world.restart()
    sent = Mock(wraps=world.bots[-1].http.bulk_upsert_guild_commands)
    world.bots[-1].http.bulk_upsert_guild_commands = sent  # type: ignore[method-assign]
    await world.bots[-1].register_books()
    assert sent.call_count == 0

    await world.bots[-1].database.write(Connection.execute, campaign.update().values(books=["infinity"]))
    await world.bots[-1].register_books()
    assert (sent.call_count, shown(world, world.guild.id)) == (1, BY_BOOK["infinity"])


@pytest.mark.parametrize("fault", [REFUSAL, ConnectionResetError("reset")])
async def test_a_server_where_commands_are_refused_keeps_the_old_ones(
    world: World, caplog: pytest.LogCaptureFixture, fault: Exception
) -> None:
    """It's logged, and tried again after the next change there, or later."""
    bot = world.bots[-1]
    own = bot.http.bulk_upsert_guild_commands
    refusing = AsyncMock(side_effect=fault)
    bot.http.bulk_upsert_guild_commands = refusing  # type: ignore[method-assign]
    answer = await world.manager.slash(world.orders, "gm settings", books="roe")
    await bot.register_books()

    assert "roe" in said(answer).casefold()
    assert (refusing.await_count, shown(world, world.guild.id)) == (1, BY_BOOK["campaign"])
    assert [line.getMessage() for line in caplog.records] == ["commands.refused"]

    caplog.clear()
    bot.http.bulk_upsert_guild_commands = own  # type: ignore[method-assign]
    await world.manager.slash(world.orders, "gm settings", books="-campaign")
    assert shown(world, world.guild.id) == BY_BOOK["roe"]


@pytest.mark.parametrize("noticed", ["by the event", "later"])
async def test_a_server_that_adds_the_bot_again_gets_its_commands_again(world: World, noticed: str) -> None:
    """Discord drops the commands of a server that removes the bot."""
    bot, here = world.bots[-1], world.guild.id
    world.env.backend.commands.pop(here)
    await bot.register_books()
    guild = bot.get_guild(here)
    assert guild is not None
    if noticed == "later":
        bot._connection._guilds.pop(here)
        await bot._compare_servers()
        bot._connection._guilds[here] = guild
    else:
        await bot.on_guild_remove(guild)
    await bot._compare_servers()
    await bot.register_books()

    assert shown(world, here) == BY_BOOK["campaign"]


async def test_two_changes_at_once_end_with_the_newer(world: World) -> None:
    """What is changed while Discord takes the older is sent after it."""
    bot = world.bots[-1]
    arrives = hang(bot, world.guild.id)
    rounds = []
    for books in ("roe", "infinity"):
        await bot.database.write(Connection.execute, campaign.update().values(books=[books]))
        rounds.append(asyncio.ensure_future(bot.registration.register_server(world.guild.id)))
        await asyncio.sleep(0.05)
    arrives.set()
    await asyncio.gather(*rounds)

    assert shown(world, world.guild.id) == BY_BOOK["infinity"]


async def test_a_server_that_discord_lets_wait_delays_no_other(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who changed something there waits a moment for the commands, and they come later."""
    bot, other = world.bots[-1], world.env.create_guild("Elsewhere")
    monkeypatch.setattr(registration, "PATIENCE", 0.1)
    arrives = hang(bot, world.guild.id)
    await bot.database.write(Connection.execute, campaign.update().values(books=["campaign", "roe"]))
    await bot.registration.register_server(world.guild.id)
    assert shown(world, world.guild.id) == BY_BOOK["campaign"]

    await bot.database.write(Connection.execute, campaign.update().values(guild_id=other.id))
    await bot.registration.register_server(other.id)
    assert shown(world, other.id) == BY_BOOK["campaign"] | BY_BOOK["roe"]
    arrives.set()
    await bot.register_books()
    assert shown(world, world.guild.id) == set()


async def test_what_was_sent_and_not_recorded_is_sent_again(world: World) -> None:
    """Discord may have it or not, and the books may be the old ones again."""
    bot = world.bots[-1]
    own = bot.http.bulk_upsert_guild_commands

    async def take_and_break(application: int, guild_id: int, payload: list[dict[str, Any]]) -> list[Any]:
        await own(application, guild_id, payload)
        raise ConnectionResetError

    bot.http.bulk_upsert_guild_commands = take_and_break  # type: ignore[assignment,method-assign]
    await world.manager.slash(world.orders, "gm settings", books="roe")
    bot.http.bulk_upsert_guild_commands = own  # type: ignore[method-assign]
    await world.manager.slash(world.orders, "gm settings", books="-roe")

    assert shown(world, world.guild.id) == BY_BOOK["campaign"]


async def test_without_the_commands_of_all_servers_none_gets_more(world: World) -> None:
    """They would show twice while Discord still has all commands everywhere."""
    bot = world.bots[-1]
    bot.registration.ready = False
    await world.manager.slash(world.orders, "gm settings", books="roe")
    assert shown(world, world.guild.id) == BY_BOOK["campaign"]

    await bot.learn_commands()
    del bot.registration.register_global  # of a prepared world, which registers nothing
    await bot.learn_commands()
    await bot.register_books()
    assert shown(world, world.guild.id) == BY_BOOK["campaign"] | BY_BOOK["roe"]


async def test_a_server_without_campaigns_has_no_commands_of_books(database_url: str) -> None:
    """A stranger sees what is there to begin with."""
    async with running(database_url, campaign=False) as world:
        await world.bots[-1].register_books()

        assert (shown(world, world.guild.id), shown(world, None)) == (set(), BY_BOOK[None])
