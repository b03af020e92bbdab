"""A clock that leaps: rolls, posts, epochs and schedules go on, each once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app import KINDS
from bot.core import audit
from tests.support.reading import said
from tests.support.world import World, rows

LEAPS = [
    timedelta(days=-3),
    *(pytest.param(timedelta(hours=hours), marks=pytest.mark.slow) for hours in (48, -1, 9600)),
]


@pytest.mark.parametrize("leap", LEAPS, ids=str)
async def test_all_goes_on_when_the_clock_leaps(world: World, leap: timedelta) -> None:
    """Set back or ahead between two rolls, both are entered, posted and in their order, each occurrence happens once, and the ledger verifies."""
    await world.gm.slash(world.orders, "update schedule", day="Saturday", time="18:00", catch_up="roll")
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
