"""Prepared worlds are what their set-ups make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from bot.core.schema import metadata
from tests.cogs.roe.aftermath.aftermath import strike_down
from tests.cogs.roe.fights import ring
from tests.cogs.war import front
from tests.cogs.war.battle import field
from tests.support.prepared import LIVE
from tests.support.template import migrated_url
from tests.support.world import World, rows, running

SetUp = Callable[[World], Awaitable[Any]]


async def stay(world: World) -> None:
    """Leave the world as it is."""


async def down(world: World) -> None:
    """Let a fighter be struck down, which is a set-up after another."""
    await strike_down(await ring.open_ring(world))


async def see(set_up: SetUp, *, prepare: bool) -> list[dict[str, Any]]:
    """Return all that is kept after a set-up, and after two commands; on a busy machine simcord's clock may move by itself: then once more."""
    while True:
        with TemporaryDirectory() as folder, migrated_url("sqlite", Path(folder)) as url:
            async with running(url, prepare=prepare) as world:
                await set_up(world)
                seen = [keep(world)]
                await world.gm.slash(world.orders, "gm settings")
                await world.manager.slash(world.orders, "ping")
                if not world.env.backend.clock.elapsed:
                    return [*seen, keep(world)]


def keep(world: World) -> dict[str, Any]:
    """Return what the database and simulated Discord have, and how much randomness was drawn."""
    tables = {name: sorted(map(repr, rows(world, f"select * from {name}"))) for name in metadata.tables}  # noqa: S608 - our own
    backend = world.env.backend
    state = {name: repr(value) for name, value in vars(backend).items() if name not in {*LIVE, "cdn"}}
    return {**tables, **state, "cdn": vars(backend.cdn), "now": world.clock.now, "drawn": world.randomness.drawn}


@pytest.mark.parametrize("set_up", [stay, down, front.begun, field.opened], ids=["stay", "down", "begun", "field"])
async def test_a_prepared_world_is_the_world_that_its_set_up_makes_each_time(set_up: SetUp) -> None:
    """The first and the second copy have the same rows, messages, ids and requests as a world set up without any, and go on alike."""
    made = await see(set_up, prepare=False)
    for _ in ("first", "second"):
        copied = await see(set_up, prepare=True)
        for before, after in zip(made, copied, strict=True):
            assert {key: (before[key], after[key]) for key in before if before[key] != after[key]} == {}
