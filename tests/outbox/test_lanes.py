"""Posts in slow and hanging channels."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, ClassVar, cast

import discord
import pytest
import simcord
from msgspec.structs import replace

from bot.core.permissions import Person
from bot.outbox import delivery
from bot.outbox.delivery import CLAIM
from bot.outbox.queue import Post
from bot.outbox.sending import MOST_UNWRITTEN, Lanes
from bot.rolls import void
from bot.rolls.void import VoidOrder
from tests.outbox.test_posts import forget, newest_number, patrol, posts, sends, wait
from tests.support.acting import opened
from tests.support.reading import newest, press, said, text
from tests.support.world import World

PATIENCE = 0.1
"""Seconds an answer waits for its posts."""

LATER = "Waiting for Discord to post it"


class Slow(discord.TextChannel):
    """A channel that takes ten seconds, or forever."""

    __slots__ = ()
    seconds = 10.0
    env: ClassVar[simcord.Env]

    async def send(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - discord.py's own signature
        """Send a message late."""
        await self.env.external_wait(asyncio.sleep(self.seconds), reason="the channel is slow")
        return await super().send(*args, **named)


class Hanging(Slow):
    """A channel that takes a day."""

    __slots__ = ()
    seconds = 86400.0


def slow(world: World, channel: simcord.ChannelHandle, kind: type[discord.TextChannel] = Slow) -> None:
    """Make a channel slow, or normal."""
    world.bots[-1].outbox.patience = PATIENCE
    cached: Any = world.bots[-1].get_channel(channel.id)
    Slow.env = world.env
    cached.__class__ = kind


async def live(world: World, seconds: int) -> None:
    """Let time pass, second by second."""
    for _ in range(seconds):
        world.clock.advance(seconds=1)
        await world.env.advance_time(1)


async def test_an_answer_waits_a_moment_for_its_post_and_is_edited_when_it_is_there(world: World) -> None:
    """The number first, the link later."""
    slow(world, world.results)
    begun = world.env.now()
    result = await patrol(world, 20)
    assert world.env.now() - begun < timedelta(seconds=PATIENCE + 0.5)
    await world.env.advance_time(PATIENCE)
    number = await newest_number(world)
    assert f"Rolled: entry #{number}" in said(result)
    assert LATER in said(result)
    assert not world.results.history()

    await live(world, 10)
    assert f"\n#{number}" in text(newest(world.results))
    assert LATER not in said(result)
    assert f"{newest(world.results).id}) in <#{world.results.id}>" in said(result)


@pytest.mark.slow
async def test_the_receipt_of_a_card_is_edited_when_a_slow_post_is_there(world: World) -> None:
    """It stays one message."""
    card = await opened(world)
    slow(world, world.results)
    world.dice.script(20)
    await world.gm.click(card, custom_id=press(card, "roll"))
    await world.env.advance_time(PATIENCE)
    assert LATER in text(card)
    await live(world, 10)
    assert LATER not in text(card)
    assert "[Posted](" in text(card)


@pytest.mark.parametrize("handed", [True, pytest.param(False, marks=pytest.mark.slow)])
async def test_what_is_revised_while_it_is_under_way_is_posted_once(world: World, *, handed: bool) -> None:
    """Struck through, even after a stop."""
    slow(world, world.results)
    await patrol(world, 20)
    bot, number = world.bots[-1], await newest_number(world)
    order = (Person(world.gm.id, world.guild.id, frozenset({world.roles["gm"].id}), manages_server=False), 1)
    done = await bot.database.write(void.undo, bot.resolver, *order, VoidOrder(number, "A slip"))
    await live(world, 10)
    assert [item.message_id for item in await posts(world, number)] == [newest(world.results).id]
    slow(world, world.results, discord.TextChannel)
    if handed:
        await bot.outbox.send(bot, done.posts)
        await bot.outbox.wait_saved(done.posts)
    else:
        await wait(world, minutes=2)
    shown = [message for message in world.results.history() if f"\n#{number}" in text(message)]
    assert [message.embeds[0].author.name for message in shown] == [f"Void: undone by #{number + 1}"]
    assert {item.state for item in await posts(world, number)} == {"sent"}


@pytest.mark.slow
async def test_a_slow_channel_gets_every_post_once_and_in_order(world: World) -> None:
    """Claims outlast slow sends."""
    slow(world, world.results)
    world.bots[-1].outbox.patience = 0.01
    for number in range(12):
        await patrol(world, 20, by=f"Patrol {number}")
    last = await newest_number(world)
    assert Slow.seconds * 12 > 1.5 * CLAIM.total_seconds()
    await live(world, 140)

    told = sorted(world.results.history(), key=lambda message: message.id)
    assert [f"\n#{number}" in text(each) for number, each in zip(range(last - 11, last + 1), told, strict=True)] == (
        [True] * 12
    )
    assert len(sends(world, world.results)) == 12
    assert [item.attempts for item in await posts(world, last)] == [1]


@pytest.mark.slow
async def test_a_channel_that_hangs_holds_up_no_other(world: World) -> None:
    """Other channels' posts go out."""
    slow(world, world.results, Hanging)
    await patrol(world, 20)
    await patrol(world, 1, by="Lima")
    assert "Lima" in text(newest(world.staff))
    world.env.inject_error("POST", f"/channels/{world.staff.id}/messages", status=503)
    await patrol(world, 1, by="Mike")
    await live(world, 20)
    assert "Mike" in text(newest(world.staff))
    assert not world.results.history()


@pytest.mark.slow
async def test_what_was_not_begun_is_sent_at_once_after_a_restart(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopping releases claims."""
    monkeypatch.setattr(delivery, "GRACE", 0.01)
    slow(world, world.results, Hanging)
    world.bots[-1].outbox.patience = 0.01
    for by in ("Kilo", "Lima", "Mike"):
        await patrol(world, 20, by=by)
    await world.bots[-1].outbox.close()
    await world.restart()
    await wait(world, seconds=1)
    told = sorted(world.results.history(), key=lambda message: message.id)
    assert [by in text(message) for by, message in zip(("Kilo", "Lima", "Mike"), told, strict=True)] == [True] * 3


@pytest.mark.parametrize("others", [120, pytest.param(250, marks=pytest.mark.slow)])
async def test_a_post_is_looked_for_back_to_when_it_was_queued(world: World, others: int) -> None:
    """However many messages followed."""
    await patrol(world, 20)
    number = await newest_number(world)
    first = newest(world.results)
    for count in range(others):
        world.env.backend.create_message(world.results.id, world.player.id, content=f"Talk {count}")
    await forget(world, number)

    await world.restart()
    await wait(world, minutes=2)
    assert len(sends(world, world.results)) == 1
    assert [(item.state, item.message_id) for item in await posts(world, number)] == [("sent", first.id)]


@pytest.mark.slow
async def test_the_history_is_read_once_for_all_posts_that_are_looked_for(world: World) -> None:
    """Once per channel."""
    numbers = []
    for by in ("Kilo", "Lima", "Mike", "Nova"):
        await patrol(world, 20, by=by)
        numbers.append(await newest_number(world))
    for number in numbers:
        await forget(world, number)
    since = len(world.env.http_requests)
    await world.restart()
    await wait(world, minutes=2)
    path = f"/channels/{world.results.id}/messages"
    reads = [call for call in world.env.http_requests[since:] if call.method == "GET" and call.path == path]
    assert len(reads) == 1
    assert len(world.results.history()) == 4
    assert [[item.state for item in await posts(world, number)] for number in numbers] == [["sent"]] * 4


class Late(Slow):
    """A channel that is slightly too late."""

    __slots__ = ()
    seconds = PATIENCE + 0.001


@pytest.mark.slow
async def test_a_post_that_is_done_while_the_answer_is_on_its_way_is_told(world: World) -> None:
    """It isn't shown as pending."""
    slow(world, world.results, Late)
    result = await patrol(world, 20)
    await live(world, 4)
    assert LATER not in said(result)
    assert "[Posted](" in said(result)


async def test_what_became_of_posts_is_written_down_together() -> None:
    """Lanes go on, within a limit."""
    now, hour = datetime(2026, 3, 1, tzinfo=UTC), timedelta(hours=1)
    one = Post(1, 1, 1, "results", 1, 5, "{}", "", "queued", 1, unconfirmed=False, queued_at=now, due_at=now + hour)
    written: list[list[int]] = []
    free = asyncio.Event()

    async def attempt(_client: object, item: Post, _history: object) -> Post:
        return replace(item, message_id=item.id)

    async def record(_client: object, results: Sequence[Post]) -> None:
        written.append([item.id for item in results])
        await free.wait()

    lanes, client = Lanes(attempt, record, lambda: now, hour.total_seconds()), cast("discord.Client", None)
    posts = lanes.put(client, [replace(one, id=number) for number in range(1, 2 * MOST_UNWRITTEN)])
    await asyncio.wait(posts[:MOST_UNWRITTEN])
    (anew,) = lanes.put(client, [replace(one, id=2, payload="{ }")])
    for _ in range(10):
        await asyncio.sleep(0)
    assert not any(item.done() for item in (anew, *posts[MOST_UNWRITTEN:]))
    together = [*range(1, MOST_UNWRITTEN + 1)]
    assert (written, {item.id for item in lanes.list_claimed()}) == ([together], {*range(1, 2 * MOST_UNWRITTEN)})
    free.set()
    await asyncio.wait([anew, *posts])
    assert written == [together]
    await lanes.wait_saved(2)
    assert sorted(chain.from_iterable(written)) == sorted([*range(1, 2 * MOST_UNWRITTEN), 2])


async def test_what_became_of_posts_is_saved_at_once_after_a_failure_and_at_the_end() -> None:
    """However long results wait otherwise."""
    now, hour = datetime(2026, 3, 1, tzinfo=UTC), timedelta(hours=1)
    one = Post(1, 1, 1, "results", 1, 5, "{}", "", "queued", 1, unconfirmed=False, queued_at=now, due_at=now + hour)
    written: list[list[int]] = []

    async def attempt(_client: object, item: Post, _history: object) -> Post:
        return replace(item, message_id=item.id, fault="gone" if item.id == 2 else None)

    async def record(_client: object, results: Sequence[Post]) -> None:
        written.append([item.id for item in results])

    lanes, client = Lanes(attempt, record, lambda: now, hour.total_seconds()), cast("discord.Client", None)
    await asyncio.wait(lanes.put(client, [one]))
    assert written == []
    await asyncio.wait(lanes.put(client, [replace(one, id=2)]))
    await lanes.save()
    assert written == [[1, 2]]
    await asyncio.wait(lanes.put(client, [replace(one, id=3)]))
    await lanes.close(1)
    assert written == [[1, 2], [3]]
