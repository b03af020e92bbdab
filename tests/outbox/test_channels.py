"""Channels that refuse, are elsewhere, or on another process's server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core.schema import campaign
from bot.outbox.sending import fault_of
from tests.outbox.test_posts import allow, forbid, forget, newest_number, patrol, posts, sends, wait
from tests.support.reading import newest, said
from tests.support.world import World, rows


@pytest.mark.parametrize(
    ("status", "sent", "words"),
    [
        (502, "<html><h1>Bad Gateway</h1></html>", "Discord has problems (HTTP 502)"),
        (403, "<!DOCTYPE html><title>Just a moment</title>", "Discord has problems (HTTP 403)"),
        (429, "You are being rate limited.", "Discord accepts no more messages in #results for now"),
        (400, {"code": 50035, "message": "Invalid Form Body"}, "Discord refused it in #results: Invalid Form Body"),
    ],
)
def test_no_page_for_browsers_reaches_people(world: World, status: int, sent: Any, words: str) -> None:  # noqa: ANN401 - JSON
    """A proxy's page isn't shown."""
    channel: Any = world.bots[-1].get_channel(world.results.id)
    response: Any = SimpleNamespace(status=status, reason="")
    assert fault_of(channel, discord.HTTPException(response, sent)) == words


async def test_a_connection_that_breaks_off_is_told_without_its_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """System errors go to the log."""

    async def cut(*_: object, **__: object) -> None:
        raise ConnectionResetError(104, "Connection reset by peer")

    monkeypatch.setattr(discord.TextChannel, "send", cut)
    world.dice.script(20)
    told = said(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now"))
    assert "Discord didn't answer" in told
    assert "Errno" not in told


async def test_nothing_is_posted_on_another_server(world: World) -> None:
    """A foreign channel doesn't count."""
    foreign = world.env.create_guild("Elsewhere").create_text_channel("there")
    database = world.bots[-1].database
    await database.write(lambda tx: tx.execute(campaign.update().values(staff_channel_id=foreign.id)))
    world.dice.script(3, sides=6)
    await world.gm.slash(world.orders, "roll", expression="d6", to="to the staff channel", note="Hush")
    assert not foreign.history()
    assert ("staff", "the channel was deleted") in rows(world, "select kind, fault from post where state <> 'sent'")


@pytest.mark.slow
async def test_a_doubtful_post_in_another_shards_server_waits_too(world: World) -> None:
    """A hidden history isn't an empty one."""
    await patrol(world, 20)
    number = await newest_number(world)
    await forget(world, number)
    forbid(world, world.results, read_message_history=True)

    await world.restart()
    server = world.bots[-1].get_guild(world.guild.id)
    assert server is not None
    world.bots[-1]._connection._remove_guild(server)
    await wait(world, minutes=5)
    assert len(sends(world, world.results)) == 1
    assert "I can't read the message history" in str([item.fault for item in await posts(world, number)])

    allow(world, world.results)
    await wait(world, hours=1)
    assert len(sends(world, world.results)) == 1
    assert (await posts(world, number))[0].message_id == newest(world.results).id
