"""Threads under results that call for something to be written, where a campaign wants them."""

from __future__ import annotations

import discord
import simcord

from bot.outbox import store as posts
from bot.outbox.store import Post
from tests.cogs.campaign.grouping import NIGHT, group, grouped, patrolled
from tests.cogs.writeups.test_writeups import attacked, caught, listing
from tests.outbox.test_posts import forbid, forget, wait
from tests.support import reading
from tests.support.acting import roll_command
from tests.support.reading import assert_says, said, text
from tests.support.world import World, entry


async def switch(world: World, to: str = "threads on") -> str:
    """Switch threads on or off; gives what is said."""
    return said(await world.gm.slash(world.orders, "campaign edit", write_ups=to))


def threads(channel: simcord.ChannelHandle) -> list[str]:
    """The names of the threads under a channel's messages, but for the audit thread."""
    return [item.name or "" for item in reading.threads(channel)]


def results(channel: simcord.ChannelHandle) -> list[discord.Message]:
    """The results that a channel holds; a thread has left a line of Discord's own there."""
    return [item for item in channel.history() if item.embeds]


async def posted(world: World, number: int) -> Post:
    """The first post of an entry."""
    return (await world.bots[-1].database.read(lambda tx: posts.posts_of_entry(tx, 1, number)))[0]


async def test_no_threads_unless_the_campaign_wants_them(world: World) -> None:
    """At first a battle has no thread; switched on, the next one has, a patrol that misses and the battle before have none."""
    await caught(world, "Dom")
    assert threads(world.results) == []
    assert "no threads" in said(await world.gm.slash(world.orders, "campaign show"))
    await switch(world)
    assert entry(world)["edited"] == {"writeup_threads": {"before": "off", "after": "on"}}
    assert "a thread under each result" in said(await world.gm.slash(world.orders, "campaign show"))
    await caught(world)
    await roll_command(world, "patrol", 1, patrol="Kilo", target="Zaku", roll="now")
    assert (threads(world.results), threads(world.staff)) == (["Write-up #5"], [])
    await switch(world, "threads off")
    await caught(world, "Gelgoog")
    assert len(threads(world.results)) == 1


async def test_the_list_leads_to_the_thread(world: World) -> None:
    """The thread stands under the result's own message, and players are led to it."""
    await switch(world)
    await caught(world)
    (message,) = results(world.results)
    item = await posted(world, 4)
    assert (item.message_id, item.thread_id) == (message.id, message.id)
    assert f"[Thread](https://discord.com/channels/{world.guild.id}/{message.id})" in await listing(world, world.player)


async def test_a_staff_results_thread_is_the_staffs(world: World) -> None:
    """The thread of a result that only the staff may see is under the staff's message; no player is led to it."""
    await switch(world)
    await attacked(world)
    assert (threads(world.results), threads(world.staff)) == ([], ["Write-up #4"])
    assert "[Thread]" in await listing(world)
    assert "Thread" not in await listing(world, world.player)


async def test_the_thread_of_a_groups_result_is_the_groups(world: World) -> None:
    """It stands under the group's message, or among the staff where the group has no channel; members are led to theirs."""
    den = await grouped(world)
    await switch(world)
    number = await patrolled(world, 20)
    assert threads(den) == [f"Write-up #{number}"]
    assert threads(world.results) == threads(world.staff) == []
    assert "[Thread]" in await listing(world, world.player)
    await group(world, "edit", group=NIGHT, without="channel")
    number = await patrolled(world, 20, target="Dom")
    assert threads(world.staff) == [f"Write-up #{number}"]


async def test_where_none_can_be_opened_the_staff_is_told_once(world: World) -> None:
    """The result stands all the same, and one note names the permission that is missing."""
    await switch(world)
    forbid(world, world.results, create_public_threads=True)
    await caught(world)
    assert len(results(world.results)) == 1
    assert threads(world.results) == []
    for _ in range(3):
        await wait(world, hours=1)
    (note,) = world.staff.history()
    assert_says(text(note), "Entry #4 has no thread", "Create Public Threads", f"<#{world.results.id}>")
    assert "[Thread]" not in await listing(world)


async def test_a_crash_between_thread_and_note_opens_no_second_one(world: World) -> None:
    """The post is found again in the channel; that Discord says the thread is there already counts as having it."""
    await switch(world)
    await caught(world)
    await forget(world, 4)
    await world.restart()
    path = f"/channels/{world.results.id}/messages/{results(world.results)[0].id}/threads"
    world.env.inject_error("POST", path, status=400, code=160004, message="A thread has already been created")
    await wait(world, minutes=5)
    item = await posted(world, 4)
    assert item.state == "sent"
    assert item.thread_id == item.message_id == results(world.results)[0].id
    assert len(results(world.results)) == len(threads(world.results)) == 1
    assert world.staff.last_message is None
