from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from datetime import timedelta
from typing import Any

import pytest

from bot.app import create_bot
from bot.core.config import Settings
from bot.core.database import Database, P, T, Transaction
from tests.support.acting import more, opened
from tests.support.reading import press, refused, response, said, text
from tests.support.world import BOOKS, World, create_campaign, rows, running

DEFERRED = {5, 6}
"""Discord's two ways to say that an answer is on its way: as a message of its own, or in place of the one used."""


class SlowDatabase(Database):
    """A database with a pause before transactions."""

    pause = 0.0

    async def read(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Read after the pause."""
        await asyncio.sleep(self.pause)
        return await super().read(function, *args, **kwargs)

    async def write(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write after the pause."""
        await asyncio.sleep(self.pause)
        return await super().write(function, *args, **kwargs)

    async def write_minor(self, function: Transaction[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Write after the pause."""
        await asyncio.sleep(self.pause)
        return await super().write_minor(function, *args, **kwargs)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """Open a campaign with a slow database."""
    async with running(database_url, campaign=False) as made:
        settings = Settings(database_url=made.database)
        bot = create_bot(
            settings,
            database=SlowDatabase(settings.database_url),
            clock=made.clock,
            dice=made.dice,
            randomness=made.randomness,
            books=BOOKS,
        )
        bot.slow_after = 0.05
        made.bots.append(bot)
        await made.env.restart_bot(bot)
        await create_campaign(made)
        yield made


def find_answers(world: World, since: int) -> list[int]:
    """Return the types of answers."""
    calls = [call.json for call in world.env.http_requests[since:] if call.path.endswith("/callback")]
    return [call["type"] for call in calls if isinstance(call, dict)]


async def slowly(world: World, deed: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 - what the deed comes to
    """Do something slowly; check that it's acknowledged."""
    database, since = world.bots[-1].database, len(world.env.http_requests)
    assert isinstance(database, SlowDatabase)
    database.pause = 5.0
    begun = world.env.now()
    result = await deed  # it comes back when the bot has answered in one way or the other
    assert set(find_answers(world, since)) <= DEFERRED
    assert len(find_answers(world, since)) == 1
    assert world.env.now() - begun < timedelta(seconds=world.bots[-1].slow_after + 0.5)
    database.pause = 0.0
    await world.env.advance_time(5)
    return result


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("ledger", "Ledger of Iron Sea"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("gm settings", "Iron Sea"), ("help", "What you can do here"))
        ),
    ],
)
async def test_a_command_is_acknowledged_and_answered_later(world: World, command: str, answer: str) -> None:
    """Privately and in time."""
    result = await slowly(world, world.gm.slash(world.orders, command))
    assert result.ephemeral
    assert answer in "".join(text(message) for message in [*result.followups, response(result)])


@pytest.mark.slow
async def test_a_cards_picker_is_acknowledged_and_answered_later(world: World) -> None:
    """Without its own message."""
    card = await opened(world, target="Ghost, Zaku")
    await slowly(world, world.gm.select(card, ["1"], custom_id=press(card, "part")))
    assert "against **Zaku**" in text(card)


async def test_roll_is_acknowledged_and_rolls_once(world: World) -> None:
    """Before it reads the card."""
    card = await opened(world)
    world.dice.script(18)
    assert "Rolled: entry #3" in said(await slowly(world, world.gm.click(card, custom_id=press(card, "roll"))))
    assert rows(world, "select count(*) from entry") == [(3,)]


@pytest.mark.parametrize("deed", ["adjust", pytest.param("counts", marks=pytest.mark.slow)])
async def test_a_window_that_came_too_late_is_asked_for_again(world: World, deed: str) -> None:
    """The second press opens it."""
    card = await opened(world)
    await more(world.gm, card, deed)
    late = refused(await slowly(world, world.gm.click(card, custom_id=press(card, deed))))
    assert "Press the button again" in late
    assert (await world.gm.click(card, custom_id=press(card, deed))).modal is not None


async def test_a_bot_is_slow_after_a_second(world: World) -> None:
    """Discord allows three."""
    assert world.bots[0].slow_after == 1
