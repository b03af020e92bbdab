"""Messages to be posted, and how a queued post stores them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.outbox.store import Post, PostKind
from bot.ui.text import DIRECTIONS


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message to queue: its kind, its channel, its embeds, and the topic of a question.

    `ping` is the one person whom it pings.
    """

    kind: PostKind
    channel_id: int
    embeds: Sequence[discord.Embed]
    topic: str | None = None
    ping: int | None = None


def reworded(item: Post, embeds: Sequence[discord.Embed]) -> Post:
    """Return a post with other embeds."""
    return replace(item, payload=payload(embeds, None))


def payload(embeds: Sequence[discord.Embed], ping: int | None) -> str:
    """Return a message as JSON, whatever its texts hold in one direction: its embeds, and the one person whom it pings."""
    items = [embed.to_dict() for embed in embeds]
    message = items if ping is None else {"embeds": items, "ping": ping}
    return json.dumps(message, ensure_ascii=False).translate(DIRECTIONS)


def embeds_of(item: Post) -> list[discord.Embed]:
    """Return the embeds of a post."""
    content = json.loads(item.payload or "[]")
    return [discord.Embed.from_dict(embed) for embed in (content["embeds"] if isinstance(content, dict) else content)]


def mention_of(item: Post) -> dict[str, Any]:
    """Return the arguments of a message that pings a post's one person and nobody else; empty when it pings nobody."""
    content = json.loads(item.payload or "[]")
    if not isinstance(content, dict):
        return {}
    allowed = discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(content["ping"])])
    return {"content": f"<@{content['ping']}>", "allowed_mentions": allowed}
