"""Posts in progress: one channel's in order, each drawn, sent, edited, searched for, given a thread. Channels don't wait for each other."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import chain
from math import inf
from typing import Any, TypeVar

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.database import Database
from bot.core.outages import log_fault
from bot.outbox.queue import GONE, Post, embeds_of, find_post_mark, make_mark, mention_of, remove_mark
from bot.ui.answering import CUT_OFF
from bot.ui.text import Picture, drop_missing_images

CLOCKS_DIFFER = timedelta(minutes=5)
THREAD_EXISTS = 160004
RATE_LIMITED, SERVER_ERROR = 429, 500
NO_ANSWER, REFUSED = "Discord didn't answer", "Discord refused it"
NEEDED = ("view_channel", "send_messages", "embed_links", "read_message_history")

Channel = discord.TextChannel | discord.Thread | discord.VoiceChannel | discord.StageChannel
Texts = tuple[tuple[str, ...], ...]
T = TypeVar("T")

log = logging.getLogger(__name__)


class Unsent(Exception):
    """A post wasn't sent. `unconfirmed`: it may have arrived."""

    def __init__(self, fault: str, *, unconfirmed: bool) -> None:
        self.unconfirmed = unconfirmed
        super().__init__(fault)


class ChannelHistory:
    """The bot's own messages in a channel, read once."""

    def __init__(self) -> None:
        self._since: datetime | None = None
        self._marked: dict[str, discord.Message] = {}
        self._unmarked: dict[Texts, list[discord.Message]] = {}

    def forget(self) -> None:
        """Drop the cache, since a message may have arrived."""
        self._since = None

    async def find(self, client: discord.Client, channel: Channel, item: Post) -> discord.Message | None:
        """Return a post's message by its mark, back to when it was queued, or raise Unsent.

        Old versions made no marks: there, all texts must be equal.
        """
        since = item.queued_at - CLOCKS_DIFFER
        if self._since is None or since < self._since:
            await self._read(client, channel, since)
        if (found := self._marked.get(make_mark(item.nonce))) is not None:
            return found
        earliest = discord.utils.time_snowflake(since)
        alike = self._unmarked.get(_texts(embeds_of(item)), [])
        found = next((message for message in reversed(alike) if message.id >= earliest), None)
        if found is not None:
            alike.remove(found)  # a message belongs to one post
        return found

    async def _read(self, client: discord.Client, channel: Channel, since: datetime) -> None:
        marked: dict[str, discord.Message] = {}
        unmarked: dict[Texts, list[discord.Message]] = {}
        empty = True
        try:
            async for message in channel.history(limit=None, after=since, oldest_first=False):
                empty = False
                if message.author != client.user or not message.embeds:
                    continue
                if (mark := find_post_mark(message.embeds)) is None:
                    unmarked.setdefault(_texts(message.embeds), []).append(message)
                else:
                    marked[mark] = message
        except discord.HTTPException as problem:
            raise Unsent(fault_of(channel, problem), unconfirmed=True) from problem
        except CUT_OFF as problem:
            raise Unsent(NO_ANSWER, unconfirmed=True) from problem
        newest = channel.last_message_id or 0  # where the history may not be read, Discord gives an empty one
        hidden = channel.guild.me is None and empty and newest > discord.utils.time_snowflake(since)
        if hidden or not get_permissions(channel).read_message_history:
            raise Unsent(f"I can't read the message history of #{channel.name}", unconfirmed=True)
        self._since, self._marked, self._unmarked = since, marked, unmarked


async def channel_of(client: discord.Client, item: Post) -> Channel:
    """Return a post's channel."""
    channel = client.get_channel(item.channel_id)
    if channel is None:
        try:
            channel = await client.fetch_channel(item.channel_id)
        except discord.NotFound as problem:
            raise Unsent(GONE, unconfirmed=False) from problem
        except discord.Forbidden as problem:
            raise Unsent("I can't see the channel: I need View Channel", unconfirmed=False) from problem
        except (discord.HTTPException, discord.InvalidData, *CUT_OFF) as problem:
            raise Unsent(NO_ANSWER, unconfirmed=False) from problem
    if not isinstance(channel, Channel):
        raise Unsent("I can't post messages in that kind of channel", unconfirmed=False)
    return channel


async def edit_message(
    channel: Channel, message_id: int, embeds: list[discord.Embed], buttons: discord.ui.View | None
) -> bool:
    """Edit a message; return whether it exists, or raise Unsent."""
    try:
        await channel.get_partial_message(message_id).edit(content=None, embeds=embeds, view=buttons)
    except discord.NotFound:
        return False
    except discord.HTTPException as problem:
        raise Unsent(fault_of(channel, problem), unconfirmed=True) from problem
    except CUT_OFF as problem:
        raise Unsent(NO_ANSWER, unconfirmed=True) from problem
    return True


async def send_message(
    channel: Channel, item: Post, embeds: list[discord.Embed], buttons: discord.ui.View | None, picture: Picture | None
) -> discord.Message:
    """Send a post, or raise Unsent; return its message, or the one with its nonce."""
    extras: dict[str, Any] = mention_of(item) | ({} if picture is None else {"file": picture.file()})
    if buttons is not None:
        extras["view"] = buttons
    try:
        return await channel.send(embeds=drop_missing_images(embeds, picture), nonce=item.nonce, **extras)
    except discord.HTTPException as problem:
        refused = problem.status < SERVER_ERROR  # after a server error the message may have arrived all the same
        if picture is not None and refused and problem.status != RATE_LIMITED:  # perhaps only because of the picture
            return await send_message(channel, item, embeds, buttons, None)
        raise Unsent(fault_of(channel, problem), unconfirmed=not refused) from problem
    except CUT_OFF as problem:
        raise Unsent(NO_ANSWER, unconfirmed=True) from problem


def is_shown(embeds: list[discord.Embed], found: discord.Message) -> bool:
    """Return whether a message has its post's current texts."""
    authors = [[embed.author.name for embed in each] for each in (embeds, found.embeds)]
    return _texts(embeds) == _texts(found.embeds) and authors[0] == authors[1]


async def open_thread(channel: Channel, item: Post, message_id: int) -> int | None:
    """Open a message's thread if needed; return its id. A message has one at most."""
    if item.thread_name is None:
        return None
    try:
        thread = await channel.get_partial_message(message_id).create_thread(name=item.thread_name)
    except discord.HTTPException as problem:
        if problem.code == THREAD_EXISTS:
            return message_id
        fault = fault_of(channel, problem)
    except CUT_OFF:
        fault = NO_ANSWER
    else:
        return thread.id
    log.warning("post.unthreaded", extra={"entry": item.entry_number, "channel": item.channel_id, "fault": fault})
    return None


def get_permissions(channel: Channel) -> discord.Permissions:
    """Return the bot's permissions in a channel; all of them if another process serves the server."""
    me: discord.Member | None = channel.guild.me  # None where another process serves the server
    return discord.Permissions.all() if me is None else channel.permissions_for(me)


def list_missing_permissions(channel: Channel) -> list[str]:
    """Return lacking permissions, by Discord's names."""
    may = get_permissions(channel)
    return [name.replace("_", " ").title() for name in NEEDED if not getattr(may, name)]


def fault_of(channel: Channel, problem: discord.HTTPException) -> str:
    """Return Discord's refusal in words."""
    missing = list_missing_permissions(channel)
    if isinstance(problem, discord.Forbidden) and missing:
        return f"in #{channel.name} I need {', '.join(missing)}"
    if problem.status == RATE_LIMITED:
        return f"Discord accepts no more messages in #{channel.name} for now"
    is_page = problem.text.lstrip().startswith("<")  # for browsers, from a proxy of Discord
    if problem.status >= SERVER_ERROR or is_page:
        return f"Discord has problems (HTTP {problem.status})"
    return f"{REFUSED} in #{channel.name}: {problem.text or problem.status}"


def _texts(embeds: list[discord.Embed]) -> Texts:
    texts = ((embed.title, embed.description, embed.footer.text) for embed in embeds)
    return tuple(tuple(remove_mark(text or "").strip() for text in some) for some in texts)


Drawing = Callable[[], Picture]
FindDrawing = Callable[[Connection, Post], Drawing | None]
_ARTIST = ThreadPoolExecutor(1, thread_name_prefix="pictures")


async def illustrate(database: Database, find: FindDrawing, post: Post) -> Picture | None:
    """Draw a queued post's picture, if it can."""
    draw = await _log_failure(f"post {post.id}", database.read(find, post))
    return None if draw is None else await draw_picture(f"post {post.id}", draw)


async def draw_picture(name: str, draw: Drawing) -> Picture | None:
    """Draw a named picture in one thread, if it can."""
    return await _log_failure(name, asyncio.get_running_loop().run_in_executor(_ARTIST, draw))


async def _log_failure(name: str, work: Awaitable[T]) -> T | None:
    (found,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(found, BaseException):
        log.error("picture.failed", extra={"picture": name}, exc_info=found)
        return None
    return found


PAGE_BEFORE = "an earlier page isn't posted yet"
OUR_FAULT = "something went wrong"

MOST_UNWRITTEN = 20  # unsaved results before lanes wait

Attempt = Callable[[discord.Client, Post, ChannelHistory], Awaitable[Post]]
"""Send a post; return it with `message_id`, or with `fault`."""

Record = Callable[[discord.Client, Sequence[Post]], Awaitable[None]]


class _Errand(Struct, eq=False):
    client: discord.Client
    item: Post
    done: asyncio.Future[Post]


class Lanes:
    """One sender per channel with posts.

    Results are saved together, after `linger` seconds, or at once if someone waits for them or sending failed.
    """

    def __init__(self, attempt: Attempt, record: Record, now: Callable[[], datetime], linger: float = 0) -> None:
        self.linger = linger
        self._hurry = asyncio.Event()
        self._attempt = attempt
        self._record = record
        self._now = now
        self._lanes: dict[int, dict[int, _Errand]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._unwritten: dict[int, Post] = {}
        self._writing: asyncio.Task[None] | None = None
        self._closing = False

    def put(self, client: discord.Client, items: Sequence[Post]) -> list[asyncio.Future[Post]]:
        """Hand over posts, replacing earlier copies; return their results."""
        done: list[asyncio.Future[Post]] = []
        for item in items:
            lane = self._lanes.get(item.channel_id)
            if lane is None:
                lane = self._lanes[item.channel_id] = {}
                self.start(self._drive(item.channel_id, lane))
            if item.id in lane:
                lane[item.id].done.cancel()
            done.append(asyncio.get_running_loop().create_future())
            lane[item.id] = _Errand(client, item, done[-1])
        return done

    def start(self, work: Coroutine[object, None, None]) -> asyncio.Task[None]:
        """Run something in the background; failures are logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def list_claimed(self) -> list[Post]:
        """Return the posts in progress whose claims haven't expired."""
        now = self._now()
        lanes = chain.from_iterable(lane.values() for lane in self._lanes.values())
        claimed = {**self._unwritten, **{errand.item.id: errand.item for errand in lanes}}
        return [item for item in claimed.values() if item.due_at > now]

    def renew(self, claimed: Sequence[Post], until: datetime) -> None:
        """Note that claims were renewed."""
        for item in claimed:
            errand = self._lanes.get(item.channel_id, {}).get(item.id)
            if errand is not None:
                errand.item = replace(errand.item, due_at=until)

    async def close(self, grace: float) -> list[Post]:
        """Stop after these seconds; return what wasn't sent."""
        self._closing = True
        self._hurry.set()
        waiting = [lane.values() for lane in self._lanes.values()]
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        while late := [*self._tasks]:
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        return [errand.item for errand in chain.from_iterable(waiting)]

    async def wait_saved(self, number: int, most: int | None = None) -> None:
        """Wait until a post's result is saved and fewer than `most` wait."""
        while self._writing is not None and (number in self._unwritten or len(self._unwritten) >= (most or inf)):
            self._hurry.set()
            await asyncio.shield(self._writing)

    async def save(self) -> None:
        """Save the results so far."""
        if self._writing is not None:
            self._hurry.set()
            await asyncio.shield(self._writing)

    async def _drive(self, channel_id: int, lane: dict[int, _Errand]) -> None:
        history = ChannelHistory()
        try:
            while lane and not self._closing:
                first = min(lane)
                await self.wait_saved(first, MOST_UNWRITTEN)  # a revised one is edited where its message is known
                errand = lane[first]
                if errand.item.due_at > self._now():
                    await self._send(errand, lane, history)
                else:  # another process has claimed it by now, or will
                    lane.pop(errand.item.id).done.cancel()
        finally:
            del self._lanes[channel_id]
            for errand in lane.values():
                errand.done.cancel()

    async def _send(self, errand: _Errand, lane: dict[int, _Errand], history: ChannelHistory) -> None:
        result = await self._try(errand, history)
        if result.unconfirmed:
            history.forget()
        if (latest := lane[result.id]) is not errand:
            if latest.item.message_id is None:
                latest.item = replace(latest.item, message_id=result.message_id)
            self._write(errand.client, [result] if result.fault is None else [])
            return
        results = [result]
        if result.fault is not None:
            behind = [other.item for other in lane.values() if _precedes(result, other.item)]
            results += [replace(item, fault=PAGE_BEFORE) for item in behind]
        self._write(errand.client, results)
        for each in results:
            done = lane.pop(each.id).done
            if not done.cancelled():
                done.set_result(each)

    def _write(self, client: discord.Client, results: Sequence[Post]) -> None:
        self._unwritten |= {item.id: item for item in results}
        if any(item.fault is not None for item in results):
            self._hurry.set()
        if self._writing is None:
            self._begin_writing(client)

    def _begin_writing(self, client: discord.Client) -> None:
        self._writing = self.start(self._write_down(client)) if self._unwritten else None

    async def _write_down(self, client: discord.Client) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), self.linger)
        if not self._closing:
            self._hurry.clear()
        ended = [*self._unwritten.values()]
        try:
            await self._record(client, ended)
        finally:
            for item in ended:
                if self._unwritten.get(item.id) is item:
                    del self._unwritten[item.id]
            self._begin_writing(client)

    async def _try(self, errand: _Errand, history: ChannelHistory) -> Post:
        item = errand.item
        errand.item = replace(item, unconfirmed=True)  # while it's being sent
        (result,) = await asyncio.gather(self._attempt(errand.client, item, history), return_exceptions=True)
        if isinstance(result, BaseException):
            log_fault("post.bug", result, entry=item.entry_number)
            return replace(item, fault=OUR_FAULT, unconfirmed=True)
        return result

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log_fault("post.bug", error)


def _precedes(before: Post, item: Post) -> bool:
    same = (before.campaign_id, before.entry_number, before.kind) == (item.campaign_id, item.entry_number, item.kind)
    return same and item.entry_number is not None and before.page < item.page
