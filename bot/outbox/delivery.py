"""Post the messages of entries: queued in the entry's transaction, sent once, retried across restarts.

The process that queues posts claims them; no other sends them meanwhile. Discord knows a nonce only for minutes. So a post that may have
arrived is first searched for by its mark in the channel's history; if that can't be read, it waits and says so. Pages go out in order.
After the second failure the staff channel gets a notice.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import timedelta
from functools import partial

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, sites
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.outbox import letters, queue, sending
from bot.outbox.queue import Buttons, OutgoingMessage, Post, PostKind
from bot.ui.text import COLOURS, CommandMentions, Picture, attachment_name, plain

PATIENCE = 2.0
"""Seconds an answer waits for its posts."""

LINGER = 0.25
"""Seconds that results of sending wait to be saved together."""

GRACE = 3.0
"""Seconds that running sends get when the bot stops."""

CLAIM = timedelta(seconds=60)
NONCE_HOLDS = timedelta(minutes=2)
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=1)
BATCH = 20
NOTIFY_STAFF_AT = 2
LONGEST_CAUSE = 300
"""Logged characters of an error, which may be a whole page."""

ButtonMaker = Callable[[Post], discord.ui.View | None]
Illustrator = Callable[[Post], Awaitable[Picture | None]]
Show = Callable[[Sequence[Post]], Coroutine[object, None, None]]

log = logging.getLogger(__name__)


class Delivery:
    """Posts handed over; `over` is done with the last."""

    def __init__(self, queued: Sequence[Post], done: Sequence[asyncio.Future[Post]]) -> None:
        self._queued = queued
        self.done = done
        self.over = asyncio.gather(*done, return_exceptions=True)

    def list_posts(self) -> list[Post]:
        """Return posts with results so far."""
        both = zip(self._queued, self.done, strict=True)
        return [each.result() if each.done() and not each.cancelled() else item for item, each in both]


class Servers:
    """Which server each campaign is on, cached."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, int] = {}

    async def is_home(self, server: int | None, campaign_id: int) -> bool:
        """Check that a campaign is on a server."""
        if self._known.get(campaign_id) != server:  # not asked for yet, forged, or moved by an import since
            found = await self._database.read(campaigns.get_campaign, campaign_id)
            self._known |= {} if found is None else {found.id: found.guild_id}
        return self._known.get(campaign_id) == server


class Outbox:
    """Queues and sends posts."""

    def __init__(  # noqa: PLR0913 - what the kernel brings, by name
        self,
        database: Database,
        *,
        ledger: Ledger,
        illustrate: Illustrator | None = None,
        buttons: Mapping[PostKind, ButtonMaker] | None = None,
        write: letters.Write | None = None,
        patience: float = PATIENCE,
        public_url: str = "",
    ) -> None:
        self.patience = patience
        self._public_url = public_url
        self._database, self._ledger, self._illustrate = database, ledger, illustrate
        self._buttons, self._write = buttons or {}, write
        self.servers = Servers(database)
        self.mentions = CommandMentions()
        self.lanes = sending.Lanes(self._attempt, self._note, ledger.now, LINGER)

    def queue(
        self,
        tx: Connection,
        campaign_id: int,
        number: int | None,
        messages: Sequence[OutgoingMessage],
        behind: Sequence[Post] = (),
    ) -> list[Post]:
        """Queue messages within the transaction they report; send them after the commit.

        `number` is their entry, `behind` its earlier posts.
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
                    payload=queue.encode_payload(each.embeds, each.pings, buttons=each.buttons),
                    nonce=self._ledger.random_id(12),
                    state="queued",
                    attempts=1,
                    unconfirmed=True,
                    queued_at=now,
                    due_at=now + CLAIM,
                    topic=each.topic,
                )
            )
        return [replace(item, unconfirmed=False) for item in queue.add_posts(tx, new)]

    def revise(
        self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool | Buttons = False
    ) -> Post:
        """Replace a post's embeds and `buttons`; send it after the commit.

        Its message is edited, and searched for if unknown. The nonce stays: Discord answers with the message it took.
        """
        changed = replace(self._reword(item, embeds, buttons=buttons, wait=CLAIM), attempts=1)
        queue.revise_post(tx, replace(changed, unconfirmed=True))
        return replace(changed, unconfirmed=changed.message_id is None)

    def send_again(self, tx: Connection, item: Post, channel_id: int) -> Post:
        """Queue a revised post for a channel: edit its message, or send it if that's gone."""
        # Discord knows the nonce of the old message.
        nonce = item.nonce if item.message_id is None else self._ledger.random_id(12)
        again = queue.mark_needed(replace(item, channel_id=channel_id, nonce=nonce))
        queue.revise_post(tx, replace(again, unconfirmed=True))
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
        """Revise a sent post after a wait: newer posts go first."""
        changed = self._reword(item, embeds, buttons=buttons, wait=wait)
        queue.revise_post(tx, replace(changed, attempts=0, unconfirmed=changed.message_id is None))

    async def send(self, client: discord.Client, queued: Sequence[Post] | Delivery) -> list[Post]:
        """Send posts; return them when done, or after `patience`.

        A sent post has a `message_id`, a failed one a `fault`.
        """
        return (await self._hand_over(client, queued)).list_posts()

    def hand(self, client: discord.Client, queued: Sequence[Post]) -> Delivery:
        """Hand posts over right after the commit, to keep their order."""
        return Delivery(queued, self.lanes.put(client, queued))

    async def deliver(self, client: discord.Client, queued: Sequence[Post] | Delivery, show: Show) -> None:
        """Send posts; call `show` when done or after `patience`, and then once more when done."""
        delivery = await self._hand_over(client, queued)
        late = not delivery.over.done()
        await show(delivery.list_posts())
        if late:
            delivery.over.add_done_callback(partial(self._show_again, delivery, show))

    async def wait_saved(self, items: Sequence[Post]) -> None:
        """Wait until finished posts are saved."""
        for item in items:
            await self.lanes.wait_saved(item.id)

    async def save_results(self) -> None:
        """Save the results so far."""
        await self.lanes.save()

    async def send_due(self, client: discord.Client) -> list[Post]:
        """Send due posts, such as failed ones; renew claims."""
        waiting: list[Post] = []
        while due := await self._claim():
            waiting += due
        return await self.send(client, waiting)

    async def close(self) -> None:
        """Stop sending, and release posts that weren't begun."""
        left = await self.lanes.close(GRACE)
        if left:
            await self._database.write(queue.release_posts, left, self._ledger.now())

    def _reword(self, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool | Buttons, wait: timedelta) -> Post:
        changed = replace(item, payload=queue.encode_payload(embeds, buttons=buttons, reworded=True))
        topic = item.topic if item.kind == "pending" or queue.buttons_of(changed) else None
        return replace(changed, state="queued", due_at=self._ledger.now() + wait, topic=topic)

    def _show_again(self, delivery: Delivery, show: Show, _over: object) -> None:
        if not any(each.cancelled() for each in delivery.done):
            self.lanes.start(show(delivery.list_posts()))

    async def _hand_over(self, client: discord.Client, queued: Sequence[Post] | Delivery) -> Delivery:
        delivery = queued if isinstance(queued, Delivery) else self.hand(client, queued)
        if delivery.done:
            patience = asyncio.ensure_future(asyncio.sleep(self.patience))
            delivery.over.add_done_callback(lambda _: patience.cancel())
            await asyncio.wait([patience])
        return delivery

    async def _claim(self) -> list[Post]:
        now, held = self._ledger.now(), self.lanes.list_claimed()
        if not held and not await self._database.read(queue.is_any_due, now):
            return []
        due = await self._database.write(queue.claim_posts, now, now + CLAIM, BATCH, held)
        self.lanes.renew(held, now + CLAIM)
        return due

    async def _note(self, client: discord.Client, results: Sequence[Post]) -> None:
        self.lanes.put(client, await self._database.write_minor(self._record, results))

    def _record(self, tx: Connection, results: Sequence[Post]) -> list[Post]:
        notices: list[Post] = []
        for item in results:
            if item.fault is None:
                queue.mark_sent(tx, item, item.message_id)
                notices += self._notice_of_missing_thread(tx, item)
            else:
                due_at = self._ledger.now() + pause(item.attempts)
                queue.mark_failed(tx, item, due_at=due_at, fault=item.fault or "", unconfirmed=item.unconfirmed)
                notices += self._notice_of_fault(tx, item)
        return notices

    def _notice_of_fault(self, tx: Connection, item: Post) -> list[Post]:
        if item.attempts < NOTIFY_STAFF_AT or item.kind in {"staff", "whole", "notice"} or item.entry_number is None:
            return []
        text = f"It belongs in <#{item.channel_id}>, but {plain(item.fault or '')}.\nI'll keep trying."
        return self._queue_notice(tx, item, f"Entry #{item.entry_number} is not posted yet", text)

    def _notice_of_missing_thread(self, tx: Connection, item: Post) -> list[Post]:
        if item.topic != queue.WRITE_UP or item.thread_id is not None:
            return []
        text = (
            f"I couldn't open a write-up thread under this result in <#{item.channel_id}>. "
            "Give me Create Public Threads there, and open this thread yourself. The next result gets one again."
        )
        return self._queue_notice(tx, item, f"Entry #{item.entry_number} has no thread", text)

    def _queue_notice(self, tx: Connection, item: Post, title: str, text: str) -> list[Post]:
        campaign = campaigns.get_campaign(tx, item.campaign_id)
        queued = queue.posts_of_entry(tx, item.campaign_id, item.entry_number or 0)
        if campaign is None or any(post.kind == "notice" for post in queued):
            return []
        embed = discord.Embed(title=title, description=text, colour=COLOURS["danger"])
        embed.set_footer(text=f"#{item.entry_number}")
        notice = OutgoingMessage("notice", campaign.staff_channel_id, [embed])
        return self.queue(tx, campaign.id, item.entry_number, [notice])

    async def _attempt(self, client: discord.Client, item: Post, history: sending.ChannelHistory) -> Post:
        doubtful = item.unconfirmed
        if item.kind == queue.LETTER and self._write is not None:
            return await letters.send_letter(client, item, self._write)
        try:
            channel = await sending.channel_of(client, item)
            if not await self.servers.is_home(channel.guild.id, item.campaign_id):
                raise sending.Unsent(queue.GONE, unconfirmed=False)  # noqa: TRY301 - as if the channel were gone
            if doubtful and item.message_id is None:
                item = replace(item, message_id=await self._database.read(queue.find_message, item))
            page = await self._find_page(item)
            if await self._try_edit(channel, item, page):
                return replace(item, fault=None, unconfirmed=False)
            found, doubtful = await self._look_for(client, channel, item, history) if doubtful else (None, False)
            buttons, embeds = self._buttons_of(item), self._embeds_of(channel, item, page)
            if (posted := found) is None:
                picture = await self._picture(channel, item, embeds)
                posted = await sending.send_message(channel, item, embeds, buttons, picture)
            if item.unconfirmed and item.content.get("reworded") and not sending.is_shown(embeds, posted):
                await sending.edit_message(channel, posted.id, embeds, buttons)
        except sending.Unsent as problem:
            if item.message_id is not None and str(problem) == queue.GONE and not item.content.get("needed"):
                return replace(item, fault=None)  # the message was deleted with its channel
            cause = None if problem.__cause__ is None else str(problem.__cause__)[:LONGEST_CAUSE]
            about = {"entry": item.entry_number, "channel": item.channel_id}
            log.warning("post.unsent", extra={**about, "fault": str(problem), "cause": cause})
            return replace(item, fault=str(problem), unconfirmed=doubtful or problem.unconfirmed)
        thread_id = await sending.open_thread(channel, item, posted.id)
        return replace(item, message_id=posted.id, fault=None, unconfirmed=False, thread_id=thread_id)

    async def _try_edit(self, channel: sending.Channel, item: Post, page: str | None) -> bool:
        # Returns whether editing is all: a deleted message is only sent again if needed.
        number = item.message_id
        if number is None:
            return False
        while not await sending.edit_message(
            channel, number, self._embeds_of(channel, item, page), self._buttons_of(item)
        ):
            newest = await self._database.read(queue.find_message, item)
            if newest in {None, number}:
                return not item.content.get("needed")
            number = newest
        return True

    async def _look_for(
        self, client: discord.Client, channel: sending.Channel, item: Post, history: sending.ChannelHistory
    ) -> tuple[discord.Message | None, bool]:
        try:
            return await history.find(client, channel, item), False
        except sending.Unsent:
            if self._ledger.now() - item.queued_at < NONCE_HOLDS:
                return None, True  # Discord answers its nonce with the message that has it
            raise

    async def _find_page(self, item: Post) -> str | None:
        # Asked for when sending, since the site may have been turned on or off since it was queued. After a refusal there's no
        # link: Discord may have refused it.
        may = item.page == 1 and item.kind in queue.LINKED and not (item.fault or "").startswith(sending.REFUSED)
        if not self._public_url or item.entry_number is None or not may:
            return None
        return await self._database.read(sites.find_page, self._public_url, item.campaign_id, item.entry_number)

    def _embeds_of(self, channel: sending.Channel, item: Post, page: str | None) -> list[discord.Embed]:
        embeds = queue.embeds_of(item)
        embeds[0].url = page if embeds[0].title else None  # of embeds with one address Discord shows only the first
        return self.mentions.write_embeds(queue.add_mark(embeds, queue.make_mark(item.nonce)), channel.guild.id)

    async def _picture(self, channel: sending.Channel, item: Post, embeds: Sequence[discord.Embed]) -> Picture | None:
        has_picture = any(attachment_name(embed) for embed in embeds)
        if self._illustrate is None or not has_picture or not sending.get_permissions(channel).attach_files:
            return None
        return await self._illustrate(item)

    def _buttons_of(self, item: Post) -> discord.ui.View | None:
        if (item.message_id is not None or item.content.get("reworded")) and not item.content.get("buttons"):
            return None
        own, make = queue.buttons_of(item), self._buttons.get(item.kind)
        return make(item) if own is None and make is not None else own


def pause(attempts: int) -> timedelta:
    """Return the wait: ten seconds, doubling up to an hour."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(max(attempts - 1, 0), 12)
    return min(doubled, LONGEST_PAUSE)
