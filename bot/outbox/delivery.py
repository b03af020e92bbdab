"""Post the messages of entries: queued in the entry's own transaction, sent once, retried over restarts.

Whoever queues posts claims them, and claims them anew as long as they are under way; nobody else sends them meanwhile.
Discord deduplicates a nonce only for a few minutes. A post that may have arrived without our knowing is therefore first
searched for in the channel's history, by its mark, and only then sent again. Where that history cannot be read, it waits and says so.
Pages go out in order: while one waits, those behind it wait too. After the second failed attempt the staff channel gets
a notice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import timedelta
from functools import partial

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.servers import Servers
from bot.outbox import message, store
from bot.outbox.lanes import Lanes
from bot.outbox.message import Channel, ChannelHistory, Unsent
from bot.outbox.queue import (
    Buttons,
    OutgoingMessage,
    buttons_of,
    embeds_of,
    encode_payload,
    has_buttons,
    is_needed,
    is_reworded,
    mark_needed,
    reword,
)
from bot.outbox.store import WRITE_UP, Post, PostKind
from bot.ui.colours import COLOURS
from bot.ui.limits import CommandMentions
from bot.ui.picture import Picture, attachment_name
from bot.ui.text import plain

PATIENCE = 2.0
"""Seconds for which an answer waits for its posts."""

GRACE = 3.0
"""Seconds for which posts that are being sent may go on when the bot is stopped."""

CLAIM = timedelta(seconds=60)
NONCE_HOLDS = timedelta(minutes=2)
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=1)
BATCH = 20
NOTIFY_STAFF_AT = 2
LONGEST_CAUSE = 300
"""Characters that are logged of why a post was not sent: it may be a whole page."""

ButtonMaker = Callable[[Post], discord.ui.View | None]
"""Return the buttons under a post of a kind; None where it has none."""

Illustrator = Callable[[Post], Awaitable[Picture | None]]
"""Draw the picture of a post; None when it cannot, and the post goes without."""

Show = Callable[[Sequence[Post]], Coroutine[object, None, None]]
"""Show a person how the posts of their deed stand."""

log = logging.getLogger(__name__)


class Delivery:
    """Posts that were handed to their senders; `over` is done when all of them are."""

    def __init__(self, queued: Sequence[Post], done: Sequence[asyncio.Future[Post]]) -> None:
        self._queued = queued
        self.done = done
        self.over = asyncio.gather(*done, return_exceptions=True)

    def standing(self) -> list[Post]:
        """Return the posts as they stand: those that are done with what became of them."""
        ended = [each.done() and not each.cancelled() for each in self.done]
        return [
            each.result() if over else item for item, each, over in zip(self._queued, self.done, ended, strict=True)
        ]


class Outbox:
    """Queues and sends the posts of entries."""

    def __init__(
        self,
        database: Database,
        *,
        ledger: Ledger,
        illustrate: Illustrator | None = None,
        buttons: Mapping[PostKind, ButtonMaker] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self.patience = patience
        self._database = database
        self._ledger = ledger
        self._illustrate = illustrate
        self._buttons = buttons or {}
        self.servers = Servers(database)
        self.mentions = CommandMentions()
        self._lanes = Lanes(self._attempt, self._note, ledger.now)

    def queue(
        self,
        tx: Connection,
        campaign_id: int,
        number: int | None,
        messages: Sequence[OutgoingMessage],
        behind: Sequence[Post] = (),
    ) -> list[Post]:
        """Queue messages in the transaction of what they report. The caller sends them after its commit.

        `number` is the entry that they are about; messages about none wait for no other. `behind` are the posts of that
        entry which were queued before.
        """
        now = self._ledger.now()
        pages: dict[PostKind, int] = {item.kind: item.page for item in behind if item.entry_number == number}
        new = []
        for each in messages:
            pages[each.kind] = pages.get(each.kind, 0) + 1
            new.append(
                Post(
                    id=0,
                    campaign_id=campaign_id,
                    entry_number=number,
                    kind=each.kind,
                    page=pages[each.kind],
                    channel_id=each.channel_id,
                    payload=encode_payload(each.embeds, each.pings, buttons=each.buttons),
                    nonce=self._ledger.random_id(12),
                    state="queued",
                    attempts=1,
                    unconfirmed=True,
                    queued_at=now,
                    due_at=now + CLAIM,
                    topic=each.topic,
                )
            )
        return [replace(item, unconfirmed=False) for item in store.add_posts(tx, new)]

    def revise(
        self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool | Buttons = False
    ) -> Post:
        """Replace the embeds of a post and drop its `buttons` or not, or give it these, in the transaction of what it reports.

        One with buttons of its own is about its topic still. The message is edited; where none is known, it is looked for first.
        The nonce stays: Discord answers it with the message that it has taken already. The caller sends it after its commit.
        """
        changed = replace(self._changed(item, embeds, buttons=buttons, wait=CLAIM), attempts=1)
        store.revise_post(tx, replace(changed, unconfirmed=True))
        return replace(changed, unconfirmed=changed.message_id is None)

    def send_again(self, tx: Connection, item: Post, channel_id: int) -> Post:
        """Let a post that was revised go to a channel: its message there is edited, or a new one is sent where there is none."""
        nonce = (
            item.nonce if item.message_id is None else self._ledger.random_id(12)
        )  # Discord knows that of the old message
        again = mark_needed(replace(item, channel_id=channel_id, nonce=nonce))
        store.revise_post(tx, replace(again, unconfirmed=True))
        return again

    def revise_later(
        self,
        tx: Connection,
        item: Post,
        embeds: Sequence[discord.Embed],
        *,
        wait: timedelta,
        buttons: bool | Buttons = False,
    ) -> None:
        """Replace the embeds of a post that was sent, as `revise` does, when so much time has passed: whatever is new goes ahead of it.

        It is due then, and sent without the caller, over restarts too.
        """
        changed = self._changed(item, embeds, buttons=buttons, wait=wait)
        store.revise_post(tx, replace(changed, attempts=0, unconfirmed=changed.message_id is None))

    async def send(self, client: discord.Client, queued: Sequence[Post] | Delivery) -> list[Post]:
        """Hand posts to the senders of their channels, unless that is done, and return them as they stand when all are done or `patience` is over.

        A post has its `message_id` when it was sent, a `fault` when not, and neither as long as it is under way.
        """
        return (await self._handed(client, queued)).standing()

    def hand(self, client: discord.Client, queued: Sequence[Post]) -> Delivery:
        """Hand posts to their senders, right after the commit: what is committed later is posted later."""
        return Delivery(queued, self._lanes.put(client, queued))

    async def deliver(self, client: discord.Client, queued: Sequence[Post] | Delivery, show: Show) -> None:
        """Send posts, unless they are handed over already, and show how they stand: after `patience` at the latest, and again once the last of them is done."""
        delivery = await self._handed(client, queued)
        late = not delivery.over.done()
        await show(delivery.standing())
        if late:
            delivery.over.add_done_callback(partial(self._show_again, delivery, show))

    async def written(self, items: Sequence[Post]) -> None:
        """Wait until it is written down what became of posts, as far as these are done."""
        for item in items:
            await self._lanes.written(item.id)

    async def send_due(self, client: discord.Client) -> list[Post]:
        """Send what is due, such as posts that failed or that a restart has left behind; renew the claims of the others."""
        waiting: list[Post] = []
        while due := await self._claim():
            waiting += due
        return await self.send(client, waiting)

    async def close(self) -> None:
        """Stop sending. What was not begun is due at once, for whoever starts next."""
        left = await self._lanes.close(GRACE)
        if left:
            await self._database.write(store.release_posts, left, self._ledger.now())

    def _changed(
        self,
        item: Post,
        embeds: Sequence[discord.Embed],
        *,
        buttons: bool | Buttons,
        wait: timedelta,
    ) -> Post:
        """Return a post with other embeds, to be sent in a while; one of a roll that waits stays about that."""
        changed = reword(item, embeds, buttons=buttons)
        topic = item.topic if item.kind == "pending" or buttons_of(changed) else None
        return replace(changed, state="queued", due_at=self._ledger.now() + wait, topic=topic)

    def _show_again(self, delivery: Delivery, show: Show, _over: object) -> None:
        if not any(each.cancelled() for each in delivery.done):
            self._lanes.start(show(delivery.standing()))

    async def _handed(self, client: discord.Client, queued: Sequence[Post] | Delivery) -> Delivery:
        """Hand posts over, where that is not done yet, and wait for them as long as patience lasts."""
        delivery = queued if isinstance(queued, Delivery) else self.hand(client, queued)
        if delivery.done:
            patience = asyncio.ensure_future(asyncio.sleep(self.patience))
            delivery.over.add_done_callback(lambda _: patience.cancel())
            await asyncio.wait([patience])
        return delivery

    async def _claim(self) -> list[Post]:
        now, held = self._ledger.now(), self._lanes.held()
        if not held and not await self._database.read(store.is_any_due, now):
            return []
        due = await self._database.write(store.claim_posts, now, now + CLAIM, BATCH, held)
        self._lanes.renew(held, now + CLAIM)
        return due

    async def _note(self, client: discord.Client, results: Sequence[Post]) -> None:
        """Record the results of posts, so that those that failed are tried again, and send the notices that they call for."""
        self._lanes.put(client, await self._database.write(self._record, results))

    def _record(self, tx: Connection, results: Sequence[Post]) -> list[Post]:
        notices: list[Post] = []
        for item in results:
            if item.message_id is not None and item.fault is None:
                store.mark_sent(tx, item, item.message_id)
                notices += self._notice_of_missing_thread(tx, item)
            else:
                due_at = self._ledger.now() + pause(item.attempts)
                store.mark_failed(tx, item, due_at=due_at, fault=item.fault or "", unconfirmed=item.unconfirmed)
                notices += self._notice_of_fault(tx, item)
        return notices

    def _notice_of_fault(self, tx: Connection, item: Post) -> list[Post]:
        """Queue a notice for the staff, once per entry, that a post of it failed; nothing when the post is for their own channel."""
        if item.attempts < NOTIFY_STAFF_AT or item.kind in {"staff", "whole", "notice"} or item.entry_number is None:
            return []
        text = f"It belongs in <#{item.channel_id}>, but {plain(item.fault or '')}.\nI'll keep trying."
        return self._queue_notice(tx, item, f"Entry #{item.entry_number} is not posted yet", text)

    def _notice_of_missing_thread(self, tx: Connection, item: Post) -> list[Post]:
        """Queue a notice for the staff, once per entry, that a message has no thread although it needs one."""
        if item.topic != WRITE_UP or item.thread_id is not None:
            return []
        text = (
            f"I couldn't open a write-up thread under this result in <#{item.channel_id}>. "
            "Give me Create Public Threads there, and open this thread yourself. The next result gets one again."
        )
        return self._queue_notice(tx, item, f"Entry #{item.entry_number} has no thread", text)

    def _queue_notice(self, tx: Connection, item: Post, title: str, text: str) -> list[Post]:
        campaign = campaigns.get_campaign(tx, item.campaign_id)
        queued = store.posts_of_entry(tx, item.campaign_id, item.entry_number or 0)
        if campaign is None or any(post.kind == "notice" for post in queued):
            return []
        embed = discord.Embed(title=title, description=text, colour=COLOURS["danger"])
        embed.set_footer(text=f"#{item.entry_number}")
        return self.queue(
            tx, campaign.id, item.entry_number, [OutgoingMessage("notice", campaign.staff_channel_id, [embed])]
        )

    async def _attempt(self, client: discord.Client, item: Post, history: ChannelHistory) -> Post:
        doubtful = item.unconfirmed
        try:
            channel = await self._channel_of(client, item)
            if doubtful and item.message_id is None:
                item = replace(item, message_id=await self._database.read(store.find_message, item))
            if await self._edited(channel, item):
                return replace(item, fault=None, unconfirmed=False)
            found, doubtful = await self._look_for(client, channel, item, history) if doubtful else (None, False)
            buttons = self._buttons_of(item)
            embeds = self._embeds_of(item)
            posted = found or await message.send_message(
                channel, item, embeds, buttons, await self._picture(channel, item)
            )
            if item.unconfirmed and is_reworded(item) and not message.is_shown(embeds, posted):
                await message.edit_message(channel, posted.id, embeds, buttons)
        except Unsent as problem:
            if item.message_id is not None and str(problem) == store.GONE and not is_needed(item):
                return replace(item, fault=None)  # the message was deleted with its channel
            cause = None if problem.__cause__ is None else str(problem.__cause__)[:LONGEST_CAUSE]
            about = {"entry": item.entry_number, "channel": item.channel_id}
            fields = {**about, "fault": str(problem), "cause": cause}
            log.warning("post.unsent", extra=fields)
            return replace(item, fault=str(problem), unconfirmed=doubtful or problem.unconfirmed)
        thread_id = await message.open_thread(channel, item, posted.id)
        return replace(item, message_id=posted.id, fault=None, unconfirmed=False, thread_id=thread_id)

    async def _channel_of(self, client: discord.Client, item: Post) -> Channel:
        """Return the channel of a post; one of another server was named before the campaign came to this one, and is gone for it.

        Raises:
            Unsent: there is none, or nothing can be posted there.

        """
        channel = await message.channel_of(client, item)
        if not await self.servers.is_home(channel.guild.id, item.campaign_id):
            raise Unsent(store.GONE, unconfirmed=False)
        return channel

    async def _edited(self, channel: Channel, item: Post) -> bool:
        """Edit the message of a post, and return whether that is all: it has one, or is not sent again where that was deleted."""
        number = item.message_id
        if number is None:
            return False
        while not await message.edit_message(channel, number, self._embeds_of(item), self._buttons_of(item)):
            newest = await self._database.read(store.find_message, item)
            if newest in {None, number}:
                return not is_needed(item)
            number = newest
        return True

    async def _look_for(
        self, client: discord.Client, channel: Channel, item: Post, history: ChannelHistory
    ) -> tuple[discord.Message | None, bool]:
        """Return the message that a post became, if it did, and whether that is still in doubt."""
        try:
            return await history.find(client, channel, item), False
        except Unsent:
            if self._ledger.now() - item.queued_at < NONCE_HOLDS:
                return None, True  # Discord answers its nonce with the message that has it
            raise

    def _embeds_of(self, item: Post) -> list[discord.Embed]:
        """Return the embeds of a post as its message has them; commands are kept as text, since their ids can change."""
        return self.mentions.write_embeds(message.marked_embeds(item))

    async def _picture(self, channel: Channel, item: Post) -> Picture | None:
        """Return the picture of a post that shows one, if the channel allows files."""
        has_picture = any(attachment_name(embed) for embed in embeds_of(item))
        if self._illustrate is None or not has_picture or not message.granted(channel).attach_files:
            return None
        return await self._illustrate(item)

    def _buttons_of(self, item: Post) -> discord.ui.View | None:
        """Return the buttons under a post: its own, or those of its kind; none where a change of its words has dropped them."""
        if (item.message_id is not None or is_reworded(item)) and not has_buttons(item):
            return None
        own, make = buttons_of(item), self._buttons.get(item.kind)
        return make(item) if own is None and make is not None else own


def pause(attempts: int) -> timedelta:
    """Return how long to wait before the next attempt: doubling from ten seconds to an hour."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 12)
    return min(doubled, LONGEST_PAUSE)
