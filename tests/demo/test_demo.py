"""The demo: its world, its process, its page."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import simcord

from bot.app import create_bot
from bot.config import Settings
from bot.demo.world import World, build, seed
from tests.support.reading import newest, press, response, said, text
from tests.support.world import BOOKS

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CALM = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


async def seeded(data: Path) -> tuple[World, str]:
    """Build and seed the demo's world on a data folder without a fault; the world, and what `/ledger list` shows."""
    bot = create_bot(Settings(database_url=f"sqlite:///{data / 'demo.db'}"), books=BOOKS)
    try:
        async with simcord.run(bot) as env:
            world = build(env)
            await seed(world)
            listed = said(await world.game_master.slash(world.orders, "ledger list"))
            simcord.assert_no_errors(env)
    finally:
        await bot.database.close()
    return world, listed


async def test_the_seven_things_to_try_work(tmp_path: Path) -> None:
    """A newcomer who does what the greeting says rolls as game master and as player, and publishes a result."""
    bot = create_bot(Settings(database_url=f"sqlite:///{tmp_path / 'demo.db'}"), books=BOOKS)
    try:
        async with simcord.run(bot) as env:
            world = build(env)
            await seed(world)
            mara, jonas = world.game_master, world.players[0]
            targets = "Grey Ghost:neutral, Zaku column"
            card = response(await mara.slash(world.orders, "patrol", patrol="Blockade Kilo", target=targets))
            await mara.click(card, custom_id=press(card, "roll"))
            assert "Rolled: entry #29" in text(card)
            card = response(await jonas.slash(world.orders, "scout", scouter="Jonas", base="Fort Anvil"))
            await jonas.click(card, custom_id=press(card, "roll"))
            assert "Rolled: entry #30" in text(card)
            assert "#30" in said(await mara.slash(world.orders, "ledger list"))
            assert "Weather of week 13" in text(response(await mara.slash(world.orders, "weather rollover")))
            history = response(await mara.slash(world.orders, "weather history"))
            weeks = said(await mara.click(history, label="Details"))
            assert [f"**Week {week}**" for week in range(12, 0, -1)] == re.findall(r"\*\*Week \d+\*\*", weeks)
            card = response(
                await mara.slash(world.orders, "scout", scouter="Priya", base="Fort Teak", region="Sri Lanka")
            )
            assert "(weather, week 12)" in text(card)
            # The dice are real, and an interrogation can kill: the escape is declared first.
            assert "Kai Brandt" in said(await jonas.slash(world.orders, "escape", captive="Kai Brandt"))
            names = {"captive": "Kai Brandt", "interrogators": "Colonel Haas"}
            card = response(await mara.slash(world.orders, "interrogate", **names))
            await mara.click(card, custom_id=press(card, "roll"))
            assert "Rolled: entry #32" in text(card)
            entry = response(await mara.slash(world.orders, "ledger show", number=18))
            published = await mara.click(entry, custom_id="publish:1:18")
            assert "is public" in said(published)
            assert "Fort Basalt" in text(newest(world.results))
            assert "Rolled" in said(await mara.slash(world.orders, "events roll"))
            assert "Goblin Gorge" in text(newest(world.results))
            assert "Goblin Gorge" in said(await jonas.slash(world.orders, "events active"))
            await jonas.slash(world.orders, "infinity versus", mine=13, my_mods="-3", opponent=world.players[1])
            assert "A challenge" in text(newest(world.orders))
            assert "Rolled" in said(await jonas.slash(world.orders, "roll", expression="4d6kh3"))
            simcord.assert_no_errors(env)
    finally:
        await bot.database.close()


async def test_kept_data_fits_again(tmp_path: Path) -> None:
    """The second start on the same folder finds its campaign by the same ids, and enters nothing twice."""
    first, begun = await seeded(tmp_path)
    second, kept = await seeded(tmp_path)
    assert "**#28**" in begun
    assert kept == begun
    assert (first.orders.id, first.game_master.id) == (second.orders.id, second.game_master.id)


@dataclass
class Demo:
    """A running demo: its process, what it printed, and the addresses among that."""

    process: subprocess.Popen[str]
    printed: str

    @property
    def addresses(self) -> list[str]:
        """The addresses that it printed, in order."""
        return re.findall(r"http://\S+", self.printed)

    def interrupt(self) -> int:
        """Press Ctrl-C, and the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=20)


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody listens on, below those that the system gives out by itself."""
    first = 20_000 + os.getpid() % 1_000 * 10  # each worker looks elsewhere
    for port in range(first, first + 2_000, count):
        with ExitStack() as stack, suppress(OSError):
            for place in range(count):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port + place))
            return port
    pytest.fail("no ports are free")


@contextmanager
def demo(data: Path) -> Iterator[Demo]:
    """`adjutant demo` as a process of its own, once it has said that it is there."""
    port = free_ports(3)
    command = [sys.executable, "-m", "bot", "demo", "--port", str(port), "--data", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:  # noqa: S603 - our own words
        assert process.stdout is not None
        printed = ""
        try:
            for line in process.stdout:
                printed += line
                if "Stop with Ctrl-C" in line:
                    break
            assert f"127.0.0.1:{port}" in printed or f"localhost:{port}" in printed, printed
            yield Demo(process, printed)
        finally:
            process.kill()


def test_the_demo_says_where_it_is_and_ends_well(tmp_path: Path) -> None:
    """It prints addresses that answer on loopback and eight things to try, and ends with 0 when interrupted."""
    with demo(tmp_path) as running:
        assert re.findall(r"^ +(\d)\. ", running.printed, re.MULTILINE) == ["1", "2", "3", "4", "5", "6", "7", "8"]
        for command in ("/patrol", "/scout", "/ledger", "/events", "/infinity", "/roll", "/table"):
            assert command in running.printed
        assert running.addresses
        for address in running.addresses:
            assert address.startswith(("http://127.0.0.1:", "http://localhost:"))
            with urllib.request.urlopen(address.partition("#")[0], timeout=10) as answer:  # noqa: S310 - loopback
                assert answer.status == 200
        assert running.interrupt() == 0
    assert (tmp_path / "demo.db").exists()


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
def test_the_page_shows_the_seeded_server(tmp_path: Path) -> None:
    """A headless Chromium that opens the results channel sees the patrol that was seeded."""
    with demo(tmp_path / "data") as running:
        results = running.addresses[1]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [str(CHROMIUM), *CALM, profile, "--virtual-time-budget=8000", "--dump-dom", results]
        page = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout  # noqa: S603 - our own words
        assert "Mara the GM" in page
        assert "results" in page
        assert running.interrupt() == 0
