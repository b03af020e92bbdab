"""Loops go on after failures and clock jumps; commands are registered at the start."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import aiohttp
import discord
import pytest
import sqlalchemy as sa

from bot.app import KINDS, create_bot
from bot.client import Adjutant
from bot.core import audit
from bot.core.config import Settings, Shards
from bot.core.outages import do_each
from bot.core.schema import registered
from bot.outbox.delivery import Outbox
from bot.ui.registration import Registration
from tests.support import shortcuts
from tests.support.reading import said
from tests.support.template import copy_to
from tests.support.world import BOOKS, World, rows


async def one(found: list[int] | None) -> list[int]:
    """Return numbers, or fail."""
    if found is None:
        raise RuntimeError
    return found


async def test_one_that_fails_keeps_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """Results stay in order; the bug is logged."""
    assert await do_each((one(found) for found in ([1, 2], None, [], [3])), "test.bug") == [1, 2, 3]
    assert [record.msg for record in caplog.records] == ["test.bug"]


async def test_posts_are_sent_on_after_a_failure(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A lost database ends no loop."""

    async def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Outbox, "send_due", broken)
    await world.env.advance_time(6)
    monkeypatch.undo()
    await world.env.advance_time(6)
    assert world.bots[-1].post_due.is_running()
    assert {record.msg for record in caplog.records if record.levelname == "ERROR"} == {"post.bug"}
    caplog.clear()


LEAPS = [
    timedelta(days=-3),
    *(pytest.param(timedelta(hours=hours), marks=pytest.mark.slow) for hours in (48, -1, 9600)),
]


@pytest.mark.parametrize("leap", LEAPS, ids=str)
async def test_all_goes_on_when_the_clock_leaps(world: World, leap: timedelta) -> None:
    """Rolls, posts and schedules happen once, in order."""
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00", catch_up="roll")
    for number in range(3):
        world.dice.script(20)
        told = said(await world.gm.slash(world.orders, "patrol", patrol=f"Patrol {number}", target="Zaku", roll="now"))
        assert "Rolled: entry" in told
        world.clock.now += leap
        for _ in range(2):
            await world.env.advance_time(21)
    assert rows(world, "select count(*) from entry where kind = 'roll'") == [(3,)]
    assert rows(world, "select count(*) from post where state = 'queued'") == [(0,)]
    (job,) = rows(world, "select next_at from job")
    assert str(job[0]) > str(world.clock.now)[:10]
    (checked,) = await audit.check_ledgers(world.bots[-1].database, KINDS)
    assert checked.faults == ()


_ANSWER: Any = SimpleNamespace(status=400, reason="Bad Request")
REFUSAL = discord.HTTPException(_ANSWER, {"message": "Invalid Form Body", "code": 50035})


@pytest.fixture
def discord_takes() -> AsyncMock:
    """Let Discord accept commands, or not."""
    return AsyncMock(return_value=[])


@pytest.fixture
def started(tmp_path: Path, discord_takes: AsyncMock) -> Callable[..., Any]:
    """Start a bot with these shards."""
    copy_to(tmp_path / "adjutant.db")

    @asynccontextmanager
    async def start(shards: Shards | None = None, application: int = 1) -> AsyncIterator[Adjutant]:
        settings = Settings(database_url=f"sqlite:///{tmp_path / 'adjutant.db'}", shards=shards)
        bot = create_bot(settings, books=BOOKS)
        bot._connection.application_id = application
        bot.http.bulk_upsert_global_commands = discord_takes  # type: ignore[method-assign]
        try:
            await bot.registration.register_global()
            yield bot
        finally:
            await bot.database.close()

    return start


async def test_commands_are_registered_once_and_by_one_process(
    started: Callable[..., Any], discord_takes: AsyncMock
) -> None:
    """Another application registers its own."""
    requests = []
    for start in ({"shards": Shards(1, 1, 2)}, {"shards": Shards(0, 0, 2)}, {}, {"application": 2}):
        async with started(**start):
            requests.append(discord_takes.await_count)
    assert requests == [0, 1, 1, 2]


async def test_every_process_knows_the_ids_of_commands(
    started: Callable[..., Any], discord_takes: AsyncMock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing ids are asked for once."""
    monkeypatch.setattr(Registration, "_send", shortcuts.SEND)
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
    """The next start tries again."""
    discord_takes.side_effect = fault
    async with started():
        assert [line.getMessage() for line in caplog.records] == ["commands.refused"]
        assert "Start again later" in caplog.records[0].do  # type: ignore[attr-defined]
    caplog.clear()
    discord_takes.side_effect = None
    async with started():
        assert (discord_takes.await_count, caplog.records) == (2, [])


async def test_the_bot_is_for_servers(started: Callable[..., Any], discord_takes: AsyncMock) -> None:
    """Members can't install it for themselves."""
    async with started():
        ((_, sent),) = discord_takes.await_args_list
        assert {tuple(command["integration_types"]) for command in sent["payload"]} == {(0,)}
