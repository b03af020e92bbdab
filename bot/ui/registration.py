"""Registers slash commands with Discord: a book's on the servers that play it, all others everywhere.

Discord remembers what it was given, and allows few requests. So each server's digest is kept, and nothing is sent twice.
`register_books` compares what is played with what is registered, so it can run at any time: after a change and in a loop.
The tree itself knows all commands everywhere, so that one pressed on an outdated list still gets an answer.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import discord
import sqlalchemy as sa
from discord import app_commands
from sqlalchemy import Connection

from bot.core.database import Database
from bot.core.schema import campaign, registered
from bot.ui.answering import CUT_OFF
from bot.ui.text import CommandMentions

REFUSED = "The commands weren't updated. Start again later. If it fails again, report this line."

EVERYWHERE = 0
"""Stands for all servers."""
Tree = app_commands.CommandTree[discord.AutoShardedClient]
NO_BOOK = frozenset({None})

log = logging.getLogger(__name__)


class Registration:
    """The commands of one bot, and where Discord shows them; `books` has the book of each by its name."""

    def __init__(
        self, tree: Tree, database: Database, mentions: CommandMentions, books: Mapping[str, str | None]
    ) -> None:
        self._tree, self._client, self._database = tree, tree.client, database
        self._mentions, self._books = mentions, books
        self._payloads: dict[frozenset[str | None], list[dict[str, Any]]] = {}
        self._played: dict[int, frozenset[str]] = {}
        self._turn = asyncio.Lock()
        names = (item.qualified_name for item in tree.walk_commands() if isinstance(item, app_commands.Command))
        self._mentions.name_commands(names)

    async def register_global(self) -> None:
        """Register what all servers have; of several processes, the one with the first shard does so."""
        if self._client.shard_ids is None or 0 in self._client.shard_ids:
            await self._register(EVERYWHERE, NO_BOOK)

    async def register_books(self) -> tuple[()]:
        """Register the commands of the books that this process's servers play, where that has changed; nothing is posted."""
        async with self._turn:
            played = await self._database.read(_list_played)
            for guild_id, books in played.items():
                here = self._client.get_guild(guild_id) is not None
                if here and self._played.get(guild_id) != books and await self._register(guild_id, books):
                    self._played[guild_id] = books
        return ()

    async def learn_global(self) -> bool:
        """Learn the ids of what all servers have, and return whether they are known by now."""
        ids = await self._database.read(_find_registered, self._digest(NO_BOOK), EVERYWHERE)
        if ids is not None:
            self._mentions.learn(ids, EVERYWHERE)
        return ids is not None

    def forget(self, guild_id: int) -> None:
        """Forget what a server has, which has removed the bot: Discord drops the commands there."""
        self._played.pop(guild_id, None)

    async def _register(self, guild_id: int, books: frozenset[str | None]) -> bool:
        """Register the commands of books on a server, unless it has them; return whether it needn't be tried again."""
        digest = self._digest(books)
        ids = await self._database.read(_find_registered, digest, guild_id)
        if ids is None:
            payload = self._payload(books)
            try:
                given = await self._send(guild_id, payload)
            except (discord.HTTPException, *CUT_OFF) as error:
                log.exception("commands.refused", extra={"guild": guild_id, "do": REFUSED, "said": str(error)})
                return isinstance(error, discord.HTTPException) and error.status < 500  # noqa: PLR2004 - Discord's own faults pass
            ids = {str(command["name"]): int(command["id"]) for command in given}
            await self._database.write(_set_registered, digest, ids, guild_id)
        self._mentions.learn(ids, guild_id)
        return True

    async def _send(self, guild_id: int, payload: list[dict[str, Any]]) -> list[Any]:
        http, application = self._client.http, self._client.application_id or 0
        if guild_id == EVERYWHERE:
            return await http.bulk_upsert_global_commands(application, payload=payload)
        return await http.bulk_upsert_guild_commands(application, guild_id, payload=payload)

    def _payload(self, books: frozenset[str | None]) -> list[dict[str, Any]]:
        if books not in self._payloads:
            mine = (command for command in self._tree.get_commands() if self._books.get(command.name) in books)
            self._payloads[books] = [command.to_dict(self._tree) for command in mine]
        return self._payloads[books]

    def _digest(self, books: frozenset[str | None]) -> str:
        return _make_digest(self._client.application_id, self._payload(books))


def forget_commands(tx: Connection) -> None:
    """Forget what Discord has, so that all commands are registered again."""
    tx.execute(registered.delete())


def _make_digest(application: int | None, commands: Sequence[object]) -> str:
    return sha256(json.dumps([application, commands], sort_keys=True).encode()).hexdigest()


def _find_registered(tx: Connection, digest: str, guild_id: int) -> dict[str, int] | None:
    """Find command ids by first words, if what was registered last has this digest."""
    query = sa.select(registered.c.ids).where(registered.c.guild_id == guild_id, registered.c.digest == digest)
    ids: dict[str, int] | None = tx.scalar(query)
    return ids


def _set_registered(tx: Connection, digest: str, ids: Mapping[str, int], guild_id: int) -> None:
    tx.execute(registered.delete().where(registered.c.guild_id == guild_id))
    tx.execute(registered.insert().values(guild_id=guild_id, digest=digest, ids=ids))


def _list_played(tx: Connection) -> dict[int, frozenset[str]]:
    """List the books of open campaigns by server (id), also of servers that have commands and no such campaign."""
    known = tx.scalars(sa.select(registered.c.guild_id).where(registered.c.guild_id != EVERYWHERE))
    found = dict.fromkeys(known, frozenset[str]())
    open_here = campaign.c.away_since.is_(None) & campaign.c.archived_at.is_(None)
    for guild_id, books in tx.execute(sa.select(campaign.c.guild_id, campaign.c.books).where(open_here)):
        found[guild_id] = found.get(guild_id, frozenset()).union(books)
    return found
