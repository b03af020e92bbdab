"""Messages to post, as rows that are kept once sent, recognised by a mark.

A mark is invisible characters: Discord doesn't return a message's nonce later, so the message has to say which post it is.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, Self

import discord
import sqlalchemy as sa
from discord import ui
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import records, transactions
from bot.core.schema import at_home, campaign, post
from bot.ui.text import (
    DIRECTED,
    MAX_DESCRIPTION,
    MAX_EMBED_TEXT,
    MAX_TITLE,
    Controls,
    cut_embeds,
    message_link,
    shorten,
)

PostKind = Literal[
    "results",
    "group",
    "staff",
    "whole",
    "published",
    "notice",
    "reminder",
    "question",
    "pending",
    "news",
    "board",
    "told",
    "audit",
    "own",
]
LETTER: PostKind = "own"
"""The kind of a post for one person, whose user id it has for a channel."""

SHOWS: Mapping[PostKind, Literal["staff", "public"]] = {
    **dict.fromkeys(("results", "published", "group"), "public"),
    **dict.fromkeys(("staff", "whole"), "staff"),
}
LINKED: frozenset[PostKind] = frozenset({"results", "published"})
"""Kinds that lead to the public site."""

WRITE_UP = "write-up"
"""The topic of a post whose message gets a write-up thread."""
_THREADED = "thread:"
"""Topic prefix of a post whose thread has another name, which follows."""

GONE = "the channel was deleted"
PostState = Literal["queued", "sent"]

_before = post.alias("before")
_now = sa.bindparam("now", type_=post.c.due_at.type)
_waits = sa.exists().where(
    *(_before.c[name] == post.c[name] for name in ("campaign_id", "entry_number", "kind")),
    *(_before.c.page < post.c.page, _before.c.state == "queued", _before.c.due_at > _now),
)
_QUEUED_HERE = (post.c.state == "queued", at_home(post.c.campaign_id))
_DUE = (*_QUEUED_HERE, post.c.due_at <= _now, ~_waits)
_ANY_DUE = sa.select(post.c.id).where(*_DUE).limit(1)
_ONE = (post.c.campaign_id == sa.bindparam("campaign"), post.c.id == sa.bindparam("number"))
_BY_ID = sa.select(post).where(*_ONE)
_OF_ENTRY = (
    sa.select(post)
    .where(post.c.campaign_id == sa.bindparam("campaign"), post.c.entry_number == sa.bindparam("entry"))
    .order_by(post.c.id)
)
_OF_MESSAGE = sa.select(post.c.campaign_id).where(
    campaign.c.guild_id == sa.bindparam("guild"),
    post.c.campaign_id == campaign.c.id,
    post.c.entry_number == sa.bindparam("entry"),
    post.c.message_id == sa.bindparam("message"),
)
_DUE_SINCE = sa.select(sa.func.min(post.c.due_at)).where(*_DUE)
_QUEUED = sa.select(sa.func.count()).select_from(post).where(*_QUEUED_HERE)
_ADD = post.insert()
_REVISED = ("payload", "nonce", "channel_id", "state", "attempts", "unconfirmed", "due_at", "message_id", "topic")
_REVISE = post.update().where(*_ONE).values({name: sa.bindparam(name) for name in _REVISED})
_SENT = (
    post.update()
    .where(*_ONE)
    .where(post.c.payload == sa.bindparam("tried"))
    .values(state="sent", payload=None, fault=None, unconfirmed=False)
    .values(message_id=sa.bindparam("message"), thread_id=sa.bindparam("thread"))
)


def thread_topic(name: str) -> str:
    """Return the topic for a thread's name (33 characters)."""
    return f"{_THREADED}{name}"


class Post(Struct, frozen=True):
    """One message to send: `payload` is JSON until then; `unconfirmed` ones may have arrived.

    An entry's pages of a kind go out in order. With a `message_id`, a queued post replaces that message. The sender moves `due_at` on,
    so no other process takes it.
    """

    id: int
    campaign_id: int
    entry_number: int | None
    kind: PostKind
    page: int
    channel_id: int
    payload: str | None
    nonce: str
    state: PostState
    attempts: int
    unconfirmed: bool
    queued_at: datetime
    due_at: datetime
    message_id: int | None = None
    fault: str | None = None
    topic: str | None = None
    thread_id: int | None = None

    @property
    def thread_name(self) -> str | None:
        """The name of the message's thread, if any."""
        if self.topic == WRITE_UP:
            return f"Write-up #{self.entry_number}"
        named = self.topic is not None and self.topic.startswith(_THREADED)
        return (self.topic or "").removeprefix(_THREADED) if named else None

    @property
    def content(self) -> dict[str, records.Json]:
        """The payload: `embeds`, `buttons`; whether it's `reworded`, or `needed` even if its message was deleted."""
        content = json.loads(self.payload or "[]")
        return content if isinstance(content, dict) else {"embeds": content}

    def link(self, guild_id: int) -> str | None:
        """Return the message's address on a server, if known."""
        return None if self.message_id is None else message_link(guild_id, self.channel_id, self.message_id)


def add_posts(tx: Connection, new: Sequence[Post]) -> list[Post]:
    """Insert posts and return them with ids."""
    queued = []
    for item in new:
        values = asdict(item)
        del values["id"]
        key = tx.execute(_ADD, values).inserted_primary_key
        queued.append(replace(item, id=key[0] if key else 0))
    return queued


def is_any_due(tx: Connection, now: datetime) -> bool:
    """Return whether a post is due, without a lock."""
    return tx.scalar(_ANY_DUE, {"now": now}) is not None


def find_oldest_due(tx: Connection, now: datetime) -> datetime | None:
    """Return since when the most overdue post is due."""
    since: datetime | None = tx.scalar(_DUE_SINCE, {"now": now})
    return since


def count_queued(tx: Connection) -> int:
    """Return how many posts are queued, without those of servers that removed the bot."""
    return int(tx.scalar(_QUEUED) or 0)


def claim_posts(tx: Connection, now: datetime, until: datetime, limit: int, held: Sequence[Post] = ()) -> list[Post]:
    """Claim due posts, oldest first, and renew `held` ones.

    In the database each is unconfirmed until its result is saved; returned ones are as before.
    """
    if held:
        ours = (post.c.id.in_([item.id for item in held]), post.c.state == "queued", post.c.due_at > now)
        tx.execute(post.update().where(*ours).values(due_at=until))
    query = sa.select(post).where(*_DUE).order_by(post.c.id).limit(limit).with_for_update(skip_locked=True)
    posts = [_post(row) for row in tx.execute(query, {"now": now})]
    if posts:
        keys = [item.id for item in posts]
        values = {"due_at": until, "attempts": post.c.attempts + 1, "unconfirmed": True}
        tx.execute(post.update().where(post.c.id.in_(keys)).values(values))
    return [replace(item, attempts=item.attempts + 1, due_at=until) for item in posts]


def release_posts(tx: Connection, items: Sequence[Post], now: datetime) -> None:
    """Make claimed, unsent posts due now."""
    for item in items:
        still = (*_key(item), post.c.state == "queued", post.c.attempts == item.attempts)
        tx.execute(post.update().where(*still).values(due_at=now, unconfirmed=item.unconfirmed))


def mark_sent(tx: Connection, item: Post, message_id: int | None) -> None:
    """Mark a post as sent; if revised meanwhile, it's edited next."""
    known = {"message_id": message_id, "thread_id": item.thread_id}
    tried = {"campaign": item.campaign_id, "number": item.id, "tried": item.payload}
    if not tx.execute(_SENT, {**tried, "message": message_id, "thread": item.thread_id}).rowcount:
        tx.execute(post.update().where(*_key(item)).values(known))


def find_message(tx: Connection, item: Post) -> int | None:
    """Return the id of a post's message, if known."""
    return tx.scalar(sa.select(post.c.message_id).where(*_key(item)))


def mark_failed(tx: Connection, item: Post, *, due_at: datetime, fault: str, unconfirmed: bool) -> None:
    """Save a post's fault and next attempt."""
    values = {"due_at": due_at, "fault": fault, "unconfirmed": unconfirmed}
    tx.execute(post.update().where(*_key(item)).values(**values))


def revise_post(tx: Connection, item: Post) -> None:
    """Queue a post again with another payload."""
    values = {name: getattr(item, name) for name in _REVISED}
    tx.execute(_REVISE, {"campaign": item.campaign_id, "number": item.id, **values})


def get_post(tx: Connection, campaign_id: int, number: int) -> Post | None:
    """Return a post by id."""
    row = tx.execute(_BY_ID, {"campaign": campaign_id, "number": number}).first()
    return _post(row) if row else None


def find_about(tx: Connection, campaign_id: int, kind: PostKind, topic: str) -> Post | None:
    """Return a topic's newest post of a kind."""
    mine = (post.c.campaign_id == campaign_id, post.c.kind == kind, post.c.topic == topic)
    row = tx.execute(sa.select(post).where(*mine).order_by(post.c.id.desc())).first()
    return _post(row) if row else None


def find_on(tx: Connection, campaign_id: int, kind: PostKind, topics: Collection[str]) -> list[Post]:
    """Return posts of a kind, oldest first."""
    mine = (post.c.campaign_id == campaign_id, post.c.kind == kind, post.c.topic.in_(topics))
    return [_post(row) for row in tx.execute(sa.select(post).where(*mine).order_by(post.c.id))]


def is_gone(tx: Connection, campaign_id: int, channel_id: int) -> bool:
    """Return whether a post failed because this channel was deleted."""
    mine = (post.c.campaign_id == campaign_id, post.c.channel_id == channel_id, post.c.fault == GONE)
    return tx.scalar(sa.select(sa.literal(1)).where(*mine).limit(1)) is not None


def redirect(
    tx: Connection, campaign_id: int, kinds: Collection[PostKind], channels: tuple[int, int], now: datetime
) -> None:
    """Move queued posts to another channel, unless they may have arrived in a channel that still exists."""
    old, new = channels
    not_arrived = ~post.c.unconfirmed | (post.c.fault == GONE)
    mine = (post.c.campaign_id == campaign_id, post.c.channel_id == old, post.c.kind.in_(kinds))
    query = post.update().where(*mine, post.c.state == "queued", not_arrived)
    tx.execute(query.values(channel_id=new, due_at=now, unconfirmed=False))


def posts_of_entry(tx: Connection, campaign_id: int, number: int) -> list[Post]:
    """Return an entry's posts in order."""
    return [_post(row) for row in tx.execute(_OF_ENTRY, {"campaign": campaign_id, "entry": number})]


def find_campaign_of_message(tx: Connection, guild_id: int, message_id: int, number: int) -> int | None:
    """Return the campaign (id) on this server for whose entry of this number the message was posted."""
    return tx.scalar(_OF_MESSAGE, {"guild": guild_id, "entry": number, "message": message_id})


def _key(item: Post) -> tuple[sa.ColumnElement[bool], ...]:
    return (post.c.campaign_id == item.campaign_id, post.c.id == item.id)


def _post(row: transactions.Row) -> Post:
    return Post(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it


_UNSEEN = "\u2061\u2062\u2063\u2064"
"""Unicode's invisible operators: no font draws them, and they don't affect line breaks."""

_BYTES = 6
LENGTH = _BYTES * 4
_MARK = re.compile(f"[{_UNSEEN}]{{{LENGTH}}}")


def make_mark(nonce: str) -> str:
    """Return the invisible characters that recognize a message by its nonce."""
    drawn = int.from_bytes(sha256(nonce.encode()).digest()[:_BYTES])
    return "".join(_UNSEEN[drawn >> shift & 3] for shift in range(0, LENGTH * 2, 2))


def add_mark(embeds: list[discord.Embed], mark: str) -> list[discord.Embed]:
    """Append a mark to the last text."""
    *_, last = embeds
    if last.footer.text:
        last.set_footer(text=last.footer.text + mark, icon_url=last.footer.icon_url)
    elif last.description and len(last.description) + LENGTH <= MAX_DESCRIPTION:
        last.description += mark
    else:
        last.title = shorten(last.title or "", MAX_TITLE - LENGTH) + mark
    return embeds


def find_post_mark(embeds: Sequence[discord.Embed]) -> str | None:
    """Return the last mark; earlier ones may be copied."""
    texts = (text for embed in embeds for text in (embed.title, embed.description, embed.footer.text))
    found = _MARK.findall("".join(text or "" for text in texts))
    return found[-1] if found else None


def remove_mark(text: str) -> str:
    """Return a text without mark."""
    return _MARK.sub("", text)


class Pings(Struct, frozen=True):
    """User and role ids that a message pings."""

    users: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.users or self.roles)

    def __or__(self, other: Self) -> Self:
        return replace(self, users=tuple(sorted({*self.users, *other.users})), roles=self.roles + other.roles)


NO_PINGS = Pings()
Buttons = Sequence[tuple[str, str, int]]
"""A label, a custom id and a style for each."""

PRIMARY, SECONDARY = discord.ButtonStyle.primary.value, discord.ButtonStyle.secondary.value


class OutgoingMessage(Struct, frozen=True):
    """One message to queue, with its buttons' `topic`."""

    kind: PostKind
    channel_id: int
    embeds: Sequence[discord.Embed]
    topic: str | None = None
    pings: Pings = NO_PINGS
    buttons: Buttons = ()


def ping_first(messages: Sequence[OutgoingMessage], pings: Pings) -> list[OutgoingMessage]:
    """Return messages of which the first pings these, too."""
    first, *others = messages
    return [replace(first, pings=first.pings | pings), *others]


def encode_payload(
    embeds: Sequence[discord.Embed], pings: Pings = NO_PINGS, *, buttons: bool | Buttons = False, reworded: bool = False
) -> str:
    """Return a message as JSON; `buttons` are its own, or stay."""
    cut_embeds(embeds, MAX_EMBED_TEXT - LENGTH)  # each post has a mark
    items = [embed.to_dict() for embed in embeds]
    extras = {"users": pings.users, "roles": pings.roles, "buttons": buttons or False}
    extras |= {"reworded": True} if reworded else {}
    message = {"embeds": items, **extras} if pings or buttons or reworded else items
    return DIRECTED.sub("", json.dumps(message, ensure_ascii=False))


def mark_needed(item: Post) -> Post:
    """Return a post marked to be sent again if its message was deleted."""
    return replace(item, payload=json.dumps(json.loads(item.payload or "{}") | {"needed": True}, ensure_ascii=False))


def embeds_of(item: Post) -> list[discord.Embed]:
    """Return a post's embeds."""
    return [discord.Embed.from_dict(embed) for embed in item.content["embeds"]]


def buttons_of(item: Post) -> ui.View | None:
    """Return a post's own buttons, if any."""
    buttons = item.content.get("buttons")
    if not isinstance(buttons, list):
        return None
    styles = discord.ButtonStyle
    return Controls(*(ui.Button(label=label, custom_id=key, style=styles(style)) for label, key, style in buttons))


MOST_PINGS = 80  # their mentions fit into Discord's 2,000 characters


def mention_of(item: Post) -> dict[str, Any]:
    """Return arguments that ping a post's people and roles."""
    queued = item.content
    pinged = [queued["ping"]] if "ping" in queued else queued.get("users", [])  # an older version pinged one at most
    pinged, called = pinged[:MOST_PINGS], queued.get("roles", [])
    if not pinged and not called:
        return {}
    users, roles = ([discord.Object(number) for number in ids] for ids in (pinged, called))
    content = " ".join([*(f"<@{number}>" for number in pinged), *(f"<@&{number}>" for number in called)])
    return {"content": content, "allowed_mentions": discord.AllowedMentions(everyone=False, users=users, roles=roles)}
