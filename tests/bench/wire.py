"""What a person waits for over a real socket, with the bot as a process of its own, beside `/ping` of the same process.

A wait goes from the event on the gateway to the first answer that arrives.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from tests.bench.load import Card
from tests.bench.stub import serving
from tests.wire.server import Use, Wire, adjutant, place

LIMIT = 10.0
REST = 0.03
"""Seconds in which the bot finishes what it does behind an answer."""

Act = Callable[[int], Awaitable[Use]]


async def measure(folder: Path, rounds: int, warm_up: int) -> dict[str, float]:
    """Median milliseconds of each act, taken in turns."""
    async with serving(Wire(await place(folder))) as wire, adjutant(wire, folder, claim=None):
        card = Card(wire, await _answered(wire.slash("patrol", patrol="Card", target="Changing")))
        acts: dict[str, Act] = {
            "ping": lambda _: wire.slash("ping"),
            "patrol_now": lambda turn: wire.slash("patrol", patrol=f"Patrol {turn}", target="Ghost", roll="now"),
            "card_open": lambda turn: wire.slash("patrol", patrol=f"Open {turn}", target="Ghost"),
            "card_change": lambda _: card.change(),
        }
        spent: dict[str, list[float]] = {name: [] for name in acts}
        for turn in range(warm_up + rounds):
            for name, act in acts.items():
                use = await _answered(act(turn))
                if turn >= warm_up:
                    spent[name].append(use.waited * 1000)
    return {name: median(times) for name, times in spent.items()}


async def _answered(act: Awaitable[Use]) -> Use:
    use = await act
    await asyncio.wait_for(use.answered.wait(), LIMIT)
    await asyncio.sleep(REST)
    return use
