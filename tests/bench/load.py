"""What people wait for while many use the bot at once: `uv run python -m tests.bench.load [--rate 50] [--seconds 600] [--only patrol]`.

The bot is a process of its own behind a fake Discord on loopback, which this process serves and from which it uses commands
and cards at a steady rate, whether answers come or not. Prints one JSON object: the waits to the first answer, what was not
answered or answered with an excuse, and the memory of the bot after its first minute and at the end. Exits 1 when a figure is
out of reach. `--find` looks for the most uses a second at which the waits are bearable.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from types import SimpleNamespace
from typing import Any

import psutil

from tests.bench.stub import serving
from tests.support.reading import control, press
from tests.wire.server import Use, Wire, adjutant, place

MIX = {"patrol": 40, "card": 30, "escape": 10, "ledger": 10, "weather": 5, "rest": 5}
"""How many of a hundred uses are of each kind."""

CARDS, CAPTIVES, UNITS, PATROLS = 20, 20, 20, 2000
NOTE = "Under load"
"""Why a patrol is rolled although its stop is used up: without it, more and more would be refused instead of rolled."""

READS = ("ping", "gm effect", "update show", "unit", "captives")
REACH_MS, BEARABLE_MS, GROWTH_MIB, LIMIT = 80.0, 300.0, 3.0, 30.0
SETTLED, STEP = 60.0, 1.05
"""Seconds after which the memory of the bot is to stay as it is; by how much `--find` goes on."""

EXCUSES = ("Something went wrong", "Reference")


@dataclass(slots=True)
class Load:
    """Uses of a bot, as they are made one after the other."""

    wire: Wire
    cards: list[Card]
    mix: Mapping[str, int]
    chance: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - the same mix again
    uses: list[tuple[str, Use]] = field(default_factory=list)

    async def run(self, rate: float, seconds: float) -> None:
        """Make so many uses a second, at their times."""
        begun, acts = time.perf_counter(), self._acts()
        kinds = self.chance.choices([*self.mix], [*self.mix.values()], k=round(rate * seconds))
        for number, kind in enumerate(kinds):
            await asyncio.sleep(begun + number / rate - time.perf_counter())
            self.uses.append((kind, await acts[kind](len(self.uses))))

    def _acts(self) -> dict[str, Callable[[int], Awaitable[Use]]]:
        wire = self.wire
        return {
            "patrol": lambda n: wire.slash(
                "patrol", patrol=f"Patrol {n % PATROLS}", target=f"G {n // PATROLS}", roll="now", note=NOTE
            ),
            "card": lambda n: self.cards[n % CARDS].change(),
            "escape": lambda n: wire.slash("escape", captive=f"Captive {n % CAPTIVES}"),
            "ledger": lambda _: wire.slash("ledger"),
            "weather": lambda _: wire.slash("forecast", view="past"),
            "rest": lambda n: wire.slash(READS[n % len(READS)]),
        }


@dataclass(slots=True)
class Card:
    """A roll card as it was shown last, whose first line about the target is ticked and unticked in turns."""

    wire: Wire
    shown: Use
    turn: int = 0

    async def change(self) -> Use:
        """Tick or untick, on what the newest answer shows."""
        await asyncio.wait_for(self.shown.answered.wait(), LIMIT)
        message, self.turn = self.shown.answers[-1], self.turn + 1
        select = control(SimpleNamespace(**message), "tick:target:0")
        values = [option["value"] for option in select["options"][: self.turn % 2]]
        self.shown = await self.wire.select(message, select["custom_id"], *values)
        return self.shown


async def under(folder: Path, rate: float, seconds: float, mix: Mapping[str, int] = MIX) -> dict[str, Any]:
    """Return the figures of a bot with a fresh campaign under a load."""
    async with serving(Wire(await place(folder))) as wire, adjutant(wire, folder, claim=None) as process:
        load = Load(wire, await _prepared(wire), mix)
        memory = asyncio.create_task(_memory(process.pid, seconds))
        await load.run(rate, seconds)
        await asyncio.wait([asyncio.ensure_future(use.answered.wait()) for _, use in load.uses], timeout=LIMIT)
        settled, held = await memory
    return _figures(load.uses, rate, held - settled)


async def _prepared(wire: Wire) -> list[Card]:
    """Let there be something to list, and open the cards."""
    (coming,) = (await _answered(await wire.slash("weather rollover"))).answers
    await _answered(await wire.click(coming, press(SimpleNamespace(**coming), "roll")))
    for number in range(UNITS):
        await _answered(await wire.slash("roster add", name=f"Patrol {number}", kind="squad", side="Zeon"))
    for number in range(CAPTIVES):
        await _answered(await wire.slash("capture", captive=f"Captive {number}", by="Zeon", at="Prison"))
    opened = [await wire.slash("patrol", patrol=f"Card {number}", target="Ghost") for number in range(CARDS)]
    return [Card(wire, await _answered(use)) for use in opened]


async def _answered(use: Use) -> Use:
    await asyncio.wait_for(use.answered.wait(), LIMIT)
    return use


async def _memory(pid: int, seconds: float) -> tuple[float, float]:
    """Return the memory (MiB) of a process once it has settled, and at the end."""
    first = min(SETTLED, seconds / 2)
    await asyncio.sleep(first)
    settled = _held(pid)
    await asyncio.sleep(seconds - first)
    return settled, _held(pid)


def _held(pid: int) -> float:
    return float(psutil.Process(pid).memory_full_info().uss) / 2**20


def _figures(uses: Sequence[tuple[str, Use]], rate: float, growth: float) -> dict[str, Any]:
    answered = [(kind, use.waited * 1000) for kind, use in uses if use.heard_at]
    excuses = Counter(kind for kind, use in uses if any(word in json.dumps(use.answers) for word in EXCUSES))
    unanswered = len(uses) - len(answered)
    waits = [waited for _, waited in answered]
    percentiles = _percentiles(waits)
    figures = {
        "uses_per_second": rate,
        "uses": len(uses),
        "unanswered": unanswered,
        "excuses": dict(excuses),
        "wait_ms": percentiles,
        "wait_ms_by_kind": {
            kind: _percentiles([waited for of, waited in answered if of == kind]) for kind in dict.fromkeys(dict(uses))
        },
        "growth_mib": round(growth, 1),
        "load_average": round(os.getloadavg()[0], 1),
    }
    within = not unanswered and not excuses and growth < GROWTH_MIB and percentiles["p99"] < REACH_MS
    return {**figures, "within": within}


def _percentiles(waits: Sequence[float]) -> dict[str, float]:
    cut = quantiles(waits, n=100, method="inclusive") if len(waits) > 1 else [*waits] * 99
    return {f"p{at}": round(cut[at - 1], 1) for at in (50, 95, 99)} | {"most": round(max(waits), 1)} if cut else {}


def _measure(rate: float, seconds: float, mix: Mapping[str, int]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        return asyncio.run(under(Path(name), rate, seconds, mix))


def _find(rate: float, seconds: float, mix: Mapping[str, int]) -> float:
    """Return the highest rate, in steps of a twentieth, at which all is answered and the waits are bearable."""
    while True:
        figures = _measure(rate, seconds, mix)
        if figures["unanswered"] or figures["excuses"] or figures["wait_ms"]["p99"] > BEARABLE_MS:
            return rate / STEP
        rate *= STEP


def main(rate: float, seconds: float, mix: Mapping[str, int], *, find: bool) -> int:
    """Measure and print; return 1 when a figure is out of reach."""
    if find:
        sys.stdout.write(f"{_find(rate, seconds, mix):.0f} uses a second\n")
        return 0
    figures = _measure(rate, seconds, mix)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    return int(not figures["within"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__)
    parser.add_argument("--rate", type=float, default=50, help="uses a second, with --find those to begin with")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--only", choices=MIX, help="only uses of this kind")
    parser.add_argument(
        "--find", action="store_true", help="find the most uses a second of which 99 in 100 wait at most 300 ms"
    )
    given = parser.parse_args()
    chosen = {given.only: 1} if given.only else MIX
    raise SystemExit(main(given.rate, given.seconds, chosen, find=given.find))
