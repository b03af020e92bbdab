"""Posts for one person by DM. Each is written as it's sent, as the person may know it then, so nothing secret waits in the queue."""

import logging
from collections.abc import Awaitable, Callable, Sequence

import discord
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.schema import digest_reader
from bot.outbox.queue import LETTER, OutgoingMessage, Post, add_mark, find_post_mark, make_mark
from bot.outbox.sending import CLOCKS_DIFFER, NO_ANSWER, RATE_LIMITED, SERVER_ERROR
from bot.ui.answering import CUT_OFF

Write = Callable[[discord.Client, Post], Awaitable[Sequence[discord.Embed]]]
"""Return a letter; empty if the person doesn't get it any more."""

log = logging.getLogger(__name__)


def list_readers(tx: Connection, campaign_id: int) -> frozenset[int]:
    """Return who gets their results by DM (user ids)."""
    return frozenset(tx.scalars(sa.select(digest_reader.c.user_id).where(digest_reader.c.campaign_id == campaign_id)))


def make_letters(tx: Connection, campaign_id: int, topic: str) -> list[OutgoingMessage]:
    """Return a message for each reader; it's written when it's sent."""
    return [OutgoingMessage(LETTER, user, [], topic=topic) for user in sorted(list_readers(tx, campaign_id))]


async def send_letter(client: discord.Client, item: Post, write: Write) -> Post:
    """Send a letter. It counts as sent for who left or stopped, or has DMs closed."""
    done = replace(item, fault=None, unconfirmed=False)
    try:
        if not (embeds := await write(client, item)):
            return done
        channel = await client.create_dm(discord.Object(item.channel_id))
        message = await _find(client, channel, item) if item.unconfirmed else None
        if message is None:
            message = await channel.send(embeds=add_mark([*embeds], make_mark(item.nonce)), nonce=item.nonce)
    except discord.HTTPException as problem:
        if problem.status >= SERVER_ERROR or problem.status == RATE_LIMITED:
            return replace(item, fault=f"Discord has problems (HTTP {problem.status})", unconfirmed=True)
        log.info("letter.refused", extra={"post": item.id, "fault": str(problem)})
        return done
    except CUT_OFF:
        return replace(item, fault=NO_ANSWER, unconfirmed=True)
    return replace(done, message_id=message.id)


async def _find(client: discord.Client, channel: discord.DMChannel, item: Post) -> discord.Message | None:
    async for message in channel.history(limit=None, after=item.queued_at - CLOCKS_DIFFER):
        if message.author == client.user and find_post_mark(message.embeds) == make_mark(item.nonce):
            return message
    return None
