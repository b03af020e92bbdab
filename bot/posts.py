"""Posting what entries owe: queued in the entry's own transaction, sent once, retried over restarts.

Discord deduplicates a nonce only for a few minutes. A post that may have arrived without our knowing is therefore first
looked for in the channel's history and only then sent again. Where that history cannot be read, it waits and says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import discord
import structlog
from sqlalchemy import Connection

from bot.ledger import Randomness
from bot.store import posts
from bot.store.database import Database
from bot.store.posts import Post, PostKind

CLAIM = timedelta(seconds=60)
NONCE_HOLDS = timedelta(minutes=2)
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=1)
HISTORY = 100
BATCH = 20
NEEDED = ("view_channel", "send_messages", "embed_links", "read_message_history")

View = Callable[[Post], discord.ui.View | None]
Channel = discord.TextChannel | discord.Thread | discord.VoiceChannel | discord.StageChannel

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Letter:
    """One message to queue: its kind, its channel and its embeds."""

    kind: PostKind
    channel_id: int
    embeds: Sequence[discord.Embed]


class Unsent(Exception):
    """A post did not go out. `unconfirmed` is true when it may have arrived all the same."""

    def __init__(self, fault: str, *, unconfirmed: bool) -> None:
        self.unconfirmed = unconfirmed
        super().__init__(fault)


class Outbox:
    """Queues and sends the posts of entries."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime], randomness: Randomness) -> None:
        self._database = database
        self._clock = clock
        self._randomness = randomness

    def queue(self, tx: Connection, campaign_id: int, number: int, letters: Sequence[Letter]) -> list[Post]:
        """Queue messages in the transaction that enters what they tell of. The caller sends them after its commit."""
        now = self._clock()
        pages: dict[PostKind, int] = {}
        new = []
        for letter in letters:
            pages[letter.kind] = pages.get(letter.kind, 0) + 1
            new.append(
                Post(
                    id=0,
                    campaign_id=campaign_id,
                    entry_number=number,
                    kind=letter.kind,
                    page=pages[letter.kind],
                    channel_id=letter.channel_id,
                    payload=json.dumps([embed.to_dict() for embed in letter.embeds]),
                    nonce=self._randomness(12).hex(),
                    state="queued",
                    attempts=1,
                    unconfirmed=True,
                    queued_at=now,
                    due_at=now + CLAIM,
                )
            )
        return posts.add(tx, new)

    async def send(self, client: discord.Client, queued: Sequence[Post], view: View) -> list[Post]:
        """Send fresh posts in order and note what became of each; a post that fails is tried again later.

        Returns the posts as they stand now: `message_id` when sent, `fault` when not.
        """
        done = [await self._attempt(client, item, view, fresh=True) for item in queued]
        await self._note(done)
        return done

    async def send_due(self, client: discord.Client, view: View) -> list[Post]:
        """Send what is due, such as posts that failed or that a restart has left behind."""
        now = self._clock()
        if not await self._database.read(lambda tx: posts.any_due(tx, now)):
            return []
        waiting = await self._database.write(lambda tx: posts.claim(tx, now, now + CLAIM, BATCH))
        done = [await self._attempt(client, item, view, fresh=False) for item in waiting]
        await self._note(done)
        return done

    async def _note(self, done: Sequence[Post]) -> None:
        if done:
            await self._database.write(lambda tx: self._record(tx, done))

    def _record(self, tx: Connection, done: Sequence[Post]) -> None:
        for item in done:
            if item.message_id is not None:
                posts.sent(tx, item, item.message_id)
            else:
                due_at = self._clock() + pause(item.attempts)
                posts.failed(tx, item, due_at=due_at, fault=item.fault or "", unconfirmed=item.unconfirmed)

    async def _attempt(self, client: discord.Client, item: Post, view: View, *, fresh: bool) -> Post:
        try:
            channel = await _channel(client, item)
            found = None if fresh or not item.unconfirmed else await self._look_for(channel, item)
            message_id = found or await _deliver(channel, item, view)
        except Unsent as problem:
            log.warning("post.unsent", entry=item.entry_number, channel=item.channel_id, fault=str(problem))
            return replace(item, fault=str(problem), unconfirmed=problem.unconfirmed)
        return replace(item, message_id=message_id, fault=None)

    async def _look_for(self, channel: Channel, item: Post) -> int | None:
        """The message that this post became already, if it is in the channel's recent history."""
        try:
            async for message in channel.history(limit=HISTORY):
                if message.author == channel.guild.me and _tells(message, item):
                    return message.id
        except discord.HTTPException as problem:
            if self._clock() - item.queued_at < NONCE_HOLDS:
                return None
            raise Unsent(_fault(channel, problem), unconfirmed=True) from problem
        if not channel.permissions_for(channel.guild.me).read_message_history:
            if self._clock() - item.queued_at < NONCE_HOLDS:
                return None
            raise Unsent(f"I may not read the history of #{channel.name}", unconfirmed=True)
        return None


def pause(attempts: int) -> timedelta:
    """How long to wait before the next attempt: doubling from ten seconds to an hour."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 12)
    return min(doubled, LONGEST_PAUSE)


def missing_permissions(channel: Channel) -> list[str]:
    """The permissions that the bot lacks in a channel, as Discord calls them."""
    granted = channel.permissions_for(channel.guild.me)
    return [name.replace("_", " ").title() for name in NEEDED if not getattr(granted, name)]


async def _channel(client: discord.Client, item: Post) -> Channel:
    channel = client.get_channel(item.channel_id)
    if channel is None:
        try:
            channel = await client.fetch_channel(item.channel_id)
        except discord.NotFound as problem:
            raise Unsent("the channel is gone", unconfirmed=False) from problem
        except discord.HTTPException as problem:
            raise Unsent(
                f"I cannot see channel {item.channel_id}: View Channel is missing", unconfirmed=False
            ) from problem
    if not isinstance(channel, Channel):
        raise Unsent("the channel takes no messages", unconfirmed=False)
    return channel


async def _deliver(channel: Channel, item: Post, view: View) -> int:
    embeds = [discord.Embed.from_dict(embed) for embed in json.loads(item.payload or "[]")]
    buttons = view(item)
    try:
        if buttons is None:
            message = await channel.send(embeds=embeds, nonce=item.nonce)
        else:
            message = await channel.send(embeds=embeds, nonce=item.nonce, view=buttons)
    except discord.HTTPException as problem:
        # A server error may hide a message that was taken all the same; a refusal may not.
        raise Unsent(_fault(channel, problem), unconfirmed=problem.status >= 500) from problem  # noqa: PLR2004
    except (OSError, TimeoutError) as problem:
        raise Unsent(f"Discord did not answer: {problem}", unconfirmed=True) from problem
    return message.id


def _fault(channel: Channel, problem: discord.HTTPException) -> str:
    missing = missing_permissions(channel)
    if isinstance(problem, discord.Forbidden) and missing:
        return f"in #{channel.name} I lack {', '.join(missing)}"
    return f"Discord refused it in #{channel.name}: {problem.text or problem.status}"


def _tells(message: discord.Message, item: Post) -> bool:
    """Whether a message is this post: its embeds carry the entry's number in the footer and the same text."""
    expected: list[dict[str, Any]] = json.loads(item.payload or "[]")
    shown = [(embed.title, embed.description, embed.footer.text) for embed in message.embeds]
    wanted = [(embed.get("title"), embed.get("description"), embed["footer"]["text"]) for embed in expected]
    return bool(wanted) and shown == wanted
