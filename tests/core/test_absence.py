"""A server that removed the bot: campaigns rest, resume, or are deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simcord.backend import serializers

from tests.cogs.ledger.test_publish_on_date import set_date
from tests.outbox.test_posts import allow, forbid
from tests.support.acting import use_desk
from tests.support.reading import assert_says, newest, text
from tests.support.world import World, rows, running, written

ROUND = 45
"""Seconds for two turns of each loop."""


async def remove(world: World, **how: bool) -> None:
    """Let the server remove the bot, or be `unavailable`."""
    world.env._gateway_feed("GUILD_DELETE", {"id": str(world.guild.id), **how})
    await world.env.advance_time(ROUND)


async def add(world: World) -> None:
    """Let the server add the bot again."""
    guild = world.env.backend.guilds[world.guild.id]
    world.env._gateway_feed("GUILD_CREATE", serializers.guild_create_payload(world.env.backend, guild))
    await world.env.advance_time(ROUND)


@contextmanager
def elsewhere(world: World) -> Iterator[None]:
    """Don't name the server to a starting bot."""
    guild = world.env.backend.guilds.pop(world.guild.id)
    yield
    world.env.backend.guilds[world.guild.id] = guild


def away(world: World) -> bool:
    """Whether the campaign is away."""
    return rows(world, "select away_since from campaign") != [(None,)]


def list_requests(world: World) -> list[str]:
    """Requests to the server's channels."""
    return [item.path for item in world.env.http_requests if "/channels/" in item.path or "/guilds/" in item.path]


def count_written(world: World) -> tuple[int, ...]:
    """Rows, attempts, and the board's newest entry."""
    counted = ("coalesce(sum(attempts), 0) from post", "coalesce(max(upto), 0) from board")
    return (*written(world), *(rows(world, f"select {count}")[0][0] for count in counted))


async def owe(world: World) -> None:
    """Make everything due that happens by itself."""
    gm = world.gm
    await gm.slash(world.orders, "gm settings", books="campaign, infinity")
    await gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00")
    await gm.slash(world.orders, "infinity versus", mine=9, opponent=world.player)
    await use_desk(gm, world.orders, "Board")
    await gm.slash(world.orders, "roll", expression="1d20", to="to the staff channel")
    await set_date(world, number=written(world)[0])
    for channel in (world.orders, world.results):
        forbid(world, channel, send_messages=True)
    await gm.slash(world.orders, "roll", expression="1d6", note="Late")
    for channel in (world.orders, world.results):
        allow(world, channel)


async def test_nothing_happens_by_itself_where_the_bot_was_removed(database_url: str) -> None:
    """Eight days without an entry or request; then all of it."""
    async with running(database_url, drawn=True) as world:
        await owe(world)
        world.env.inject_error("POST", "/users/@me/channels", status=403, times=None)  # so nothing is exported
        before, since = count_written(world), len(list_requests(world))
        await remove(world)
        assert away(world)
        for _ in range(8):
            world.clock.advance(days=1)
            await world.env.advance_time(ROUND)
        assert (count_written(world), list_requests(world)[since:]) == (before, [])
        await add(world)
        assert not away(world)
        assert count_written(world)[-1] > before[-1], "the board is drawn anew"
        kinds = {kind for (kind,) in rows(world, "select kind from entry where number > ?", before[0])}
        assert {"update", "publication"} <= kinds
        assert rows(world, "select count(*) from epoch where closed_at is not null") == [(1,)]
        assert rows(world, "select state from pending") == [("expired",)]
        assert rows(world, "select count(*) from post where state = 'queued'") == [(0,)]
        told = "\n".join(text(item) for item in (*world.orders.history(), *world.results.history()))
        assert_says(told, "Late", "Update 1 is closed")


async def test_an_outage_of_discord_is_no_removal(world: World) -> None:
    """An unavailable server is still there."""
    await remove(world, unavailable=True)
    assert not away(world)


async def test_a_start_finds_the_servers_that_were_missed(world: World) -> None:
    """Removals and returns during an outage are noticed."""
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00")
    before, since = written(world), len(list_requests(world))
    world.clock.advance(days=8)
    with elsewhere(world):
        await world.restart()
        await world.env.advance_time(ROUND)
    assert away(world)
    assert (written(world), list_requests(world)[since:]) == (before, [])
    await world.restart()
    await world.env.advance_time(ROUND)
    assert not away(world)
    assert "Update 1 is closed" in text(newest(world.results))


async def test_a_process_decides_about_servers_of_its_own_shards(world: World) -> None:
    """Another process's server isn't missed."""
    world.bots[-1].shard_count = 2
    other, own = 1 << 22, 2 << 22  # of the shards 1 and 0
    assert (world.bots[-1].has_left(other), world.bots[-1].has_left(own)) == (False, True)
