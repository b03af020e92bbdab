"""A bot that is killed while it resolves orders, and goes on where it stopped when it starts again."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection

from bot.app import KINDS
from bot.core import audit, campaigns, entries
from bot.core.database import Database
from bot.core.profiles import Profile
from bot.orders.standing import StandingOrder, all_orders
from tests.bench.stub import serving
from tests.cogs.captives.cells import save
from tests.support.reading import press
from tests.support.world import running
from tests.wire.server import Place, Use, Wire, adjutant

LIMIT = 60.0
MORTAL = """
import os, pathlib, signal
import bot.core.database
death, written, write = pathlib.Path({death!r}), [], bot.core.database.Database._write
def die(moment):
    if death.exists() and death.read_text() == f"{{len(written)}} {{moment}}":
        os.kill(os.getpid(), signal.SIGKILL)
async def mortal(self, mode, act):
    def work(tx):
        result = act(tx)
        if death.exists():
            written.append(act)
        die("before")
        return result
    result = await write(self, mode, work)
    die("after")
    return result
bot.core.database.Database._write = mortal
"""
"""What makes a bot kill itself in the transaction that a file names, counted from when the file is there: just before or after its commit."""

ORDERS = (
    ("Hide", "Squad 0", "Valley"),
    ("Move through a sector", "Squad 1", "Valley"),
    ("Detect in a sector", "Squad 2", "Valley"),
    ("Patrol or blockade a sector", "Squad 3", "Valley"),
    ("Scout a base", "Squad 4", "Base"),
)
POINTS = [f"{number} {moment}" for number in range(1, 12) for moment in ("before", "after")]
"""Where it is killed, before or after which commit: by the last of them all posts are sent."""


async def settle(folder: Path) -> Place:
    """Make a campaign with some squads in the folder's database."""
    async with running(f"sqlite:///{folder / 'wire.db'}") as world:
        await save(world.bots[0].database, *(Profile(name, "squad", side=name) for _, name, _ in ORDERS))
        return Place.of(world)


class Killing:
    """A campaign, a fake Discord and a bot that is killed again and again."""

    def __init__(self, wire: Wire, folder: Path) -> None:
        self._wire, self._folder, self._death = wire, folder, folder / "death"

    async def round(self, number: int, point: str) -> bool:
        """Give orders, press Resolve, kill the bot at a point, press again after a start, and claim that all was done once; gives whether it was killed."""
        async with self._bot() as process:
            if number:
                await self._press("gm close", "close")
            for kind, who, to in ORDERS:
                told = await answered(self._wire.slash("order give", kind=kind, who=who, to=to))
                assert "Order given" in json.dumps(told.answers), told.answers
            shown = await answered(self._wire.slash("gm resolve"))
            self._death.write_text(point)
            pressed = asyncio.ensure_future(answered(self._wire.click(shown.answers[-1], button(shown, "resolve"))))
            gone = asyncio.ensure_future(process.wait())
            await asyncio.wait({pressed, gone}, timeout=LIMIT, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({gone}, timeout=LIMIT)
            pressed.cancel()
            killed = bool(process.returncode == -signal.SIGKILL)
        self._death.unlink()
        async with self._bot():
            await self._finish(number)
        await self._require_once(number)
        return killed

    def _bot(self) -> Any:  # noqa: ANN401 - a context with the process
        return adjutant(self._wire, self._folder, claim=1, before=MORTAL.format(death=str(self._death)))

    async def _finish(self, number: int) -> None:
        """Press Resolve once more, have the digest told if that is left, and wait for the posts."""
        await self._press("gm resolve", "resolve")
        if self._digests() <= number:
            await self._press("update show", "digest")
        await until(lambda: self._count("select count(*) from post where state = 'queued'") == 0)

    async def _press(self, command: str, deed: str) -> None:
        """Use a command, and press what it offers for a deed, if it does."""
        shown = await answered(self._wire.slash(command))
        if "custom_id" in json.dumps(shown.answers):
            await answered(self._wire.click(shown.answers[-1], button(shown, deed)))

    async def _require_once(self, number: int) -> None:
        """Claim that all orders are resolved, each once in a phase, and told in one digest, and that each post was sent once."""
        database = Database(f"sqlite:///{self._folder / 'wire.db'}")
        ledger, orders = await database.read(_ledger)
        rolled = Counter((order, body["phase"]) for body in ledger if "orders" in body for order in body["orders"])
        assert max(rolled.values()) == 1
        assert len(orders) == len(ORDERS)
        assert all(item.done or item.lapsed is not None for item in orders)
        assert self._digests() == number + 1
        posts, places = (
            Counter(channel for (channel,) in self._rows("select channel_id from post where kind <> 'audit'")),
            self._wire.place,
        )
        assert posts == {places.results: len(self._wire.messages), places.staff: len(self._wire.among_staff)}
        assert [item.faults for item in await audit.check_ledgers(database, KINDS)] == [()]
        await database.close()

    def _digests(self) -> int:
        return self._count("select count(*) from entry where kind = 'digest'")

    def _count(self, query: str) -> int:
        return int(self._rows(query)[0][0])

    def _rows(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(self._folder / "wire.db")) as file:
            return file.execute(query).fetchall()


def _ledger(tx: Connection) -> tuple[list[Mapping[str, Any]], list[StandingOrder]]:
    """Read the bodies of all entries, and the orders."""
    campaign = campaigns.get_campaign(tx, 1)
    assert campaign is not None
    return [entry.content() for entry in entries.walk_entries(tx, 1)], all_orders(tx, campaign)


def button(shown: Use, deed: str) -> str:
    """The id of the button of an answer for a deed."""
    return str(press(SimpleNamespace(**shown.answers[-1]), deed))


async def answered(act: Any) -> Use:  # noqa: ANN401 - a use that is to come
    """Wait until a use is answered, and return it."""
    use: Use = await act
    await asyncio.wait_for(use.answered.wait(), LIMIT)
    return use


async def until(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(LIMIT):
        while not true():  # noqa: ASYNC110 - what is awaited is spread over another process
            await asyncio.sleep(0.05)


async def rounds(folder: Path, points: list[str]) -> int:
    """Play as many rounds as there are points; gives in how many the bot was killed."""
    async with serving(Wire(await settle(folder))) as wire:
        killing = Killing(wire, folder)
        return sum([await killing.round(number, point) for number, point in enumerate(points)])
