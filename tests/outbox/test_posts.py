"""Posting: once, in order, never silently."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import timedelta
from typing import Any

import discord
import pytest
import simcord
from hypothesis import given
from hypothesis import strategies as st
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType
from sqlalchemy import Connection

from bot.core import campaigns, entries
from bot.core.ledger import Ledger
from bot.core.schema import post
from bot.outbox import queue as rows
from bot.outbox.delivery import FIRST_PAUSE, LONGEST_PAUSE, Outbox, pause
from bot.outbox.queue import Post
from bot.rolls.resolver import RollResult
from tests.support.reading import newest, said, text
from tests.support.world import CountedRandomness, World

CAMPAIGN = 1


def forbid(world: World, channel: simcord.ChannelHandle, **permissions: bool) -> None:
    """Take permissions in a channel."""
    denied = discord.Permissions(**permissions).value
    me = world.env.backend.bot_user.id
    world.env.backend.set_overwrite(
        channel.id, Overwrite(target_id=me, type=OverwriteType.MEMBER, allow=0, deny=denied)
    )


def allow(world: World, channel: simcord.ChannelHandle) -> None:
    """Give them back."""
    world.env.backend.delete_overwrite(channel.id, world.env.backend.bot_user.id)


async def wait(world: World, **span: float) -> None:
    """Let time pass and the loop tick."""
    world.clock.advance(**span)
    await world.env.advance_time(6)


async def posts(world: World, number: int) -> list[Post]:
    """An entry's posts."""
    return await world.bots[-1].database.read(lambda tx: rows.posts_of_entry(tx, CAMPAIGN, number))


async def newest_number(world: World) -> int:
    """The newest entry's number."""
    return await world.bots[-1].database.read(lambda tx: entries.find_link(tx, CAMPAIGN, "").number)


async def patrol(world: World, *faces: int, by: str = "Kilo") -> simcord.InteractionResult:
    """Roll a patrol at once."""
    world.dice.script(*faces)
    return await world.gm.slash(world.orders, "patrol", patrol=by, target="Zaku column", roll="now")


async def forget(world: World, number: int) -> None:
    """Undo the record of sending, as a crash would."""

    def lose(tx: Connection) -> None:
        campaign = campaigns.get_campaign(tx, CAMPAIGN)
        entry = entries.get_entry(tx, CAMPAIGN, number)
        assert campaign is not None
        assert entry is not None
        letters = world.bots[-1].resolver.messages(RollResult(campaign, entry, ()))
        for item, letter in zip(rows.posts_of_entry(tx, CAMPAIGN, number), letters, strict=True):
            payload = json.dumps([embed.to_dict() for embed in letter.embeds])
            lost = {"state": "queued", "message_id": None, "unconfirmed": True, "payload": payload}
            tx.execute(post.update().where(post.c.id == item.id).values(lost))

    await world.bots[-1].database.write(lose)


def sends(world: World, channel: simcord.ChannelHandle) -> list[Any]:
    """Send requests for a channel."""
    path = f"/channels/{channel.id}/messages"
    return [call.json for call in world.env.http_requests if call.method == "POST" and call.path == path]


async def test_a_post_carries_a_nonce_of_its_own(world: World) -> None:
    """Nonces are unique."""
    await patrol(world, 20)
    await patrol(world, 20, by="Lima")

    sent = sends(world, world.results)
    assert [item["enforce_nonce"] for item in sent] == [True, True]
    assert len({item["nonce"] for item in sent}) == 2
    assert all(len(item["nonce"]) <= 25 for item in sent)


async def test_a_refused_post_is_told_privately_and_goes_out_by_itself(world: World) -> None:
    """Permission and channel are named."""
    forbid(world, world.results, send_messages=True, embed_links=True)
    result = await patrol(world, 20)

    assert result.ephemeral
    assert "in #results I need Send Messages, Embed Links" in said(result)
    number = await newest_number(world)
    assert f"safe as entry #{number}" in said(result)
    assert not world.results.history()

    allow(world, world.results)
    await wait(world, seconds=15)
    assert f"\n#{number}" in text(newest(world.results))
    (item,) = await posts(world, number)
    assert (item.state, item.message_id, item.fault) == ("sent", newest(world.results).id, None)


async def test_what_still_fails_is_told_to_the_staff_once(world: World) -> None:
    """However long it lasts."""
    forbid(world, world.results, send_messages=True)
    await patrol(world, 20)
    assert not world.staff.history()

    for _ in range(3):
        await wait(world, hours=1)
    (note,) = world.staff.history()
    number = await newest_number(world)
    assert f"Entry #{number} is not posted yet" in text(note)
    assert f"<#{world.results.id}>" in text(note)
    assert "I need Send Messages" in text(note)


@pytest.mark.slow
async def test_a_staff_channel_that_fails_is_told_by_the_ledger(world: World) -> None:
    """`/ledger` says what's wrong."""
    forbid(world, world.staff, send_messages=True)
    await patrol(world, 1)
    await wait(world, minutes=1)
    await wait(world, hours=1)

    assert not world.results.history()
    assert not world.staff.history()
    shown = await world.gm.slash(world.orders, "ledger", entry=await newest_number(world))
    assert "Waiting to be posted" in said(shown)
    assert "in #staff I need Send Messages" in said(shown)


async def test_a_server_error_is_tried_again(world: World) -> None:
    """After searching the channel."""
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=500)
    assert "Not posted yet" in said(await patrol(world, 20))

    await wait(world, seconds=15)
    assert len(world.results.history()) == 1


async def test_a_post_that_arrived_unnoticed_is_found_and_not_sent_again(world: World) -> None:
    """After a crash."""
    await patrol(world, 20)
    await patrol(world, 20, by="Lima")
    number = await newest_number(world)
    first = newest(world.results)
    await forget(world, number)

    await world.restart()
    await wait(world, minutes=2)
    assert len(world.results.history()) == 2
    assert [(item.state, item.message_id) for item in await posts(world, number)] == [("sent", first.id)]


async def test_a_post_that_never_arrived_is_sent_after_a_restart(world: World) -> None:
    """If the history lacks it."""
    await patrol(world, 20)
    number = await newest_number(world)
    lost = newest(world.results)
    world.env.backend.delete_message(world.results.id, lost.id)
    await forget(world, number)

    await world.restart()
    await wait(world, minutes=5)
    assert f"\n#{number}" in text(newest(world.results))
    assert newest(world.results).id != lost.id


async def test_without_a_readable_history_a_doubtful_post_waits_and_says_why(world: World) -> None:
    """It isn't sent blindly."""
    await patrol(world, 20)
    number = await newest_number(world)
    await forget(world, number)
    forbid(world, world.results, read_message_history=True)

    await world.restart()
    await wait(world, minutes=5)
    assert len(sends(world, world.results)) == 1
    shown = await world.gm.slash(world.orders, "ledger", entry=number)
    assert "I can't read the message history of #results" in said(shown)

    allow(world, world.results)
    await wait(world, hours=1)
    assert len(sends(world, world.results)) == 1
    assert (await posts(world, number))[0].message_id == newest(world.results).id


@pytest.mark.slow
async def test_a_doubtful_post_stays_doubtful_until_it_was_looked_for(world: World) -> None:
    """Refusals don't settle it."""
    await patrol(world, 20)
    number = await newest_number(world)
    await forget(world, number)
    forbid(world, world.results, read_message_history=True, send_messages=True)

    await world.restart()
    await wait(world, seconds=90)
    allow(world, world.results)
    await wait(world, hours=1)
    assert len(world.results.history()) == 1
    assert (await posts(world, number))[0].message_id == newest(world.results).id


async def test_an_attempt_that_is_under_way_counts_as_unconfirmed(world: World) -> None:
    """A crash leaves it doubtful."""
    forbid(world, world.results, send_messages=True)
    await patrol(world, 20)
    number = await newest_number(world)
    assert [item.unconfirmed for item in await posts(world, number)] == [False]

    later = world.clock() + timedelta(minutes=5)
    until = later + timedelta(minutes=1)
    (claimed,) = await world.bots[-1].database.write(lambda tx: rows.claim_posts(tx, later, until, 10))
    assert not claimed.unconfirmed
    assert [item.unconfirmed for item in await posts(world, number)] == [True]


async def test_a_deleted_channel_is_told(world: World) -> None:
    """The entry stays."""
    world.env.backend.delete_channel(world.results.id)
    told = said(await patrol(world, 20))
    assert "the channel was deleted" in told
    assert f"safe as entry #{await newest_number(world)}" in told


async def test_pages_keep_their_order_when_the_first_one_fails(world: World) -> None:
    """Later pages wait."""
    targets = ", ".join(f"{number} {'`' * 50}:neutral" for number in range(10))
    modifiers = ", ".join(f"+{number} {'because of this ' * 20}" for number in range(1, 5))
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=503, times=2)
    world.dice.script(*[20] * 20)
    await world.gm.slash(
        world.orders,
        "patrol",
        patrol="Kilo",
        target=targets,
        modifiers=modifiers,
        note="x" * 500,
        to="results",
        roll="now",
    )
    assert len(sends(world, world.results)) == 1
    assert not world.results.history()
    number = await newest_number(world)
    waiting = await posts(world, number)
    assert len(waiting) >= 2
    assert {item.fault for item in waiting[1:]} == {"an earlier page isn't posted yet"}

    await wait(world, seconds=15)
    assert len(sends(world, world.results)) == 2
    assert not world.results.history()

    await wait(world, minutes=1)
    pages = sorted(world.results.history(), key=lambda message: message.id)
    queued = [item for item in await posts(world, number) if item.kind == "results"]
    assert [message.id for message in pages] == [item.message_id for item in queued]
    told = "\n".join(map(text, pages))
    assert re.findall(r"(\d) \S+ let through by Kilo", told) == list("0123456789")


async def test_a_stuck_post_goes_to_the_new_results_channel(world: World) -> None:
    """Staff posts don't."""
    forbid(world, world.results, send_messages=True)
    forbid(world, world.staff, send_messages=True)
    await patrol(world, 20)
    number = await newest_number(world)
    await patrol(world, 1, by="Lima")
    fresh = world.guild.create_text_channel("fresh")
    await world.manager.slash(world.orders, "gm settings", results=fresh)

    await wait(world, seconds=15)
    await wait(world, hours=1)
    (message,) = fresh.history()
    assert f"\n#{number}" in text(message)
    assert not world.results.history()
    allow(world, world.staff)
    await wait(world, hours=1)
    assert any("Lima" in text(message) for message in world.staff.history())
    assert len(fresh.history()) == 1


@pytest.mark.slow
async def test_channels_that_change_places_take_their_own_posts(world: World) -> None:
    """Posts keep their readers."""
    forbid(world, world.results, send_messages=True)
    forbid(world, world.staff, send_messages=True)
    await patrol(world, 20)
    await patrol(world, 1, by="Lima")
    await world.manager.slash(world.orders, "gm settings", results=world.staff, staff=world.results)
    for channel in (world.results, world.staff):
        allow(world, channel)

    await wait(world, seconds=15)
    assert ["Kilo" in text(message) for message in world.staff.history()] == [True]
    assert ["Lima" in text(message) for message in world.results.history()] == [True]


@pytest.mark.slow
@pytest.mark.parametrize("gone", [False, True])
async def test_a_doubtful_post_moves_only_when_its_channel_is_gone(world: World, *, gone: bool) -> None:
    """It's searched for first."""
    await patrol(world, 20)
    number = await newest_number(world)
    await forget(world, number)
    if gone:
        world.env.backend.delete_channel(world.results.id)
        await wait(world, minutes=5)
    fresh = world.guild.create_text_channel("fresh")
    await world.manager.slash(world.orders, "gm settings", results=fresh)

    await wait(world, hours=1)
    (item,) = [item for item in await posts(world, number) if item.kind == "results"]
    assert (item.state, item.channel_id) == ("sent", (fresh if gone else world.results).id)
    assert len(fresh.history()) == int(gone)


class Broken(discord.TextChannel):
    """A channel with unforeseen failures."""

    __slots__ = ()

    async def send(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        """Fail."""
        raise RuntimeError("unforeseen")


async def test_posting_goes_on_after_an_attempt_that_failed(world: World) -> None:
    """It costs one attempt."""
    for owed, face, by in ((world.staff, 1, "Kilo"), (world.results, 20, "Lima")):
        world.env.inject_error("POST", f"/channels/{owed.id}/messages", status=503)
        await patrol(world, face, by=by)
    number = await newest_number(world)
    channel: Any = world.bots[-1].get_channel(world.results.id)
    channel.__class__ = Broken
    await wait(world, seconds=15)
    assert [item.state for item in await posts(world, number - 1)] == ["sent"]
    assert [(item.kind, item.state) for item in await posts(world, number)] == [
        ("results", "queued"),
        ("notice", "sent"),
    ]
    assert "something went wrong" in text(newest(world.staff))

    channel.__class__ = discord.TextChannel
    await wait(world, minutes=5)
    assert len(world.results.history()) == 1
    assert [item.state for item in await posts(world, number)] == ["sent", "sent"]


@pytest.mark.slow
async def test_two_dispatchers_do_not_send_the_same_post(world: World) -> None:
    """Claims are exclusive."""
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=503, times=3)
    for name in ("Kilo", "Lima", "Mike"):
        await patrol(world, 20, by=name)
    world.clock.advance(minutes=1)
    bot = world.bots[-1]
    both = [Outbox(bot.database, ledger=Ledger(world.clock, CountedRandomness())) for _ in range(2)]

    done = await asyncio.gather(*(outbox.send_due(bot) for outbox in both))

    assert sorted(item.entry_number or 0 for taken in done for item in taken) == [3, 4, 5]
    assert len(world.results.history()) == 3


@given(st.integers(1, 10_000))
def test_pauses_grow_from_ten_seconds_to_an_hour(attempts: int) -> None:
    """Doubling at first."""
    now, following = pause(attempts), pause(attempts + 1)
    assert FIRST_PAUSE <= now <= following <= LONGEST_PAUSE
    assert following in {now * 2, LONGEST_PAUSE}
    assert pause(1) == timedelta(seconds=10)


@pytest.mark.parametrize("face", [1, 20])
async def test_a_post_is_queued_with_its_entry(world: World, face: int) -> None:
    """Every roll owes a post."""
    await patrol(world, face)
    (item,) = await posts(world, await newest_number(world))
    channel = world.results if face == 20 else world.staff
    assert (item.channel_id, item.message_id) == (channel.id, newest(channel).id)
    assert item.payload is None
