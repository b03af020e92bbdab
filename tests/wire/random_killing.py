"""A bot that is killed at any moment while people roll, and started again."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bot.app import KINDS
from bot.core import audit
from bot.core.database import Database
from tests.bench.stub import serving
from tests.wire.server import Use, Wire, adjutant, place

ROLLING = 6
"""How many people roll, each as soon as they are answered."""

MOST = 40
"""Answers and posts after which it is killed at the latest."""

LIMIT = 120.0


async def rolling(wire: Wire, uses: list[Use]) -> None:
    """Roll again and again, as long as there are answers."""
    while True:
        use = await wire.slash("patrol", patrol=f"Patrol {len(uses)}", target="Ghost", to="results", roll="now")
        uses.append(use)
        await use.answered.wait()


async def rounds(folder: Path, number: int, seed: int) -> tuple[int, int]:
    """Kill a bot so often, claim that nothing is lost or doubled; return how many rolls were told, and how many were entered."""
    moments, uses = random.Random(seed), list[Use]()  # noqa: S311 - when it is killed is to be the same again
    async with serving(Wire(await place(folder))) as wire:
        for _ in range(number):
            async with adjutant(wire, folder, claim=1) as process:
                people = [asyncio.ensure_future(rolling(wire, uses)) for _ in range(ROLLING)]
                enough = len(wire.log) + moments.randint(0, MOST)
                async with asyncio.timeout(LIMIT):
                    while len(wire.log) < enough:  # noqa: ASYNC110 - another process sends them
                        await asyncio.sleep(moments.uniform(0, 0.02))
                process.kill()
                for person in people:
                    person.cancel()
        async with adjutant(wire, folder, claim=1):
            await _sent(folder)
    told = [use.entry for use in uses if "Rolled: entry #" in json.dumps(use.answers)]
    entered = [row for (row,) in _rows(folder, "select number from entry where kind = 'roll' order by number")]
    require_once(told, entered, wire.posted())
    database = Database(f"sqlite:///{folder / 'wire.db'}")
    checked = await audit.check_ledgers(database, KINDS)
    await database.close()
    assert [item.faults for item in checked] == [()]
    return len(told), len(entered)


def require_once(told: Sequence[int], entered: Sequence[int], posted: Sequence[int]) -> None:
    """Claim that each roll that was told is entered, and each that is entered was told once at most and posted once."""
    assert [number for number, times in Counter(told).items() if times > 1] == []
    assert [number for number, times in Counter(posted).items() if times > 1] == []
    assert set(told) <= set(entered)
    assert set(posted) == set(entered)


async def _sent(folder: Path) -> None:
    """Wait until nothing is left to post."""
    async with asyncio.timeout(LIMIT):
        while _rows(folder, "select id from post where state = 'queued'"):  # noqa: ASYNC110 - another process sends it
            await asyncio.sleep(0.1)


def _rows(folder: Path, query: str) -> list[tuple[int]]:
    with closing(sqlite3.connect(folder / "wire.db")) as file:
        return file.execute(query).fetchall()
