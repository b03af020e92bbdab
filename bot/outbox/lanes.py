"""Posts in progress: one channel's in order; channels don't wait for each other."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from math import inf

import discord
from msgspec import Struct
from msgspec.structs import replace

from bot.core.chores import log_fault
from bot.outbox.message import ChannelHistory
from bot.outbox.queue import Post

PAGE_BEFORE = "an earlier page isn't posted yet"
OUR_FAULT = "something went wrong"

MOST_UNWRITTEN = 20
"""Unsaved results before lanes wait."""

Attempt = Callable[[discord.Client, Post, ChannelHistory], Awaitable[Post]]
"""Send a post; return it with `message_id`, or with `fault`."""

Record = Callable[[discord.Client, Sequence[Post]], Awaitable[None]]


class _Errand(Struct, eq=False):
    client: discord.Client
    item: Post
    done: asyncio.Future[Post]


class Lanes:
    """One sender per channel with posts.

    Results are saved together: a transaction each would delay all writers.
    """

    def __init__(self, attempt: Attempt, record: Record, now: Callable[[], datetime]) -> None:
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
        if (anew := lane[result.id]) is not errand:
            if anew.item.message_id is None:
                anew.item = replace(anew.item, message_id=result.message_id)
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
        if self._writing is None:
            self._begin_writing(client)

    def _begin_writing(self, client: discord.Client) -> None:
        ended = [*self._unwritten.values()]
        self._writing = self.start(self._write_down(client, ended)) if ended else None

    async def _write_down(self, client: discord.Client, ended: Sequence[Post]) -> None:
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
