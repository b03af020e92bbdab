"""Messages to be posted, and how a queued post stores them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.outbox.mark import LENGTH
from bot.outbox.store import Post, PostKind
from bot.ui.limits import MAX_EMBED_TEXT, cut_embeds
from bot.ui.text import DIRECTED


class Pings(Struct, frozen=True):
    """Whom a message pings, and nobody else: people and roles by their ids."""

    users: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.users or self.roles)


NO_PINGS = Pings()


Buttons = Sequence[tuple[str, str, int]]
"""Buttons under a message: the label, custom id and style of each."""


class OutgoingMessage(Struct, frozen=True):
    """One message to queue: its kind, its channel, its embeds, the topic of a question, whom it pings, and buttons of its own."""

    kind: PostKind
    channel_id: int
    embeds: Sequence[discord.Embed]
    topic: str | None = None
    pings: Pings = NO_PINGS
    buttons: Buttons = ()


def pinging(messages: Sequence[OutgoingMessage], pings: Pings) -> list[OutgoingMessage]:
    """Return messages of which the first pings these, and no other does."""
    first, *others = messages
    return [replace(first, pings=pings), *others]


def reworded(item: Post, embeds: Sequence[discord.Embed], *, buttons: bool | Buttons = False) -> Post:
    """Return a post with other embeds, whose message has its `buttons` still, these, or none any more."""
    return replace(item, payload=payload(embeds, buttons=buttons, reworded=True))


def payload(
    embeds: Sequence[discord.Embed], pings: Pings = NO_PINGS, *, buttons: bool | Buttons = False, reworded: bool = False
) -> str:
    """Return a message as JSON, whatever its texts hold in one direction: its embeds, whom it pings, and its own `buttons`, or if it has those of its kind when it is edited."""
    cut_embeds(embeds, MAX_EMBED_TEXT - LENGTH)  # each post has a mark
    items = [embed.to_dict() for embed in embeds]
    extras = {"users": pings.users, "roles": pings.roles, "buttons": buttons or False}
    extras |= {"reworded": True} if reworded else {}
    message = {"embeds": items, **extras} if pings or buttons or reworded else items
    return DIRECTED.sub("", json.dumps(message, ensure_ascii=False))


def is_reworded(item: Post) -> bool:
    """Return whether a post has other words than those with which it was queued."""
    content = json.loads(item.payload or "[]")
    return isinstance(content, dict) and bool(content.get("reworded"))


def needed(item: Post) -> Post:
    """Return a post with other embeds that is sent again where its message was deleted."""
    return replace(item, payload=json.dumps(json.loads(item.payload or "{}") | {"needed": True}, ensure_ascii=False))


def is_needed(item: Post) -> bool:
    """Return whether a post is sent again where its message was deleted."""
    content = json.loads(item.payload or "[]")
    return isinstance(content, dict) and bool(content.get("needed"))


def embeds_of(item: Post) -> list[discord.Embed]:
    """Return the embeds of a post."""
    content = json.loads(item.payload or "[]")
    return [discord.Embed.from_dict(embed) for embed in (content["embeds"] if isinstance(content, dict) else content)]


def has_buttons(item: Post) -> bool:
    """Return whether the message of a post that is edited has its buttons still."""
    content = json.loads(item.payload or "[]")
    return isinstance(content, dict) and bool(content.get("buttons"))


def buttons_of(item: Post) -> ui.View | None:
    """Return the buttons that a post itself has; None where it has none."""
    content = json.loads(item.payload or "[]")
    buttons = content.get("buttons") if isinstance(content, dict) else None
    if not isinstance(buttons, list):
        return None
    view = ui.View(timeout=None)
    for label, key, style in buttons:
        view.add_item(ui.Button(label=label, custom_id=key, style=discord.ButtonStyle(style)))
    view.stop()
    return view


def mention_of(item: Post) -> dict[str, Any]:
    """Return the arguments of a message that pings those whom its post pings and nobody else; empty when it pings nobody."""
    pings = _pings_of(json.loads(item.payload or "[]"))
    if not pings:
        return {}
    users, roles = ([discord.Object(number) for number in ids] for ids in (pings.users, pings.roles))
    content = " ".join([*(f"<@{number}>" for number in pings.users), *(f"<@&{number}>" for number in pings.roles)])
    return {"content": content, "allowed_mentions": discord.AllowedMentions(everyone=False, users=users, roles=roles)}


def _pings_of(content: Any) -> Pings:  # noqa: ANN401 - any JSON value
    if not isinstance(content, dict):
        return NO_PINGS
    if "ping" in content:  # queued by a version that pinged one person at most
        return Pings(users=(content["ping"],))
    return Pings(tuple(content["users"]), tuple(content["roles"]))
