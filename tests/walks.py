"""Print how many of our functions and files eight walks enter: `uv run python -m tests.walks`."""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable

from bot.app import KINDS
from bot.core import audit
from bot.core.system_dice import SystemDice
from tests.bench import fights
from tests.cogs.war import front
from tests.cogs.war.battle.field import AT, Field
from tests.support.acting import opened
from tests.support.reading import press, response
from tests.support.walks import walking
from tests.support.world import World, running


async def walks(world: World) -> None:
    """Take the walks, those of patrols first."""
    gm, channel = world.gm, world.orders
    world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
    await _walk(world, "/patrol opens its card", opened(world))
    card = await opened(world, target="Ghost")
    await _walk(world, "Roll pressed, until posted", gm.click(card, custom_id=press(card, "roll")))
    await _walk(world, "ledger check", audit.check(world.bots[-1].database, KINDS, lambda *_: None))
    window = await gm.slash(channel, "void", entry=3)
    await _walk(world, "Undo sent", gm.submit_modal(window, {"reason": "Wrong target"}))
    await fights._fight(world, channel, 2)
    await _walk(world, "/roe attack roll:now", gm.slash(channel, "roe attack", **fights.AT))
    war = await front.begun(world, front.changed(_11th_Squadron="0,-1", _21st_Squadron=AT))
    await _walk(world, "an order of a war given", war.order(war.ann, "move", "11th Squadron", to=AT))
    plan = response(await gm.slash(channel, "update resolve"))
    await _walk(world, "Resolve pressed", gm.click(plan, label="Resolve all"))
    await Field(war).placed(u12="E5")
    await _walk(world, "/battle act, a move", Field(war).do(war.ann, "act", unit="u12", to="E4"))


async def _walk(world: World, name: str, act: Awaitable[object]) -> None:
    with walking(world) as entered:
        await act
    names = [code.co_name for _, code in entered if code.co_name[0] != "<"]
    sys.stdout.write(f"{name:28}{len(names):6}{len({path for path, _ in entered}):5}\n")


async def main() -> None:
    """Take the walks in a new server."""
    with tempfile.TemporaryDirectory() as folder:
        async with running(f"sqlite:///{folder}/walks.db") as world:
            await walks(world)


asyncio.run(main())
