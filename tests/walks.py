"""Print how many of our functions and files eight walks enter: `uv run python -m tests.walks`."""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable

from bot.app import KINDS
from bot.core import audit
from tests.bench import fights
from tests.cogs.war import front
from tests.cogs.war.battle.field import AT, Field
from tests.support.acting import opened
from tests.support.reading import press, response
from tests.support.walks import walking
from tests.support.world import running
from tests.transcripts.evening import EveningDice


async def main(folder: str) -> None:
    """Take the walks in a new server, those of patrols first."""
    async with running(f"sqlite:///{folder}/walks.db") as world:
        gm, channel = world.gm, world.orders
        world.dice.roll = EveningDice().roll  # type: ignore[method-assign]
        await walk("/patrol opens its card", opened(world))
        card = await opened(world, target="Ghost")
        await walk("Roll pressed, until posted", gm.click(card, custom_id=press(card, "roll")))
        await walk("ledger check", audit.check_ledgers(world.bots[-1].database, KINDS, lambda *_: None))
        window = await gm.slash(channel, "gm undo", entry=3)
        await walk("Undo sent", gm.submit_modal(window, {"reason": "Wrong target"}))
        await fights._fight(world, channel, 2)
        await walk("/roe attack roll:now", gm.slash(channel, "roe attack", **fights.AT))
        war = await front.begun(world, front.changed(_11th_Squadron="0,-1", _21st_Squadron=AT))
        await walk("an order of a war given", war.order(war.ann, "move", "11th Squadron", to=AT))
        plan = response(await gm.slash(channel, "gm resolve"))
        await walk("Resolve pressed", gm.click(plan, label="Resolve all"))
        await Field(war).placed(u12="E5")
        await walk("/battle act, a move", Field(war).do(war.ann, "act", unit="u12", to="E4"))


async def walk(name: str, act: Awaitable[object]) -> None:
    """Print how many functions and files an act enters."""
    with walking() as entered:
        await act
    names = [code.co_name for _, code in entered if code.co_name[0] != "<"]
    sys.stdout.write(f"{name:28}{len(names):6}{len({path for path, _ in entered}):5}\n")


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
