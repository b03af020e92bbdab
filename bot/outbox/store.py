"""Queued posts: messages for a channel, mostly about an entry, until Discord has confirmed them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core.schema import at_home, post
from bot.core.transactions import Row
from bot.ui.text import message_link

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
]
SHOWS: Mapping[PostKind, Literal["staff", "public"]] = {
    **dict.fromkeys(("results", "published", "group"), "public"),
    **dict.fromkeys(("staff", "whole"), "staff"),
}
"""The posts that show an entry, and how much of it; a notice does where it has a topic and so buttons."""

WRITE_UP = "write-up"
"""The topic of a post whose message gets a thread, in which something is to be written."""
_THREADED = "thread:"
"""How the topic begins of a post whose message gets a thread of another name, which follows."""

GONE = "the channel was deleted"
"""The fault of a post whose channel was deleted."""

PostState = Literal["queued", "sent"]


_before = post.alias("before")
_now = sa.bindparam("now", type_=post.c.due_at.type)
_waits = sa.exists().where(
    *(_before.c[name] == post.c[name] for name in ("campaign_id", "entry_number", "kind")),
    *(_before.c.page < post.c.page, _before.c.state == "queued", _before.c.due_at > _now),
)
_QUEUED_HERE = (post.c.state == "queued", at_home(post.c.campaign_id))
_DUE = (*_QUEUED_HERE, post.c.due_at <= _now, ~_waits)
"""The conditions of posts that are queued and due, with no earlier page of the same kind that has to wait."""

_ANY_DUE = sa.select(post.c.id).where(*_DUE).limit(1)
_DUE_SINCE = sa.select(sa.func.min(post.c.due_at)).where(*_DUE)
_QUEUED = sa.select(sa.func.count()).select_from(post).where(*_QUEUED_HERE)
_ONE = (post.c.campaign_id == sa.bindparam("campaign"), post.c.id == sa.bindparam("number"))
_BY_ID = sa.select(post).where(*_ONE)
_OF_ENTRY = (
    sa.select(post)
    .where(post.c.campaign_id == sa.bindparam("campaign"), post.c.entry_number == sa.bindparam("entry"))
    .order_by(post.c.id)
)
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
    """Return the topic of a post whose message gets a thread of this name, of at most 33 characters."""
    return f"{_THREADED}{name}"


class Post(Struct, frozen=True):
    """One message to be sent. `payload` is its JSON until it is sent; `unconfirmed` means that it may have arrived already.

    The pages of one entry and kind go out in order: none is due while one before it still waits. A post about no entry has
    no `entry_number` and waits for none. `topic` is what a question is about, or what else a post is for; `thread_id` is
    the thread under its message.

    A queued post that has a `message_id` replaces the content of that message.

    Whoever sends it first moves `due_at` on, and on again as long as it is under way, so that nobody else picks it up meanwhile.
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
        """What the thread is called that its message gets; None where it gets none."""
        if self.topic == WRITE_UP:
            return f"Write-up #{self.entry_number}"
        named = self.topic is not None and self.topic.startswith(_THREADED)
        return (self.topic or "").removeprefix(_THREADED) if named else None

    def link(self, guild_id: int) -> str | None:
        """Return the address of its message on a server; None where that is not known."""
        return None if self.message_id is None else message_link(guild_id, self.channel_id, self.message_id)


def add_posts(tx: Connection, new: Sequence[Post]) -> list[Post]:
    """Queue posts; their ids are given by the database."""
    queued = []
    for item in new:
        values = asdict(item)
        del values["id"]
        key = tx.execute(_ADD, values).inserted_primary_key
        queued.append(replace(item, id=key[0] if key else 0))
    return queued


def is_any_due(tx: Connection, now: datetime) -> bool:
    """Return whether any post is due; takes no lock."""
    return tx.scalar(_ANY_DUE, {"now": now}) is not None


def find_oldest_due(tx: Connection, now: datetime) -> datetime | None:
    """Return since when the post is due that has waited longest to be taken; None where none is due."""
    since: datetime | None = tx.scalar(_DUE_SINCE, {"now": now})
    return since


def count_queued(tx: Connection) -> int:
    """Return how many posts wait to be sent; those for servers that have removed the bot don't count."""
    return int(tx.scalar(_QUEUED) or 0)


def claim_posts(tx: Connection, now: datetime, until: datetime, limit: int, held: Sequence[Post] = ()) -> list[Post]:
    """Claim the posts that are due, oldest first, and keep them from others until `until`; those that are held too.

    They are returned with `unconfirmed` as it was; in the database each is unconfirmed until its attempt is recorded.
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
    """Let posts be due at once that were claimed and not sent."""
    for item in items:
        still = (*_key(item), post.c.state == "queued", post.c.attempts == item.attempts)
        tx.execute(post.update().where(*still).values(due_at=now, unconfirmed=item.unconfirmed))


def mark_sent(tx: Connection, item: Post, message_id: int) -> None:
    """Mark a post as sent; its payload is not needed any more.

    One that was revised while it was under way is not sent as it is now: its message is known, and is still to be edited.
    """
    known = {"message_id": message_id, "thread_id": item.thread_id}
    tried = {"campaign": item.campaign_id, "number": item.id, "tried": item.payload}
    if not tx.execute(_SENT, {**tried, "message": message_id, "thread": item.thread_id}).rowcount:
        tx.execute(post.update().where(*_key(item)).values(known))


def find_message(tx: Connection, item: Post) -> int | None:
    """Return the id of the message that a post has become meanwhile; None where none is known."""
    return tx.scalar(sa.select(post.c.message_id).where(*_key(item)))


def mark_failed(tx: Connection, item: Post, *, due_at: datetime, fault: str, unconfirmed: bool) -> None:
    """Record why a post was not sent, when to try again, and whether it may have arrived all the same."""
    values = {"due_at": due_at, "fault": fault, "unconfirmed": unconfirmed}
    tx.execute(post.update().where(*_key(item)).values(**values))


def revise_post(tx: Connection, item: Post) -> None:
    """Queue a post again with another payload."""
    values = {name: getattr(item, name) for name in _REVISED}
    tx.execute(_REVISE, {"campaign": item.campaign_id, "number": item.id, **values})


def get_post(tx: Connection, campaign_id: int, number: int) -> Post | None:
    """Return the post with this id."""
    row = tx.execute(_BY_ID, {"campaign": campaign_id, "number": number}).first()
    return _post(row) if row else None


def find_about(tx: Connection, campaign_id: int, kind: PostKind, topic: str) -> Post | None:
    """Return the newest post of a kind on a topic."""
    mine = (post.c.campaign_id == campaign_id, post.c.kind == kind, post.c.topic == topic)
    row = tx.execute(sa.select(post).where(*mine).order_by(post.c.id.desc())).first()
    return _post(row) if row else None


def find_on(tx: Connection, campaign_id: int, kind: PostKind, topics: Collection[str]) -> list[Post]:
    """Return all posts of a kind on any of these topics, the oldest first."""
    mine = (post.c.campaign_id == campaign_id, post.c.kind == kind, post.c.topic.in_(topics))
    return [_post(row) for row in tx.execute(sa.select(post).where(*mine).order_by(post.c.id))]


def is_gone(tx: Connection, campaign_id: int, channel_id: int) -> bool:
    """Return whether a post has found a channel deleted."""
    mine = (post.c.campaign_id == campaign_id, post.c.channel_id == channel_id, post.c.fault == GONE)
    return tx.scalar(sa.select(sa.literal(1)).where(*mine).limit(1)) is not None


def redirect(
    tx: Connection, campaign_id: int, kinds: Collection[PostKind], channels: tuple[int, int], now: datetime
) -> None:
    """Redirect queued posts of these kinds from the first of two channels to the second.

    A post that may have arrived in the first stays there, unless that channel was deleted.
    """
    old, new = channels
    not_arrived = ~post.c.unconfirmed | (post.c.fault == GONE)
    mine = (post.c.campaign_id == campaign_id, post.c.channel_id == old, post.c.kind.in_(kinds))
    query = post.update().where(*mine, post.c.state == "queued", not_arrived)
    tx.execute(query.values(channel_id=new, due_at=now, unconfirmed=False))


def posts_of_entry(tx: Connection, campaign_id: int, number: int) -> list[Post]:
    """Return the posts of one entry, in the order in which they were queued."""
    return [_post(row) for row in tx.execute(_OF_ENTRY, {"campaign": campaign_id, "entry": number})]


def _key(item: Post) -> tuple[sa.ColumnElement[bool], ...]:
    return (post.c.campaign_id == item.campaign_id, post.c.id == item.id)


def _post(row: Row) -> Post:
    return Post(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
