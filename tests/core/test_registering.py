"""The commands as Discord is given them at the start."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import aiohttp
import discord
import pytest
import sqlalchemy as sa
from discord.app_commands import CommandTree

from bot.app import create_bot
from bot.client import Adjutant, Tree
from bot.config import Settings, Shards
from bot.core.schema import registered
from tests.support.template import copy_to
from tests.support.world import BOOKS

_ANSWER: Any = SimpleNamespace(status=400, reason="Bad Request")
REFUSAL = discord.HTTPException(_ANSWER, {"message": "Invalid Form Body", "code": 50035})


@pytest.fixture
def discord_takes() -> AsyncMock:
    """What Discord does with commands: it takes them, unless told otherwise."""
    return AsyncMock(return_value=[])


@pytest.fixture
def started(tmp_path: Path, discord_takes: AsyncMock) -> Callable[..., Any]:
    """Start a bot on the same database, of an application and with the shards that are given."""
    copy_to(tmp_path / "adjutant.db")

    @asynccontextmanager
    async def start(shards: Shards | None = None, application: int = 1) -> AsyncIterator[Adjutant]:
        settings = Settings(database_url=f"sqlite:///{tmp_path / 'adjutant.db'}", shards=shards)
        bot = create_bot(settings, books=BOOKS)
        bot._connection.application_id = application
        bot.http.bulk_upsert_global_commands = discord_takes  # type: ignore[method-assign]
        try:
            await bot.register_commands()
            yield bot
        finally:
            await bot.database.close()

    return start


async def test_commands_are_registered_once_and_by_one_process(
    started: Callable[..., Any], discord_takes: AsyncMock
) -> None:
    """The first shard's process registers them, the next start doesn't repeat it, and another application gets its own."""
    requests = []
    for start in ({"shards": Shards(1, 1, 2)}, {"shards": Shards(0, 0, 2)}, {}, {"application": 2}):
        async with started(**start):
            requests.append(discord_takes.await_count)
    assert requests == [0, 1, 1, 2]


async def test_every_process_knows_the_ids_of_commands(
    started: Callable[..., Any], discord_takes: AsyncMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process and a later start read them; ids that an older version hasn't kept are asked for once."""
    monkeypatch.setattr(Tree, "sync", CommandTree.sync)
    discord_takes.return_value = [{"id": "5", "application_id": "1", "name": "ping", "description": "Pong"}]
    for start in ({}, {"shards": Shards(1, 1, 2)}, {}):
        async with started(**start) as bot:
            await bot.learn_commands()
            assert bot.mentions.write("/ping or /help", 100) == "</ping:5> or /help"
            requests = discord_takes.await_count
    assert requests == 1
    async with started() as bot:
        await bot.database.write(lambda tx: tx.execute(registered.update().values(ids=sa.null())))
    for _ in range(2):
        async with started() as bot:
            await bot.learn_commands()
            assert (discord_takes.await_count, bot.mentions.write("/ping", 100)) == (2, "</ping:5>")


@pytest.mark.parametrize("fault", [REFUSAL, ConnectionResetError("reset"), aiohttp.ServerDisconnectedError()])
async def test_commands_that_discord_refuses_do_not_stop_the_bot(
    started: Callable[..., Any], discord_takes: AsyncMock, caplog: pytest.LogCaptureFixture, fault: Exception
) -> None:
    """The log says that they stay as they were and what to do, and the next start tries again."""
    discord_takes.side_effect = fault
    async with started():
        assert [line.getMessage() for line in caplog.records] == ["commands.refused"]
        assert "Start again later" in caplog.records[0].do  # type: ignore[attr-defined]
    caplog.clear()
    discord_takes.side_effect = None
    async with started():
        assert (discord_takes.await_count, caplog.records) == (2, [])


async def test_the_bot_is_for_servers(started: Callable[..., Any], discord_takes: AsyncMock) -> None:
    """No command can be installed for a member alone, where it would run on servers without the bot."""
    async with started():
        ((_, sent),) = discord_takes.await_args_list
        assert {tuple(command["integration_types"]) for command in sent["payload"]} == {(0,)}
