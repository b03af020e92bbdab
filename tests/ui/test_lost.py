from __future__ import annotations

import logging
from typing import Any

import aiohttp
import pytest
import simcord

from tests.support.acting import opened
from tests.support.reading import press, said, text
from tests.support.world import World, rows

CALLBACK = "/interactions/*/*/callback"
UNKNOWN_INTERACTION, UNKNOWN_WEBHOOK, INVALID_TOKEN = 10062, 10015, 50027


async def patrol(world: World, *faces: int) -> simcord.InteractionResult:
    """Roll a patrol at once."""
    world.dice.script(*faces)
    return await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku column", roll="now")


def find_later(result: simcord.InteractionResult) -> str:
    """Return later messages."""
    return "\n".join(text(message) for message in result.followups)


def bugs(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return logged bugs."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(("status", "code"), [(404, UNKNOWN_INTERACTION), (404, UNKNOWN_WEBHOOK), (401, INVALID_TOKEN)])
async def test_a_lost_answer_to_a_roll_is_told_with_the_next_one(
    world: World, caplog: pytest.LogCaptureFixture, status: int, code: int
) -> None:
    """Once, and no bug is logged."""
    world.env.inject_error("POST", CALLBACK, status=status, code=code)
    lost = await patrol(world, 20)
    assert lost.response is None
    assert rows(world, "select count(*) from entry") == [(3,)]
    assert len(world.results.history()) == 1
    assert "interaction.unanswered" in caplog.messages
    assert bugs(caplog) == []

    following = await world.gm.slash(world.orders, "help")
    assert "What you can do here" in said(following)
    assert "Rolled: entry #3" in find_later(following)
    assert find_later(await world.gm.slash(world.orders, "help")) == ""


async def test_a_lost_answer_is_told_to_nobody_else(world: World) -> None:
    """Only its maker reads it."""
    world.env.inject_error("POST", CALLBACK, status=404, code=UNKNOWN_INTERACTION)
    await patrol(world, 20)
    assert find_later(await world.gm2.slash(world.orders, "help")) == ""
    assert "Rolled: entry #3" in find_later(await world.gm.slash(world.orders, "help"))


@pytest.mark.slow
async def test_a_card_whose_answer_was_lost_says_that_it_is_rolled(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """With the number."""
    card = await opened(world)
    world.dice.script(20)
    world.env.inject_error("POST", CALLBACK, status=404, code=UNKNOWN_INTERACTION)
    await world.gm.click(card, custom_id=press(card, "roll"))
    again = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "rolled already: entry #3" in said(again)
    assert "Rolled: entry #3" in find_later(again)
    assert rows(world, "select count(*) from entry") == [(3,)]
    assert bugs(caplog) == []


async def test_a_refusal_that_was_lost_is_not_told_later(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing was done, so nothing is owed."""
    world.env.inject_error("POST", CALLBACK, status=404, code=UNKNOWN_INTERACTION)
    await world.stranger.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now")
    assert find_later(await world.stranger.slash(world.orders, "help")) == ""
    assert find_later(await world.stranger.slash(world.orders, "help")) == ""
    assert bugs(caplog) == []


@pytest.mark.parametrize("arrives", [False, True])
async def test_an_answer_over_a_bad_line_is_given_once(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, arrives: bool
) -> None:
    """Whether or not it had arrived."""
    cut(world, monkeypatch, 1, arrives=arrives)
    result = await patrol(world, 20)
    assert "Rolled: entry #3" in said(result)
    assert find_later(result) == ""
    assert find_later(await world.gm.slash(world.orders, "help")) == ""
    assert bugs(caplog) == []


@pytest.mark.parametrize("arrives", [False, True])
async def test_a_receipt_over_a_bad_line_takes_the_cards_place(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, arrives: bool
) -> None:
    """Also if the line is cut."""
    card = await opened(world)
    world.dice.script(20)
    cut(world, monkeypatch, 1, arrives=arrives)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert "Rolled: entry #3" in text(card)
    assert bugs(caplog) == []


@pytest.mark.slow
async def test_an_answer_over_a_dead_line_is_told_with_the_next_one(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After several tries."""
    cut(world, monkeypatch, 3, arrives=False)
    assert (await patrol(world, 20)).response is None
    assert "Rolled: entry #3" in find_later(await world.gm.slash(world.orders, "help"))
    assert bugs(caplog) == []


def cut(world: World, monkeypatch: pytest.MonkeyPatch, times: int, *, arrives: bool) -> None:
    """Cut the connection on the next answers."""
    adapter = world.env._webhook_adapter
    request, left = adapter.request, [None] * times

    async def cutting(*args: Any, **named: Any) -> Any:  # noqa: ANN401 - as discord.py asks
        if not left:
            return await request(*args, **named)
        left.pop()
        if arrives:
            await request(*args, **named)
        raise aiohttp.ServerDisconnectedError

    monkeypatch.setattr(adapter, "request", cutting)
