"""Registers slash commands with Discord: a book's on the servers that play it, all others everywhere.

Discord allows few requests. So each server's digest is kept, and nothing is sent twice.
The tree itself knows all commands everywhere, so that one pressed on an outdated list still gets an answer.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import discord
import sqlalchemy as sa
from discord import app_commands
from sqlalchemy import Connection

from bot.core.database import Database
from bot.core.library import FILES
from bot.core.outages import do_each
from bot.core.schema import campaign, registered, state
from bot.ui import answering, text

REFUSED = "The commands weren't updated. Start again later. If it fails again, report this line."

EVERYWHERE = 0
"""Stands for all servers."""
Tree = app_commands.CommandTree[discord.AutoShardedClient]
NO_BOOK = frozenset({None})
OWN_WEATHER = "own weather"
"""A campaign's own rules that bring weather."""
AT_ONCE = 5
PATIENCE = 3.0
"""Seconds for which an answer waits for commands."""
PAUSE, LONG_PAUSE = timedelta(minutes=5), timedelta(hours=1)
"""Until a request that broke is tried again, and one that was refused."""

log = logging.getLogger(__name__)
_OPEN = (campaign.c.away_since.is_(None), campaign.c.archived_at.is_(None))
_OWN_WEATHER = (
    sa.select(campaign.c.guild_id)
    .join(state, (state.c.campaign_id == campaign.c.id) & (state.c.subject == FILES))
    .where(*_OPEN, state.c.value["weather"].as_boolean(), state.c.value["on"].as_boolean())
)


class Registration:
    """The commands of one bot, and where Discord shows them; `books` has the books that bring each, by its name.

    Each server has its task, so that a slow one delays no other. `ready`: what all servers have is registered. Before
    that, a server would show a book's commands twice.
    """

    def __init__(
        self,
        tree: Tree,
        database: Database,
        mentions: text.CommandMentions,
        books: Mapping[str, frozenset[str | None]],
        now: Callable[[], datetime],
    ) -> None:
        self._tree, self._client, self._database = tree, tree.client, database
        self._mentions, self._books, self._now = mentions, books, now
        self._payloads: dict[frozenset[str | None], list[dict[str, Any]]] = {}
        self._played: dict[int, frozenset[str]] = {}
        self._not_before: dict[int, datetime] = {}
        self._tasks: dict[int, asyncio.Task[object]] = {}
        self._few = asyncio.Semaphore(AT_ONCE)
        self.ready = False
        names = (item.qualified_name for item in tree.walk_commands() if isinstance(item, app_commands.Command))
        self._mentions.name_commands(names)

    async def register_global(self) -> None:
        """Register global commands in the first shard's process; others check it. Sets `ready`."""
        leads = self._client.shard_ids is None or 0 in self._client.shard_ids
        if leads and self._may_try(EVERYWHERE):
            self.ready = await self._register(EVERYWHERE, NO_BOOK)
        elif (ids := await self._database.read(_find_registered, self._digest(NO_BOOK), EVERYWHERE)) is not None:
            self._mentions.learn(ids, EVERYWHERE)
            self.ready = True

    async def register_books(self) -> tuple[()]:
        """Register the commands of the books played on this process's servers, where that changed."""
        if self.ready:
            played = await self._database.read(_list_played)
            played = {server: books for server, books in played.items() if self._client.get_guild(server) is not None}
            due = [guild_id for guild_id, books in played.items() if self._played.get(guild_id) != books]
            await self._wait([self._start(guild_id) for guild_id in due if self._may_try(guild_id)])
        return ()

    async def register_server(self, guild_id: int) -> None:
        """Register a server's commands after a change there; return once they are, or after some seconds."""
        if self.ready:
            await self._wait([self._start(guild_id)])

    def forget(self, guild_id: int) -> None:
        """Forget what a server has, which has removed the bot: Discord drops the commands there."""
        self._played.pop(guild_id, None)
        self._not_before.pop(guild_id, None)

    def _may_try(self, guild_id: int) -> bool:
        return guild_id not in self._not_before or self._now() >= self._not_before[guild_id]

    def _start(self, guild_id: int) -> asyncio.Task[object]:
        task = self._tasks.get(guild_id)
        if task is None or task.done():
            task = asyncio.ensure_future(do_each([self._bring_up_to_date(guild_id)], "commands.bug"))
            self._tasks[guild_id] = task
            task.add_done_callback(partial(self._end, guild_id))
        return task

    def _end(self, guild_id: int, task: asyncio.Task[object]) -> None:
        if self._tasks.get(guild_id) is task:
            del self._tasks[guild_id]

    @staticmethod
    async def _wait(tasks: Collection[asyncio.Task[object]]) -> None:
        if tasks:
            # A request isn't cancelled: discord.py may be waiting for its turn.
            await asyncio.wait(tasks, timeout=PATIENCE)

    async def _bring_up_to_date(self, guild_id: int) -> tuple[()]:
        async with self._few:
            while self._client.get_guild(guild_id) is not None:
                books = (await self._database.read(_list_played, guild_id)).get(guild_id, frozenset())
                if self._played.get(guild_id) == books or not await self._register(guild_id, books):
                    break
                self._played[guild_id] = books
        return ()

    async def _register(self, guild_id: int, books: frozenset[str | None]) -> bool:
        digest = self._digest(books)
        ids = await self._database.read(_find_registered, digest, guild_id)
        if ids is None:
            self._played.pop(guild_id, None)
            await self._database.write(_set_registered, "", {}, guild_id)  # until it's known what Discord has taken
            try:
                given = await self._send(guild_id, self._payload(books))
            except (discord.HTTPException, *answering.CUT_OFF) as error:
                log.exception("commands.refused", extra={"guild": guild_id, "do": REFUSED, "said": str(error)})
                final = isinstance(error, discord.HTTPException) and error.status < 500 and error.status != 429  # noqa: PLR2004 - HTTP
                pause = LONG_PAUSE if final else PAUSE
                self._not_before[guild_id] = self._now() + pause
                return False
            if guild_id != EVERYWHERE and self._client.get_guild(guild_id) is None:
                return False
            ids = {str(command["name"]): int(command["id"]) for command in given}
            await self._database.write(_set_registered, digest, ids, guild_id)
        self._not_before.pop(guild_id, None)
        self._mentions.learn(ids, guild_id)
        return True

    async def _send(self, guild_id: int, payload: list[dict[str, Any]]) -> list[Any]:
        http, application = self._client.http, self._client.application_id or 0
        if guild_id == EVERYWHERE:
            return await http.bulk_upsert_global_commands(application, payload=payload)
        return await http.bulk_upsert_guild_commands(application, guild_id, payload=payload)

    def _payload(self, books: frozenset[str | None]) -> list[dict[str, Any]]:
        if books not in self._payloads:
            mine = (it for it in self._tree.get_commands() if not self._books.get(it.name, NO_BOOK).isdisjoint(books))
            self._payloads[books] = [command.to_dict(self._tree) for command in mine]
        return self._payloads[books]

    def _digest(self, books: frozenset[str | None]) -> str:
        commands = json.dumps([self._client.application_id, self._payload(books)], sort_keys=True)
        return sha256(commands.encode()).hexdigest()


def forget_commands(tx: Connection) -> None:
    """Forget what Discord has, so that all commands are registered again."""
    tx.execute(registered.delete())


def _find_registered(tx: Connection, digest: str, guild_id: int) -> dict[str, int] | None:
    """Find command ids by first words, if what was registered last has this digest."""
    query = sa.select(registered.c.ids).where(registered.c.guild_id == guild_id, registered.c.digest == digest)
    ids: dict[str, int] | None = tx.scalar(query)
    return ids


def _set_registered(tx: Connection, digest: str, ids: Mapping[str, int], guild_id: int) -> None:
    tx.execute(registered.delete().where(registered.c.guild_id == guild_id))
    tx.execute(registered.insert().values(guild_id=guild_id, digest=digest, ids=ids))


def _list_played(tx: Connection, guild_id: int | None = None) -> dict[int, frozenset[str]]:
    known = tx.scalars(sa.select(registered.c.guild_id).where(registered.c.guild_id != EVERYWHERE))
    found = dict.fromkeys(known, frozenset[str]())
    query = sa.select(campaign.c.guild_id, campaign.c.books).where(*_OPEN)
    for server, books in tx.execute(query if guild_id is None else query.where(campaign.c.guild_id == guild_id)):
        found[server] = found.get(server, frozenset()).union(books)
    for server in tx.scalars(_OWN_WEATHER):
        found[server] = found.get(server, frozenset()).union([OWN_WEATHER])
    return found
