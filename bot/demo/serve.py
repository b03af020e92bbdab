"""Serve the demo on loopback until it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import simcord

from bot.client import Adjutant
from bot.config import Settings
from bot.demo.windows import windows
from bot.demo.world import build, seed
from bot.log import configure

GREETING = """Adjutant's demo is running. Open it in a browser on this machine:

  #orders   {orders}
  #results  {results}
  #staff    {staff}

Eight things to try in #orders (pick who you are at the top; the other pages show what was posted after Refresh):

  1. As Mara the GM:  /patrol patrol:Blockade Kilo target:Grey Ghost:neutral, Zaku column
     Tick what applies, watch the odds, press Roll; the result stands in #results or #staff.
  2. As Jonas:  /scout scouter:Jonas base:Fort Anvil
     A player may scout here; the result goes to the staff.
  3. As Mara:  /weather rollover  rolls week 13: see the odds, press the button, look at the map in #results.
     Then /weather history, or a roll with region:Sri Lanka, which takes the weather there into account.
  4. As Mara:  /interrogate captive:Kai Brandt interrogators:Colonel Haas  breaks a captive, or does not.
     As Jonas, whose character he is:  /escape captive:Kai Brandt
  5. As Mara:  /ledger show number:18 and Publish; /ledger list shows what else there is.
  6. As Mara:  /events roll  checks both sides of the battle of Goblin Gorge; then /events active and /events turn.
  7. As Jonas:  /infinity versus mine:13 my_mods:-3 opponent:Priya  and, as Priya, Answer; or /roll expression:4d6kh3
  8. As Mara:  /table add  with the first file that docs/homebrew.md shows, then  /table roll name:Salvage

All data is in {data}. Stop with Ctrl-C.
"""

Create = Callable[[Settings], Adjutant]
"""Put the bot together."""


async def serve(create: Create, port: int | None, data: Path) -> None:
    """Run the bot in the simulated server and show it in a browser until interrupted."""
    settings = Settings(database_url=f"sqlite+aiosqlite:///{data / 'demo.db'}")
    bot = create(settings)
    try:
        async with simcord.run(bot, check_errors=False) as env:
            world = build(env)
            await seed(world)
            everybody = (world.game_master, *world.players)
            channels = [(world.orders, everybody), (world.results, everybody), (world.staff, (world.game_master,))]
            async with windows(env, channels, port) as (orders, results, staff):
                sys.stdout.write(GREETING.format(orders=orders, results=results, staff=staff, data=data))
                sys.stdout.flush()
                await _interrupted()
    finally:
        await bot.database.close()


def run(create: Create, port: int | None, data: Path | None) -> int:
    """Serve with the data of a folder, or with data that is deleted when the demo ends; return the exit code."""
    configure("WARNING", "auto")
    with contextlib.ExitStack() as stack:
        folder = data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adjutant-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(serve(create, port, folder.resolve()))
    return 0


async def _interrupted() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()
