"""Messages that are to be posted, and what a queued post holds of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import discord

from bot.outbox.store import Post, PostKind


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message to queue: its kind, its channel, its embeds, and what it is about where it asks something.

    `ping` is the one person whom it calls.
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
    """Return what a post keeps of a message: its embeds, and the one person whom it pings, as JSON."""
    told = [embed.to_dict() for embed in embeds]
    return json.dumps(told if ping is None else {"embeds": told, "ping": ping})


def embeds_of(item: Post) -> list[discord.Embed]:
    """Return the embeds of a post."""
    held = json.loads(item.payload or "[]")
    return [discord.Embed.from_dict(embed) for embed in (held["embeds"] if isinstance(held, dict) else held)]


def mention_of(item: Post) -> dict[str, Any]:
    """Return the arguments of a message that pings a post's one person and nobody else; empty when it pings nobody."""
    held = json.loads(item.payload or "[]")
    if not isinstance(held, dict):
        return {}
    allowed = discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(held["ping"])])
    return {"content": f"<@{held['ping']}>", "allowed_mentions": allowed}
