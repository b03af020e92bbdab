"""One post and its message in a channel: its picture drawn, sent, edited, looked for, given its thread."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import discord
from sqlalchemy import Connection

from bot.core.database import Database
from bot.outbox.queue import add_mark, embeds_of, find_post_mark, make_mark, mention_of, remove_mark
from bot.outbox.store import GONE, Post
from bot.ui.answering import CUT_OFF
from bot.ui.picture import Picture, drop_missing_images

CLOCKS_DIFFER = timedelta(minutes=5)
"""How far our clock may be ahead of Discord's."""

THREAD_EXISTS = 160004
"""Discord's error code for a message that has its thread already."""

RATE_LIMITED, SERVER_ERROR = 429, 500
NO_ANSWER = "Discord didn't answer"
NEEDED = ("view_channel", "send_messages", "embed_links", "read_message_history")

Channel = discord.TextChannel | discord.Thread | discord.VoiceChannel | discord.StageChannel
Texts = tuple[tuple[str, ...], ...]

log = logging.getLogger(__name__)


class Unsent(Exception):
    """A post did not go out. `unconfirmed` is true when it may have arrived all the same."""

    def __init__(self, fault: str, *, unconfirmed: bool) -> None:
        self.unconfirmed = unconfirmed
        super().__init__(fault)


class ChannelHistory:
    """The bot's own messages in a channel, read once for all posts that are looked for there."""

    def __init__(self) -> None:
        self._since: datetime | None = None
        self._marked: dict[str, discord.Message] = {}
        self._unmarked: dict[Texts, list[discord.Message]] = {}

    def forget(self) -> None:
        """Forget what was read: a message may have arrived since."""
        self._since = None

    async def find(self, client: discord.Client, channel: Channel, item: Post) -> discord.Message | None:
        """Return the message that a post became, whatever it says by now.

        The history is read back to when the post was queued, however much was written since. A message without a mark was
        sent by a version that made none: it is a post's if the texts are equal, down to the entry's number.

        Raises:
            Unsent: the history cannot be read.

        """
        since = item.queued_at - CLOCKS_DIFFER
        if self._since is None or since < self._since:
            await self._read(client, channel, since)
        if (found := self._marked.get(make_mark(item.nonce))) is not None:
            return found
        earliest = discord.utils.time_snowflake(since)
        alike = self._unmarked.get(_texts(embeds_of(item)), [])
        found = next((message for message in reversed(alike) if message.id >= earliest), None)
        if found is not None:
            alike.remove(found)  # a message is one post alone
        return found

    async def _read(self, client: discord.Client, channel: Channel, since: datetime) -> None:
        marked: dict[str, discord.Message] = {}
        unmarked: dict[Texts, list[discord.Message]] = {}
        empty = True
        try:
            async for message in channel.history(limit=None, after=since, oldest_first=False):
                empty = False
                if message.author != client.user or not message.embeds:
                    continue
                if (mark := find_post_mark(message.embeds)) is None:
                    unmarked.setdefault(_texts(message.embeds), []).append(message)
                else:
                    marked[mark] = message
        except discord.HTTPException as problem:
            raise Unsent(fault_of(channel, problem), unconfirmed=True) from problem
        except CUT_OFF as problem:
            raise Unsent(NO_ANSWER, unconfirmed=True) from problem
        newest = channel.last_message_id or 0  # where the history may not be read, Discord gives an empty one
        hidden = channel.guild.me is None and empty and newest > discord.utils.time_snowflake(since)
        if hidden or not granted(channel).read_message_history:
            raise Unsent(f"I can't read the message history of #{channel.name}", unconfirmed=True)
        self._since, self._marked, self._unmarked = since, marked, unmarked


async def channel_of(client: discord.Client, item: Post) -> Channel:
    """Return the channel of a post."""
    channel = client.get_channel(item.channel_id)
    if channel is None:
        try:
            channel = await client.fetch_channel(item.channel_id)
        except discord.NotFound as problem:
            raise Unsent(GONE, unconfirmed=False) from problem
        except discord.Forbidden as problem:
            raise Unsent("I can't see the channel: I need View Channel", unconfirmed=False) from problem
        except (discord.HTTPException, discord.InvalidData, *CUT_OFF) as problem:
            raise Unsent(NO_ANSWER, unconfirmed=False) from problem
    if not isinstance(channel, Channel):
        raise Unsent("I can't post messages in that kind of channel", unconfirmed=False)
    return channel


async def edit_message(
    channel: Channel, message_id: int, embeds: list[discord.Embed], buttons: discord.ui.View | None
) -> bool:
    """Edit the message of a post, and return whether it's there; there is nothing to edit when it was deleted.

    Raises:
        Unsent: Discord refuses it or does not answer.

    """
    try:
        await channel.get_partial_message(message_id).edit(content=None, embeds=embeds, view=buttons)
    except discord.NotFound:
        return False
    except discord.HTTPException as problem:
        raise Unsent(fault_of(channel, problem), unconfirmed=True) from problem
    except CUT_OFF as problem:
        raise Unsent(NO_ANSWER, unconfirmed=True) from problem
    return True


async def send_message(
    channel: Channel,
    item: Post,
    embeds: list[discord.Embed],
    buttons: discord.ui.View | None,
    picture: Picture | None,
) -> discord.Message:
    """Send a post as a new message, and return that; or the one that Discord has already taken with the post's nonce.

    Raises:
        Unsent: Discord refuses it or does not answer.

    """
    extras: dict[str, Any] = mention_of(item) | ({} if picture is None else {"file": picture.file()})
    if buttons is not None:
        extras["view"] = buttons
    try:
        return await channel.send(embeds=drop_missing_images(embeds, picture), nonce=item.nonce, **extras)
    except discord.HTTPException as problem:
        refused = problem.status < SERVER_ERROR  # after a server error the message may have arrived all the same
        if picture is not None and refused and problem.status != RATE_LIMITED:  # perhaps only because of the picture
            return await send_message(channel, item, embeds, buttons, None)
        raise Unsent(fault_of(channel, problem), unconfirmed=not refused) from problem
    except CUT_OFF as problem:
        raise Unsent(NO_ANSWER, unconfirmed=True) from problem


def is_shown(embeds: list[discord.Embed], found: discord.Message) -> bool:
    """Return whether a message that was found has the texts that its post has by now."""
    authors = [[embed.author.name for embed in each] for each in (embeds, found.embeds)]
    return _texts(embeds) == _texts(found.embeds) and authors[0] == authors[1]


async def open_thread(channel: Channel, item: Post, message_id: int) -> int | None:
    """Open the thread under a message that needs one, and return its id; None when none is needed or Discord refuses.

    A message has one thread at most, and that has the message's own id: asking twice opens no second one.
    """
    if item.thread_name is None:
        return None
    try:
        thread = await channel.get_partial_message(message_id).create_thread(name=item.thread_name)
    except discord.HTTPException as problem:
        if problem.code == THREAD_EXISTS:
            return message_id
        fault = fault_of(channel, problem)
    except CUT_OFF:
        fault = NO_ANSWER
    else:
        return thread.id
    log.warning("post.unthreaded", extra={"entry": item.entry_number, "channel": item.channel_id, "fault": fault})
    return None


def granted(channel: Channel) -> discord.Permissions:
    """Return what the bot may do in a channel; all, as far as is known, in a server of another process's shards.

    There Discord alone knows, and refuses what is missing.
    """
    me: discord.Member | None = channel.guild.me  # None where no shard of ours has told of the server
    return discord.Permissions.all() if me is None else channel.permissions_for(me)


def missing_permissions(channel: Channel) -> list[str]:
    """Return the permissions that the bot lacks in a channel, as Discord calls them."""
    may = granted(channel)
    return [name.replace("_", " ").title() for name in NEEDED if not getattr(may, name)]


def fault_of(channel: Channel, problem: discord.HTTPException) -> str:
    """Return in words why Discord refused something in a channel."""
    missing = missing_permissions(channel)
    if isinstance(problem, discord.Forbidden) and missing:
        return f"in #{channel.name} I need {', '.join(missing)}"
    if problem.status == RATE_LIMITED:
        return f"Discord accepts no more messages in #{channel.name} for now"
    if problem.status >= SERVER_ERROR or problem.text.lstrip().startswith(
        "<"
    ):  # a page for browsers, from what stands before Discord
        return f"Discord has problems (HTTP {problem.status})"
    return f"Discord refused it in #{channel.name}: {problem.text or problem.status}"


def marked_embeds(item: Post) -> list[discord.Embed]:
    """Return the embeds of a post with its mark."""
    return add_mark(embeds_of(item), make_mark(item.nonce))


def _texts(embeds: list[discord.Embed]) -> Texts:
    """Return the texts of embeds as they were written; Discord trims white space at both ends of each."""
    return tuple(
        tuple(remove_mark(text or "").strip() for text in (embed.title, embed.description, embed.footer.text))
        for embed in embeds
    )


Drawing = Callable[[], Picture]
"""What draws a picture, away from the event loop."""


async def illustrate(
    database: Database, drawing_of: Callable[[Connection, Post], Drawing | None], post: Post
) -> Picture | None:
    """Draw the picture of a queued post; None when it has none, or it cannot be drawn."""
    return await _log_failure(f"post {post.id}", _draw_queued(database, drawing_of, post))


async def draw_picture(name: str, draw: Drawing) -> Picture | None:
    """Draw a picture of this name in a thread; None when it cannot be drawn."""
    return await _log_failure(name, asyncio.to_thread(draw))


async def _draw_queued(
    database: Database, drawing_of: Callable[[Connection, Post], Drawing | None], post: Post
) -> Picture | None:
    draw = await database.read(drawing_of, post)
    return None if draw is None else await asyncio.to_thread(draw)


async def _log_failure(name: str, work: Awaitable[Picture | None]) -> Picture | None:
    """Return a picture; whatever goes wrong on the way to it is logged and costs the picture alone."""
    (picture,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(picture, BaseException):
        log.error("picture.failed", extra={"picture": name}, exc_info=picture)
        return None
    return picture
