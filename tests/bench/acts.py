"""What a person waits for, beside a bare `/ping` of the same bot in the same simulated server.

An act is timed from the person's press to the bot's last request to Discord: its answer, or the post that goes with it.
What simcord does after that does not count; its settling sleeps for 50 ms whenever a task ends in the same turn of the
event loop in which it looks.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

import simcord
from simcord.http import router

from bot.dice.system import SystemDice
from tests.bot.reading import control, press, response
from tests.bot.world import World, running

WARM_UP = 3
Act = Callable[[int], Awaitable[object]]


class Requests:
    """Notes when the bot's last request to Discord was answered."""

    def __init__(self) -> None:
        self.last = 0.0
        self._dispatch = router.dispatch
        router.dispatch = self._note

    def _note(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - simcord's own signature
        answer = self._dispatch(*args, **named)
        self.last = time.perf_counter()
        return answer


async def measure(folder: Path, rounds: int) -> dict[str, float]:
    """Median milliseconds of each act, taken in turns so that the machine's mood falls on all alike."""
    async with running(folder / "bench.db") as world:
        requests = Requests()
        world.dice.roll = SystemDice().roll  # type: ignore[method-assign]
        acts = await _acts(world)
        spent: dict[str, list[float]] = {name: [] for name in acts}
        for turn in range(rounds + WARM_UP):
            for name, act in acts.items():
                begun = time.perf_counter()
                await act(turn)
                if turn >= WARM_UP:
                    spent[name].append((requests.last - begun) * 1000)
    return {name: median(times) for name, times in spent.items()}


async def _acts(world: World) -> dict[str, Act]:
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Card", target="Changing"))
    return {
        "ping": lambda _: world.gm.slash(world.orders, "ping"),
        "patrol_now": lambda turn: world.gm.slash(
            world.orders, "patrol", patrol=f"Patrol {turn}", target="Grey Ghost", roll="now"
        ),
        "card_open": lambda turn: world.gm.slash(world.orders, "patrol", patrol=f"Open {turn}", target="Grey Ghost"),
        "card_change": lambda turn: _change(world, card, turn),
    }


async def _change(world: World, card: simcord.ResponseMessage, turn: int) -> object:
    options = control(card, "tick:target:0")["options"]
    values = [option["value"] for option in options[: turn % 2]]
    return await world.gm.select(card, values, custom_id=press(card, "tick:target:0"))
