"""What an act costs compared with the same act of a plain bot, each bot a process, over a loopback socket.

CPU time is that of the bot's process for each act. A wait goes from the event on the gateway to the first answer. The acts of the
two take turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

from tests.bench import start
from tests.bench.load import Card
from tests.bench.stub import serving
from tests.wire.server import Use, Wire, adjutant, bot_process, place

LIMIT = 10.0
REST = 0.03
"""Seconds between two acts, in which a bot finishes what it does behind an answer."""

REACHES = {
    "ping": (1.15, 1.1),
    "patrol at once": (1.5, 1.3),
    "card opened": (1.8, 1.9),
    "card changed": (1.8, 1.9),
}
"""How many times the plain bot's CPU time and wait each act may cost."""

START, MEMORY = 1.15, 8.0
"""How many times its start may take, and how many MiB more are held after all acts."""

Act = Callable[[int], Awaitable[Use]]


@dataclass(slots=True)
class Bot:
    """A running bot: its process, its acts, and of each round CPU milliseconds and median waits by act."""

    process: psutil.Process
    acts: Mapping[str, Act]
    cpu: dict[str, list[float]] = field(default_factory=dict)
    waits: dict[str, list[float]] = field(default_factory=dict)
    turn: int = 0

    async def use(self, name: str, times: int) -> None:
        """Do an act a number of times, and note what it costs."""
        begun, waits = self._spent(), []
        for _ in range(times):
            self.turn += 1
            waits.append((await answered(self.acts[name](self.turn))).waited * 1000)
            await asyncio.sleep(REST)
        self.cpu.setdefault(name, []).append((self._spent() - begun) / times * 1000)
        self.waits.setdefault(name, []).append(median(waits))

    def _spent(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    @property
    def mib(self) -> float:
        """Its resident memory."""
        return float(self.process.memory_info().rss) / 2**20


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that both do: what it costs Adjutant and the plain bot (`both`), and the reach of the ratio or of the difference."""

    what: str
    both: Sequence[float]
    reach: float
    over: bool = False

    @property
    def value(self) -> float:
        """How many times as much, or how much more."""
        ours, plain = self.both
        return ours - plain if self.over else ours / plain


async def measure(folder: Path, rounds: int, times: int, starts: int) -> list[Row]:
    """Return what each act costs in `rounds` of a number of times each, and what memory and start do."""
    async with AsyncExitStack() as stack:
        both = [await stack.enter_async_context(running(folder)) for running in (_adjutant, _plain)]
        for _ in range(1 + rounds):
            for name in REACHES:
                for bot in both:
                    await bot.use(name, times)
        rows = [row for name in REACHES for row in _rows(name, *both)]
        rows.append(Row("memory, MiB", [bot.mib for bot in both], MEMORY, over=True))
    programs = (start.ADJUTANT, start.PLAIN)
    bases = [folder / f"start-{place}.db" for place, _ in enumerate(programs)]
    await start.start(start.ADJUTANT, bases[0])  # the first one migrates
    taken = [[await start.start(*started) for started in zip(programs, bases, strict=True)] for _ in range(starts)]
    return [*rows, Row("start until ready, s", [*map(median, zip(*taken, strict=True))], START)]


def _rows(name: str, *both: Bot) -> list[Row]:
    kinds = ("CPU ms", [bot.cpu for bot in both]), ("p50 ms", [bot.waits for bot in both])
    return [
        Row(f"{name}, {kind}", [median(rounds[name][1:]) for rounds in spent], reach)
        for (kind, spent), reach in zip(kinds, REACHES[name], strict=True)
    ]


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    head = "| | Adjutant | plain bot | | reach |\n|---|--:|--:|--:|--:|\n"
    return head + "\n".join(
        f"| {row.what} | {row.both[0]:.2f} | {row.both[1]:.2f} | {row.value:{'+' if row.over else ''}.2f} | {row.reach:g} |"
        for row in rows
    )


@asynccontextmanager
async def _adjutant(folder: Path) -> AsyncIterator[Bot]:
    async with serving(Wire(await place(folder))) as wire, adjutant(wire, folder, claim=None) as process:
        yield Bot(psutil.Process(process.pid), await _acts(wire))


@asynccontextmanager
async def _plain(folder: Path) -> AsyncIterator[Bot]:
    at = folder / "plain"
    at.mkdir()
    wire = Wire(await place(at))
    settings = {"results": str(wire.place.results), "member": str(wire.place.gm["user"]["id"])}
    settings["database_url"] = f"sqlite:///{at / 'plain.db'}"
    async with serving(wire), bot_process(wire, at, start.PLAIN, **settings) as process:
        yield Bot(psutil.Process(process.pid), await _acts(wire))


async def _acts(wire: Wire) -> Mapping[str, Act]:
    card = Card(wire, await answered(wire.slash("patrol", patrol="Card", target="Changing")))
    return {
        "ping": lambda _: wire.slash("ping"),
        "patrol at once": lambda turn: wire.slash("patrol", patrol=f"Patrol {turn}", target="Ghost", roll="now"),
        "card opened": lambda turn: wire.slash("patrol", patrol=f"Open {turn}", target="Ghost"),
        "card changed": lambda _: card.change(),
    }


async def answered(act: Awaitable[Use]) -> Use:
    """Return a use once it is answered."""
    use = await act
    await asyncio.wait_for(use.answered.wait(), LIMIT)
    return use
