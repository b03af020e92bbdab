"""Whose a post is to send: whoever queued it, until its claim has run out."""

from __future__ import annotations

import discord

from bot.outbox.delivery import CLAIM
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from tests.support.acting import close_update
from tests.support.reading import assert_says, press, refused, said, text
from tests.support.world import World


async def queued(world: World, *titles: str) -> list[Post]:
    """Posts for the staff that tell of no entry, each queued by itself."""
    letters = [OutgoingMessage("reminder", world.staff.id, [discord.Embed(title=title)]) for title in titles]
    bot = world.bots[-1]
    return await bot.database.write(
        lambda tx: [post for letter in letters for post in bot.outbox.queue(tx, 1, None, [letter])]
    )


async def test_what_waited_too_long_is_left_to_the_loop(world: World) -> None:
    """Once its claim has run out a post is not sent by whoever queued it: the loop has sent it, and there is one message."""
    bot = world.bots[-1]
    first = await queued(world, "Soon")
    world.clock.advance(seconds=CLAIM.total_seconds() - 1)
    second = await queued(world, "Later")
    world.clock.advance(seconds=1)
    assert await bot.outbox.send(bot, first) == first
    assert not world.staff.history()
    assert [item.id for item in await bot.outbox.send_due(bot)] == [first[0].id]
    assert await bot.outbox.send(bot, first) == first
    await bot.outbox.send(bot, second)
    assert sorted(text(message).strip() for message in world.staff.history()) == ["Later", "Soon"]


async def test_a_post_without_an_entry_waits_for_no_other(world: World) -> None:
    """Of two reminders sent together the first is refused, and the second goes out all the same."""
    bot = world.bots[-1]
    world.env.inject_error("POST", f"/channels/{world.staff.id}/messages", status=503)
    sent = await bot.outbox.send(bot, await queued(world, "First", "Second"))
    assert [item.message_id is None for item in sent] == [True, False]
    assert [text(message).strip() for message in world.staff.history()] == ["Second"]


async def test_the_answer_tells_what_could_not_be_posted(world: World) -> None:
    """A word on missed updates that cannot be told in #results says so with the entry, as a receipt does, and where the rest stands."""
    await world.gm.slash(world.orders, "update schedule", day="Saturday", time="18:00", catch_up="ask")
    world.clock.advance(days=14)
    await world.env.advance_time(21)
    (question,) = world.staff.history()
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=503)
    told = said(await world.gm.click(question, custom_id=press(question, "roll")))
    assert "caught up 2" in told
    assert told.count("Not posted yet") == 1
    assert told.count("[Posted](") == 1
    assert "safe as entry #4" in told


async def test_the_answer_tells_what_was_done_by_hand(world: World) -> None:
    """Of two missed updates one was closed by hand: the word closes one, and says of the other that it was done."""
    await world.gm.slash(world.orders, "update schedule", day="Saturday", time="18:00", catch_up="ask")
    world.clock.advance(days=14)
    await world.env.advance_time(21)
    (question,) = world.staff.history()
    await close_update(world)
    told = said(await world.gm.click(question, custom_id=press(question, "roll")))
    assert_says(told, "done by hand already 1 (<t:", "caught up 1 (<t:")
    assert "nothing is missed" in refused(await world.gm.click(question, custom_id=press(question, "skip")))
