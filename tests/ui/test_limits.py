from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest

from bot.client import Limits
from bot.cogs.help import START
from bot.core.config import Pace
from tests.support.acting import opened
from tests.support.reading import assert_says, press, refused, said
from tests.support.world import World, nothing_written, running

SLOW = 0.0001
"""Tokens a second: none comes back during a test."""


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """Open a campaign with limits."""
    async with running(database_url) as made:
        yield made


async def test_a_member_who_is_too_fast_is_told_when_to_try_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Others go on."""
    card = await opened(world)
    with nothing_written(world):
        caplog.set_level(logging.INFO)
        world.bots[-1].limits = Limits(Pace(1, SLOW), None)
        assert START in said(await world.gm.slash(world.orders, "help"))
        for result in (
            await world.gm.click(card, custom_id=press(card, "roll")),
            await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now"),
        ):
            assert_says(refused(result), "so I did nothing", "Try again in 10000 seconds.")
    assert START in said(await world.player.slash(world.orders, "help"))
    lines = [vars(record) for record in caplog.records if record.getMessage() == "interaction"]
    assert [(line["outcome"], line.get("fault")) for line in lines] == [
        ("answered", None),
        *[("refused", "TooFast")] * 2,
        ("answered", None),
    ]


async def test_a_server_that_is_too_fast_holds_all_of_it_back(world: World) -> None:
    """All of its members wait."""
    world.bots[-1].limits = Limits(None, Pace(1, SLOW))
    assert START in said(await world.gm.slash(world.orders, "help"))
    assert "Try again" in refused(await world.player.slash(world.orders, "help"))


async def test_suggestions_are_counted_apart(world: World) -> None:
    """Commands still work."""
    world.bots[-1].suggesting = Limits(Pace(1, SLOW), None)
    asked = [await world.gm.autocomplete(world.orders, "gm settings", "campaign", "Iron") for _ in range(2)]
    assert [len(choices) for choices in asked] == [1, 0]
    assert START in said(await world.gm.slash(world.orders, "help"))
