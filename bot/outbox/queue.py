"""Messages to be posted, how a queued post stores them, and the mark by which its message is recognised.

A mark is characters that no one sees: the message is recognised by it whatever its words become. Discord doesn't return the
nonce of a message that is read later, so the message itself has to say which post it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.core.encoding import Json
from bot.outbox.store import Post, PostKind
from bot.ui.limits import MAX_EMBED_TEXT, cut_embeds
from bot.ui.text import DIRECTED, MAX_DESCRIPTION, MAX_TITLE, shorten

_UNSEEN = "\u2061\u2062\u2063\u2064"
"""Unicode's invisible operators: drawn by no font, and they neither join letters nor break lines."""

_BYTES = 6
LENGTH = _BYTES * 4
"""The characters of a mark."""

_MARK = re.compile(f"[{_UNSEEN}]{{{LENGTH}}}")


def make_mark(nonce: str) -> str:
    """Return the mark of the post with this nonce."""
    drawn = int.from_bytes(sha256(nonce.encode()).digest()[:_BYTES])
    return "".join(_UNSEEN[drawn >> shift & 3] for shift in range(0, LENGTH * 2, 2))


def add_mark(embeds: list[discord.Embed], mark: str) -> list[discord.Embed]:
    """Append a mark to the last text of the last embed, where `find_mark` looks for it."""
    *_, last = embeds
    if last.footer.text:
        last.set_footer(text=last.footer.text + mark, icon_url=last.footer.icon_url)
    elif last.description and len(last.description) + LENGTH <= MAX_DESCRIPTION:
        last.description += mark
    else:
        last.title = shorten(last.title or "", MAX_TITLE - LENGTH) + mark
    return embeds


def find_post_mark(embeds: Sequence[discord.Embed]) -> str | None:
    """Return the last mark in embeds: text before it may have been copied from another message."""
    texts = (text for embed in embeds for text in (embed.title, embed.description, embed.footer.text))
    found = _MARK.findall("".join(text or "" for text in texts))
    return found[-1] if found else None


def remove_mark(text: str) -> str:
    """Return a text of a message as it was written."""
    return _MARK.sub("", text)


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


def ping_first(messages: Sequence[OutgoingMessage], pings: Pings) -> list[OutgoingMessage]:
    """Return messages of which the first pings these, and no other does."""
    first, *others = messages
    return [replace(first, pings=pings), *others]


def reword(item: Post, embeds: Sequence[discord.Embed], *, buttons: bool | Buttons = False) -> Post:
    """Return a post with other embeds, whose message has its `buttons` still, these, or none any more."""
    return replace(item, payload=encode_payload(embeds, buttons=buttons, reworded=True))


def encode_payload(
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
    return bool(_payload_content(item).get("reworded"))


def mark_needed(item: Post) -> Post:
    """Return a post with other embeds that is sent again where its message was deleted."""
    return replace(item, payload=json.dumps(json.loads(item.payload or "{}") | {"needed": True}, ensure_ascii=False))


def is_needed(item: Post) -> bool:
    """Return whether a post is sent again where its message was deleted."""
    return bool(_payload_content(item).get("needed"))


def embeds_of(item: Post) -> list[discord.Embed]:
    """Return the embeds of a post."""
    return [discord.Embed.from_dict(embed) for embed in _payload_content(item)["embeds"]]


def has_buttons(item: Post) -> bool:
    """Return whether the message of a post that is edited has its buttons still."""
    return bool(_payload_content(item).get("buttons"))


def buttons_of(item: Post) -> ui.View | None:
    """Return the buttons that a post itself has; None where it has none."""
    buttons = _payload_content(item).get("buttons")
    if not isinstance(buttons, list):
        return None
    view = ui.View(timeout=None)
    for label, key, style in buttons:
        view.add_item(ui.Button(label=label, custom_id=key, style=discord.ButtonStyle(style)))
    view.stop()
    return view


def mention_of(item: Post) -> dict[str, Any]:
    """Return the arguments of a message that pings those whom its post pings and nobody else; empty when it pings nobody."""
    queued = _payload_content(item)
    pinged = [queued["ping"]] if "ping" in queued else queued.get("users", [])  # an older version pinged one at most
    called = queued.get("roles", [])
    if not pinged and not called:
        return {}
    users, roles = ([discord.Object(number) for number in ids] for ids in (pinged, called))
    content = " ".join([*(f"<@{number}>" for number in pinged), *(f"<@&{number}>" for number in called)])
    return {"content": content, "allowed_mentions": discord.AllowedMentions(everyone=False, users=users, roles=roles)}


def _payload_content(item: Post) -> dict[str, Json]:
    """Return the content of a post; one that has nothing but embeds is stored as a list of these."""
    content = json.loads(item.payload or "[]")
    return content if isinstance(content, dict) else {"embeds": content}
