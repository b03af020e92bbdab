"""Messages recognised by marks."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.core.schema import post
from bot.outbox.queue import OutgoingMessage, Post, add_mark, encode_payload, find_post_mark, make_mark, remove_mark
from tests.cogs.ledger.test_void import undo_entry
from tests.outbox.test_posts import forget, newest_number, patrol, posts, sends, wait
from tests.support.reading import newest, text
from tests.support.world import World, rows

SAME = [discord.Embed(title="What you have seen", description="Red Fleet moves to A2").set_footer(text="Iron Sea")]


def unmark(world: World, message: discord.Message) -> None:
    """Remove a message's mark."""
    embeds: list[Any] = [embed.to_dict() for embed in message.embeds]
    embeds[-1]["footer"]["text"] = remove_mark(embeds[-1]["footer"]["text"])
    world.env.backend.edit_message(message.channel.id, message.id, {"embeds": embeds})


@pytest.mark.parametrize("killed", [True, False])
async def test_a_roll_taken_back_before_its_post_was_noted_has_one_message(world: World, *, killed: bool) -> None:
    """It's struck through."""
    await patrol(world, 20)
    number, first = await newest_number(world), newest(world.results)
    await forget(world, number)
    await undo_entry(world, number)
    if killed:
        await world.restart()
    await wait(world, minutes=5)
    told = [message for message in world.results.history() if f"\n#{number}" in text(message)]
    assert [message.id for message in told] == [first.id]
    assert told[0].embeds[0].author.name == f"Void: undone by #{number + 1}"
    assert (await posts(world, number))[0].message_id == first.id


async def test_two_posts_with_the_same_words_keep_their_own_messages(world: World) -> None:
    """By their marks."""
    bot = world.bots[-1]
    ours: list[Post] = []
    for _ in range(2):
        words = [OutgoingMessage("told", world.results.id, SAME)]
        ours += await bot.outbox.send(bot, await bot.database.write(bot.outbox.queue, 1, None, words))
    await bot.outbox.wait_saved(ours)
    lost: Any = {"state": "queued", "message_id": None, "unconfirmed": True, "payload": encode_payload(SAME)}
    await bot.database.write(lambda tx: tx.execute(post.update().where(post.c.id == ours[1].id).values(lost)))
    await world.restart()
    await wait(world, minutes=5)
    found = rows(world, "select message_id from post where kind = 'told' order by id")
    assert found == [(item.message_id,) for item in ours]
    assert len(sends(world, world.results)) == 2


async def test_a_message_of_a_version_without_marks_is_found_by_its_words(world: World) -> None:
    """After an upgrade."""
    await patrol(world, 20)
    number, first = await newest_number(world), newest(world.results)
    unmark(world, first)
    await forget(world, number)
    await world.restart()
    await wait(world, minutes=5)
    assert len(sends(world, world.results)) == 1
    assert (await posts(world, number))[0].message_id == first.id


def test_a_mark_that_somebody_copied_into_a_text_counts_for_nothing() -> None:
    """The last mark counts."""
    for bare in (
        discord.Embed(title="T", description=f"Note {make_mark('theirs')}").set_footer(text=f"F{make_mark('theirs')}"),
        discord.Embed(title="T", description=f"Note {make_mark('theirs')}"),
        discord.Embed(title=f"T {make_mark('theirs')}"),
    ):
        assert find_post_mark(add_mark([bare], make_mark("ours"))) == make_mark("ours")
    (full,) = add_mark([discord.Embed(title="T", description="x" * 4096)], make_mark("ours"))
    assert len(full.description or "") == 4096
    assert find_post_mark([full]) == make_mark("ours")


def test_a_post_fits_into_one_message_with_its_mark() -> None:
    """Even the longest."""
    embeds = [discord.Embed(title="T" * 256, description="x\n" * 2048) for _ in range(2)]
    encode_payload(embeds)
    marked = add_mark(embeds, make_mark("ours"))
    assert sum(map(len, marked)) <= 6000
    (titled,) = add_mark([discord.Embed(title="T" * 256)], make_mark("ours"))
    assert len(titled.title or "") <= 256
    assert find_post_mark([titled]) == make_mark("ours")
