"""Post the messages of entries: queued in the entry's own transaction, sent once, retried over restarts.

Discord deduplicates a nonce only for a few minutes. A post that may have arrived without our knowing is therefore first
searched for in the channel's history and only then sent again. Where that history cannot be read, it waits and says so.
Pages go out in order: while one waits, those behind it wait too. After the second failed attempt the staff channel gets
a notice.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import discord
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.outbox import store
from bot.outbox.queue import OutgoingMessage, embeds_of, mention_of, payload, reworded
from bot.outbox.store import WRITE_UP, Post, PostKind
from bot.ui.colours import COLOURS
from bot.ui.picture import Picture, attached, fitting
from bot.ui.text import plain
from bot.ui.uploads import CUT_OFF

CLAIM = timedelta(seconds=60)
NONCE_HOLDS = timedelta(minutes=2)
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=1)
HISTORY = 100
BATCH = 20
NOTIFY_STAFF_AT = 2
THREAD_EXISTS = 160004
"""Discord's error code for a message that has its thread already."""

PAGE_BEFORE = "the page before it is not posted yet"
NEEDED = ("view_channel", "send_messages", "embed_links", "read_message_history")

Buttons = Callable[[Post], discord.ui.View | None]
"""Return the buttons under a post; None where it has none."""

Illustrator = Callable[[Post], Awaitable[Picture | None]]
"""Draw the picture of a post; None when it cannot, and the post goes without."""

Channel = discord.TextChannel | discord.Thread | discord.VoiceChannel | discord.StageChannel

log = logging.getLogger(__name__)


class Unsent(Exception):
    """A post did not go out. `unconfirmed` is true when it may have arrived all the same."""

    def __init__(self, fault: str, *, unconfirmed: bool) -> None:
        self.unconfirmed = unconfirmed
        super().__init__(fault)


class Outbox:
    """Queues and sends the posts of entries."""

    def __init__(
        self,
        database: Database,
        *,
        ledger: Ledger,
        illustrators: Sequence[Illustrator] = (),
        buttons: Sequence[Buttons] = (),
    ) -> None:
        self._database = database
        self._ledger = ledger
        self._illustrators = tuple(illustrators)
        self._buttons = tuple(buttons)

    def queue(
        self, tx: Connection, campaign_id: int, number: int | None, messages: Sequence[OutgoingMessage]
    ) -> list[Post]:
        """Queue messages in the transaction of what they report. The caller sends them after its commit.

        `number` is the entry that they are about; messages about none wait for no other.
        """
        now = self._ledger.now()
        pages: dict[PostKind, int] = {}
        new = []
        for message in messages:
            pages[message.kind] = pages.get(message.kind, 0) + 1
            new.append(
                Post(
                    id=0,
                    campaign_id=campaign_id,
                    entry_number=number,
                    kind=message.kind,
                    page=pages[message.kind],
                    channel_id=message.channel_id,
                    payload=payload(message.embeds, message.ping),
                    nonce=self._ledger.random_id(12),
                    state="queued",
                    attempts=1,
                    unconfirmed=True,
                    queued_at=now,
                    due_at=now + CLAIM,
                    topic=message.topic,
                )
            )
        return store.add(tx, new)

    def revise(self, tx: Connection, item: Post, embeds: Sequence[discord.Embed]) -> Post:
        """Replace the embeds of a post and drop its buttons, in the transaction of what it reports.

        Its message is edited, if it has one already; if none is known, the post goes out as a new message with a new
        nonce: Discord would drop a second message under the first nonce. The caller sends it after its commit.
        """
        due_at = self._ledger.now() + CLAIM
        nonce = item.nonce if item.message_id is not None else self._ledger.random_id(12)
        changed = replace(reworded(item, embeds), state="queued", attempts=1, due_at=due_at, topic=None, nonce=nonce)
        store.revise(tx, changed)
        return changed

    async def send(self, client: discord.Client, queued: Sequence[Post]) -> list[Post]:
        """Send fresh posts in order, except those that have waited so long that `send_due` may have claimed them.

        Returns the posts with `message_id` when sent, `fault` when not. The caller records that with `note`, once the
        person who waits has been answered; until then they count as unconfirmed.
        """
        results: list[Post] = []
        for item in queued:
            if item.due_at <= self._ledger.now():
                continue
            if any(_precedes(before, item) and before.message_id is None for before in results):
                results.append(replace(item, fault=PAGE_BEFORE, unconfirmed=False))
            else:
                results.append(await self._attempt(client, item, fresh=True))
        return results

    @asynccontextmanager
    async def delivering(self, client: discord.Client, queued: Sequence[Post]) -> AsyncIterator[list[Post]]:
        """Send fresh posts, yield them with their results, and record those once the block has ended."""
        sent = await self.send(client, queued)
        try:
            yield sent
        finally:
            await self.note(sent)

    async def send_due(self, client: discord.Client) -> list[Post]:
        """Send what is due, such as posts that failed or that a restart has left behind."""
        results: list[Post] = []
        while waiting := await self._claim():
            for item in waiting:
                result = await self._attempt(client, item, fresh=False)
                notices = await self.send(client, await self.note([result]))
                await self.note(notices)
                results += [result, *notices]
        return results

    async def _claim(self) -> list[Post]:
        now = self._ledger.now()
        if not await self._database.read(store.any_due, now):
            return []
        return await self._database.write(store.claim, now, now + CLAIM, BATCH)

    async def note(self, results: Sequence[Post]) -> list[Post]:
        """Record the results of posts, so that those that failed are tried again; return the notices queued for the staff."""
        return await self._database.write(self._record, results) if results else []

    def _record(self, tx: Connection, results: Sequence[Post]) -> list[Post]:
        notices: list[Post] = []
        for item in results:
            if item.message_id is not None and item.fault is None:
                store.sent(tx, item, item.message_id)
                notices += self._notice_of_missing_thread(tx, item)
            else:
                due_at = self._ledger.now() + pause(item.attempts)
                store.failed(tx, item, due_at=due_at, fault=item.fault or "", unconfirmed=item.unconfirmed)
                notices += self._notice_of_fault(tx, item)
        return notices

    def _notice_of_fault(self, tx: Connection, item: Post) -> list[Post]:
        """Queue a notice for the staff, once per entry, that a post of it failed; nothing when the post is for their own channel."""
        if item.attempts < NOTIFY_STAFF_AT or item.kind in {"staff", "whole", "notice"} or item.entry_number is None:
            return []
        text = f"It belongs in <#{item.channel_id}>, but {plain(item.fault or '')}.\nI keep trying and will post it as soon as I can."
        return self._queue_notice(tx, item, f"Entry #{item.entry_number} is not posted yet", text)

    def _notice_of_missing_thread(self, tx: Connection, item: Post) -> list[Post]:
        """Queue a notice for the staff, once per entry, that a message has no thread although it needs one."""
        if item.topic != WRITE_UP or item.thread_id is not None:
            return []
        text = (
            f"This result needs a write-up, but I could not open a thread under it in <#{item.channel_id}>: "
            "I need Create Public Threads there. Please open this one by hand; I will try again with the next result."
        )
        return self._queue_notice(tx, item, f"Entry #{item.entry_number} has no thread", text)

    def _queue_notice(self, tx: Connection, item: Post, title: str, text: str) -> list[Post]:
        campaign = campaigns.get(tx, item.campaign_id)
        queued = store.of_entry(tx, item.campaign_id, item.entry_number or 0)
        if campaign is None or any(post.kind == "notice" for post in queued):
            return []
        embed = discord.Embed(title=title, description=text, colour=COLOURS["danger"])
        embed.set_footer(text=f"Entry #{item.entry_number} \N{MIDDLE DOT} {campaign.name}")
        return self.queue(
            tx, campaign.id, item.entry_number, [OutgoingMessage("notice", campaign.staff_channel_id, [embed])]
        )

    async def _attempt(self, client: discord.Client, item: Post, *, fresh: bool) -> Post:
        doubtful = item.unconfirmed and not fresh
        try:
            channel = await _channel(client, item)
            if item.message_id is not None:
                return await _edit(channel, item, item.message_id)
            earlier = await self._look_for(channel, item) if doubtful else None
            message_id = earlier or await _deliver(
                channel, item, self._buttons_of(item), await self._picture(channel, item)
            )
        except Unsent as problem:
            if item.message_id is not None and str(problem) == store.GONE:
                return replace(item, fault=None)  # the message was deleted with its channel
            fields = {"entry": item.entry_number, "channel": item.channel_id, "fault": str(problem)}
            log.warning("post.unsent", extra=fields)
            return replace(item, fault=str(problem), unconfirmed=doubtful or problem.unconfirmed)
        return replace(item, message_id=message_id, fault=None, thread_id=await _thread(channel, item, message_id))

    async def _picture(self, channel: Channel, item: Post) -> Picture | None:
        """Return the picture of a post that shows one, if the channel allows files."""
        has_picture = any(attached(embed) for embed in embeds_of(item))
        if not has_picture or not channel.permissions_for(channel.guild.me).attach_files:
            return None
        for illustrate in self._illustrators:
            if picture := await illustrate(item):
                return picture
        return None

    def _buttons_of(self, item: Post) -> discord.ui.View | None:
        """Return the buttons under a post, whoever's they are."""
        return next((view for make in self._buttons if (view := make(item)) is not None), None)

    async def _look_for(self, channel: Channel, item: Post) -> int | None:
        """Return the id of the message that this post became, if it is in the channel's recent history."""
        try:
            async for message in channel.history(limit=HISTORY):
                if message.author == channel.guild.me and _is_message_of(message, item):
                    return message.id
            readable = channel.permissions_for(channel.guild.me).read_message_history
            fault = None if readable else f"I may not read the history of #{channel.name}"
        except discord.HTTPException as problem:
            fault = _fault(channel, problem)
        except CUT_OFF as problem:
            fault = _no_answer(problem)
        if fault is None or self._ledger.now() - item.queued_at < NONCE_HOLDS:
            return None
        raise Unsent(fault, unconfirmed=True)


def _precedes(before: Post, item: Post) -> bool:
    """Return whether a post is an earlier page of the same entry and kind."""
    same = (before.campaign_id, before.entry_number, before.kind) == (item.campaign_id, item.entry_number, item.kind)
    return same and item.entry_number is not None


def pause(attempts: int) -> timedelta:
    """Return how long to wait before the next attempt: doubling from ten seconds to an hour."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 12)
    return min(doubled, LONGEST_PAUSE)


def missing_permissions(channel: Channel) -> list[str]:
    """Return the permissions that the bot lacks in a channel, as Discord calls them."""
    granted = channel.permissions_for(channel.guild.me)
    return [name.replace("_", " ").title() for name in NEEDED if not getattr(granted, name)]


async def _channel(client: discord.Client, item: Post) -> Channel:
    channel = client.get_channel(item.channel_id)
    if channel is None:
        try:
            channel = await client.fetch_channel(item.channel_id)
        except discord.NotFound as problem:
            raise Unsent(store.GONE, unconfirmed=False) from problem
        except discord.Forbidden as problem:
            raise Unsent("I may not see the channel: View Channel is missing", unconfirmed=False) from problem
        except (discord.HTTPException, discord.InvalidData, *CUT_OFF) as problem:
            raise Unsent(_no_answer(problem), unconfirmed=False) from problem
    if not isinstance(channel, Channel):
        raise Unsent("the channel takes no messages", unconfirmed=False)
    return channel


async def _edit(channel: Channel, item: Post, message_id: int) -> Post:
    """Edit the message of a post; nothing to do when it was deleted."""
    try:
        await channel.get_partial_message(message_id).edit(content=None, embeds=embeds_of(item), view=None)
    except discord.NotFound:
        pass
    except discord.HTTPException as problem:
        raise Unsent(_fault(channel, problem), unconfirmed=False) from problem
    except CUT_OFF as problem:
        raise Unsent(_no_answer(problem), unconfirmed=False) from problem
    return replace(item, fault=None)


async def _deliver(channel: Channel, item: Post, buttons: discord.ui.View | None, picture: Picture | None) -> int:
    extras: dict[str, Any] = mention_of(item) | ({} if picture is None else {"file": picture.file()})
    if buttons is not None:
        extras["view"] = buttons
    try:
        message = await channel.send(embeds=fitting(embeds_of(item), picture), nonce=item.nonce, **extras)
    except discord.HTTPException as problem:
        if picture is not None and problem.status < 500:  # noqa: PLR2004 - refused: perhaps only because of the picture
            return await _deliver(channel, item, buttons, None)
        # After a server error the message may have arrived all the same; after a refusal it has not.
        raise Unsent(_fault(channel, problem), unconfirmed=problem.status >= 500) from problem  # noqa: PLR2004
    except CUT_OFF as problem:
        raise Unsent(_no_answer(problem), unconfirmed=True) from problem
    return message.id


async def _thread(channel: Channel, item: Post, message_id: int) -> int | None:
    """Open the thread under a message that needs one, and return its id; None when none is needed or Discord refuses.

    A message has one thread at most, and that has the message's own id: asking twice opens no second one.
    """
    if item.topic != WRITE_UP:
        return None
    try:
        thread = await channel.get_partial_message(message_id).create_thread(
            name=f"To write: entry #{item.entry_number}"
        )
    except discord.HTTPException as problem:
        if problem.code == THREAD_EXISTS:
            return message_id
        fault = _fault(channel, problem)
    except CUT_OFF as problem:
        fault = _no_answer(problem)
    else:
        return thread.id
    log.warning("post.unthreaded", extra={"entry": item.entry_number, "channel": item.channel_id, "fault": fault})
    return None


def _no_answer(problem: Exception) -> str:
    return f"Discord did not answer: {problem}"


def _fault(channel: Channel, problem: discord.HTTPException) -> str:
    missing = missing_permissions(channel)
    if isinstance(problem, discord.Forbidden) and missing:
        return f"in #{channel.name} I lack {', '.join(missing)}"
    return f"Discord refused it in #{channel.name}: {problem.text or problem.status}"


def _is_message_of(message: discord.Message, item: Post) -> bool:
    """Return whether a message is this post: the texts of its embeds are equal, down to the entry's number in the footer."""
    embeds = embeds_of(item)
    return bool(embeds) and list(map(_words, message.embeds)) == list(map(_words, embeds))


def _words(embed: discord.Embed) -> tuple[str, ...]:
    """Return the texts of an embed; Discord trims white space at both ends of each."""
    return tuple((text or "").strip() for text in (embed.title, embed.description, embed.footer.text))
