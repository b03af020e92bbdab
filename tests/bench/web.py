"""What readers of a public site wait for, and what `/patrol` does beside them.

Bot and `adjutant web` are processes of their own on one database. Readers share this process, each request as another
reader behind a proxy. Uncached pages are read once each.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import sqlalchemy as sa

from bot.core.schema import campaign
from tests.bench.stub import serving
from tests.wire.server import Use, Wire, adjutant, place

NAME, LIMIT = "bench", 20.0
WEB = "import sys; from bot.cli import main; sys.exit(main(['web']))"
FRONT = ("", "updates/", "updates/1", "log", "roster", "luck", "rules/", "feed.atom")
"""Pages that are read from the cache."""

STEADY, STARTING = 1_000, 200
"""Requests a second while patrols are rolled, and tenths of a second until the site answers."""

Send = Callable[[str], Awaitable[int]]


@dataclass(slots=True)
class Readers:
    """Connections to a site, and how long each answer took, in milliseconds."""

    port: int
    waits: list[float] = field(default_factory=list)
    numbers: Iterable[int] = field(default_factory=itertools.count)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Send]:
        """Yield what sends a request and returns the status."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)

        async def send(path: str) -> int:
            number, begun = next(iter(self.numbers)), time.perf_counter()
            address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            head = f"GET /{NAME}/{path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {address}\r\n\r\n"
            writer.write(head.encode())
            status, *lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            (length,) = (int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length"))
            await reader.readexactly(length)
            self.waits.append((time.perf_counter() - begun) * 1000)
            return int(status.split()[1])

        try:
            yield send
        finally:
            writer.close()
            await writer.wait_closed()

    async def read(self, paths: Iterable[str], at_once: int) -> tuple[float, float]:
        """Read pages over some connections; return milliseconds for each, and the wait at the 99th percentile."""
        waiting, self.waits, begun = iter(paths), [], time.perf_counter()

        async def follow() -> None:
            async with self.connection() as send:
                for path in waiting:
                    status = await send(path)
                    assert status == 200, (path, status)

        await asyncio.gather(*(follow() for _ in range(at_once)))
        spent = (time.perf_counter() - begun) * 1000
        return spent / len(self.waits), quantiles(self.waits, n=100)[98]

    async def read_steadily(self, rate: float) -> None:
        """Read cached pages at a rate, until cancelled."""
        async with self.connection() as send:
            begun = time.perf_counter()
            for number, path in enumerate(itertools.cycle(FRONT)):
                await asyncio.sleep(begun + number / rate - time.perf_counter())
                await send(path)


async def measure(folder: Path, pages: int, cached: int, rounds: int, times: int) -> Mapping[str, Sequence[float]]:
    """Return for `cached` and `uncached` milliseconds for each page and the 99th percentile, and patrols' waits beside readers and alone."""
    async with serving(Wire(await place(folder))) as wire, adjutant(wire, folder, claim=None):
        for number in range(pages):
            await _roll(wire, number)
        _turn_on(folder)
        async with _site(folder) as port:
            readers = Readers(port)
            once = [path for number in range(5, pages) for path in (str(number), f"log?before={number}")]
            await readers.read(FRONT, 1)
            found = {"uncached": await readers.read(once, 2)}
            await readers.read(FRONT, 1)
            found["cached"] = await readers.read(itertools.islice(itertools.cycle(FRONT), cached), 8)
            found["patrol"] = await _roll_beside(wire, readers, rounds, times)
    return found


async def _roll_beside(wire: Wire, readers: Readers, rounds: int, times: int) -> tuple[float, float]:
    waits: dict[bool, list[float]] = {True: [], False: []}
    numbers = itertools.count(10_000)
    await _roll(wire, next(numbers))
    for beside in (False, True) * rounds:
        reading = asyncio.create_task(readers.read_steadily(STEADY)) if beside else None
        waits[beside] += [await _roll(wire, next(numbers)) for _ in range(times)]
        if reading:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
    return median(waits[True]), median(waits[False])


async def _roll(wire: Wire, number: int) -> float:
    use: Use = await wire.slash("patrol", patrol=f"Patrol {number}", target="Ghost", roll="now", to="results")
    await asyncio.wait_for(use.answered.wait(), LIMIT)
    await asyncio.sleep(0.02)  # for what a bot finishes behind an answer
    return use.waited * 1000


def _turn_on(folder: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{folder / 'wire.db'}")
    with engine.begin() as connection:
        connection.execute(campaign.update().values(site=NAME, site_on=True))
    engine.dispose()


@asynccontextmanager
async def _site(folder: Path) -> AsyncIterator[int]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {"PATH": os.environ["PATH"], "DATABASE_URL": f"sqlite:///{folder / 'wire.db'}", "WEB_PORT": str(port)}
    with (folder / "web.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", WEB, env=env, stdout=log, stderr=log)
    try:
        for _ in range(STARTING):
            if await _answers(port):
                break
            await asyncio.sleep(0.1)
        yield port
    finally:
        process.terminate()
        await process.wait()


async def _answers(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()
        return True
    return False
