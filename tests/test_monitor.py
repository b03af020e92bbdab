"""Health and metrics."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import sqlalchemy as sa

from bot.core.config import Address
from bot.core.errors import StartError
from bot.core.schema import job, post
from bot.monitor import Monitor
from tests.cogs.house_rules.homebrew import SALVAGE, roll_table, send_and_switch_on
from tests.support.reading import refused, said
from tests.support.world import START, World


@pytest.fixture
async def monitor(world: World) -> AsyncIterator[Monitor]:
    """A world's monitor port."""
    served = Monitor(world.bots[-1])
    await served.open(Address("127.0.0.1", 0))
    yield served
    await served.close()


async def asked(monitor: Monitor, path: str) -> tuple[int, str]:
    """A path's status and text."""
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{monitor.port}{path}") as answer:
        return answer.status, await answer.text()


async def figures(monitor: Monitor) -> dict[str, float]:
    """Metrics by name and labels."""
    lines = (await asked(monitor, "/metrics"))[1].splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


async def test_interactions_and_rolls_are_counted(world: World, monitor: Monitor) -> None:
    """Without names; own tables together."""
    world.dice.script(18)
    said(await world.gm.slash(world.orders, "patrol", patrol="Quokka", target="Wombat", roll="now"))
    refused(await world.stranger.slash(world.orders, "patrol", patrol="Quokka", target="Wombat", roll="now"))
    world.dice.script(7)
    said(await world.gm.slash(world.orders, "roll", expression="1d20"))
    await send_and_switch_on(world, SALVAGE, "salvage")
    await roll_table(world, "rumours", 2, 3, sides=6)
    text = (await asked(monitor, "/metrics"))[1]
    told = await figures(monitor)
    assert told['adjutant_rolls_total{book="dice",family="dice"}'] == 1
    assert told['adjutant_rolls_total{book="house",family="own"}'] == 1
    assert told['adjutant_rolls_total{book="campaign",family="patrol"}'] == 1
    assert told['adjutant_interactions_total{command="patrol",outcome="answered"}'] == 1
    assert told['adjutant_interactions_total{command="patrol",outcome="refused"}'] == 1
    for wait in ("acknowledgement", "answer"):
        assert told[f"adjutant_{wait}_seconds_count"] == told[f'adjutant_{wait}_seconds_bucket{{le="+Inf"}}'] > 2
    assert told["process_resident_memory_bytes"] > 0
    assert not any(
        word in text for word in ("Quokka", "Wombat", "rumours", "Iron Sea", str(world.guild.id), str(world.gm.id))
    )


async def test_a_bot_is_ready_as_long_as_all_its_parts_are(
    world: World, monitor: Monitor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each failing part is named."""
    bot = world.bots[-1]
    status, text = await asked(monitor, "/health")
    nothing = {"posts": 0, "post_overdue_seconds": 0, "schedule_lag_seconds": 0}
    assert (status, json.loads(text)) == (
        200,
        {"ready": True, "gateway": True, "database": True, "posts": True, "owed": nothing},
    )
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00", catch_up="roll")
    world.dice.script(18)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now")
    await bot.database.write(lambda tx: tx.execute(sa.update(post).values(state="queued", due_at=START)))
    await bot.database.write(lambda tx: tx.execute(sa.update(job).values(next_at=START)))
    world.clock.advance(seconds=59)
    assert (await asked(monitor, "/health"))[0] == 200
    world.clock.advance(seconds=2)
    status, text = await asked(monitor, "/health")
    assert (status, '"posts": false' in text) == (503, True)
    told = await figures(monitor)
    assert told['adjutant_ready{part="posts"}'] == 0
    assert told["adjutant_posts_queued"] == len(await bot.database.read(lambda tx: tx.execute(sa.select(post)).all()))
    assert told["adjutant_post_overdue_seconds"] == told["adjutant_schedule_lag_seconds"] == 61
    await bot.database.write(lambda tx: tx.execute(sa.update(post).values(state="sent")))

    async def gone(*_: object) -> Any:  # noqa: ANN401 - nothing comes of it
        raise sa.exc.OperationalError("SELECT", {}, OSError())

    with monkeypatch.context() as patched:
        patched.setattr(bot, "is_ready", lambda: False)
        assert '"gateway": false' in (await asked(monitor, "/health"))[1]
        patched.setattr(type(bot.database), "read", gone)
        status, text = await asked(monitor, "/health")
        assert (status, '"database": false' in text, "owed" in text) == (503, True, False)
        assert (await asked(monitor, "/metrics"))[0] == 200
    caplog.clear()
    assert (await asked(monitor, "/health"))[0] == 200


async def test_a_port_that_is_taken_is_told(world: World, monitor: Monitor) -> None:
    """The bot doesn't start."""
    other = Monitor(world.bots[-1])
    with pytest.raises(StartError, match="HEALTH_PORT cannot be used"):
        await other.open(Address("127.0.0.1", monitor.port))
    await other.close()
