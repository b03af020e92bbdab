"""Messages of what was rolled lead to the results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from bot.core import campaigns
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import embeds_of
from bot.outbox.store import Post
from bot.rolls.pending import store
from bot.rolls.pending.store import KIND


async def send_linked(client: Any, items: Sequence[Post]) -> None:  # noqa: ANN401 - `bot.client.Adjutant`, which is above this module
    """Send posts: messages of what was rolled go last, with links to the results."""
    results, messages = apart(items)
    sent = await client.outbox.send(client, results)
    await client.outbox.send(client, await link_results(client, sent, messages))


def apart(items: Sequence[Post]) -> tuple[list[Post], list[Post]]:
    """Return posts without the messages of what was rolled, and these messages."""
    return [item for item in items if item.kind != KIND], [item for item in items if item.kind == KIND]


async def link_results(client: Any, sent: Sequence[Post], messages: Sequence[Post]) -> Sequence[Post]:  # noqa: ANN401 - as above
    """Link to results that were sent in the messages of what was rolled; return these messages, the caller's to send."""
    if not messages:
        return ()
    await client.outbox.written(sent)
    linked: Sequence[Post] = await client.database.write(_link, client.outbox, messages)
    return linked


def _link(tx: Connection, outbox: Outbox, messages: Sequence[Post]) -> list[Post]:
    """Add the link to each message whose result is public or in the same channel.

    The link is saved with the post, so every later attempt sends it too. A roll that was erased meanwhile has no post any more.
    """
    linked = []
    for message in messages:
        campaign = campaigns.get(tx, message.campaign_id, lock=True)
        pending = store.get(tx, message.campaign_id, message.topic or "")
        post = posts.about(tx, message.campaign_id, KIND, message.topic or "")
        if campaign is None or pending is None or post is None:
            continue
        sent = posts.of_entry(tx, campaign.id, pending.entry_number or 0)
        shown = (item for item in sent if item.kind == "results" or item.channel_id == post.channel_id)
        link = next(filter(None, (item.link(campaign.guild_id) for item in shown)), None)
        if link is None:
            linked.append(message)
            continue
        (embed,) = embeds_of(message)
        embed.description = f"{embed.description}\n[See the result]({link})"
        linked.append(outbox.revise(tx, post, [embed]))
    return linked
