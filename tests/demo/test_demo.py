from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
import simcord
from simcord.preview import _markdown

from bot.app import create_bot
from bot.cli import main
from bot.client import Adjutant
from bot.core.config import Settings
from bot.core.errors import UserError
from bot.demo.game import DemoGame, seed_game
from bot.demo.serve import SiteDoor, key_in, open_windows, serve_site
from bot.demo.world import (
    GAME_MASTER,
    RIVAL,
    SUGGESTIONS,
    Command,
    Suggestion,
    World,
    build,
    forget_commands,
    seed,
    welcome,
)
from bot.web.serving import listen
from rules.dice import DiceTerm, Roll
from tests.architecture.source import ROOT
from tests.support.chromium import CALM, CHROMIUM
from tests.support.reading import components, newest, press, response, said, text
from tests.support.world import BOOKS

NEXT = re.compile(r"Roll|Publish|Switch on|End|Resolve all")
NEXT_SAYS = re.compile(r"Done|Rolled|rolled|is public|is on|has ended|ended|resolved")
"""What is pressed under an answer, and what is said then."""
REFUSALS = {UserError.title, *(kind.title for kind in UserError.__subclasses__())}


@asynccontextmanager
async def _open_demo(data: Path) -> AsyncIterator[World]:
    bot = create_bot(
        Settings(database_url=f"sqlite:///{data / 'demo.db'}", member_limit=None, server_limit=None),
        books=BOOKS,
    )
    try:
        await forget_commands(bot)
        async with simcord.run(bot, shard_count=1) as env:
            world = build(env)
            await seed(world)
            await welcome(world, bot)
            yield world
            simcord.assert_no_errors(env)
    finally:
        await bot.database.close()


async def _seed_demo(data: Path) -> tuple[World, str]:
    async with _open_demo(data) as world:
        return world, said(await world.game_master.slash(world.orders, "ledger"))


GAMES = sorted((ROOT / "docs" / "games").glob("*.toml"))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
async def test_what_the_demo_of_a_game_suggests_works(tmp_path: Path, path: Path) -> None:
    """A file is played at once: its rolls, its orders, and the update with its upkeep."""
    game = DemoGame.read(path)
    bot = create_bot(Settings(database_url=f"sqlite:///{tmp_path / 'demo.db'}"), books=BOOKS)
    try:
        await forget_commands(bot)
        async with simcord.run(bot, shard_count=1) as env:
            world = build(env)
            await seed_game(world, game)
            await seed_game(world, game)
            suggested = [*game.list_suggestions()]
            await welcome(world, bot, game.rules.title, suggested)
            assert len(suggested) > 4
            for item in suggested:
                actor = world.game_master if item.who == GAME_MASTER else world.players[0]
                for command in item.commands:
                    answer = await actor.slash(world.orders, command.name, **command.options)
                    assert answer.response is not None, command
                    shown = answer.response
                    assert not any(embed.title in REFUSALS for embed in shown.embeds), said(answer)
            simcord.assert_no_errors(env)
    finally:
        await bot.database.close()


def test_the_demo_plays_no_file_that_is_no_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is missing, with the line."""
    file = tmp_path / "loot.toml"
    file.write_text('[[table]]\nid = "loot"\n')
    for path, told in ((file, "this isn't a game"), (tmp_path / "gone.toml", "can't be read")):
        assert main(["demo", "--game", str(path)]) == 1
        assert told in capsys.readouterr().err


def test_the_demo_keeps_what_its_secrets_are_encrypted_with(tmp_path: Path) -> None:
    """A second demo can read them; others can't."""
    key = key_in(tmp_path)
    assert (len(key), key_in(tmp_path)) == (32, key)
    assert (tmp_path / "secrets.key").stat().st_mode & 0o077 == 0


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seed the data folder that `kept` copies."""
    data = tmp_path_factory.mktemp("begun")
    world, listed = asyncio.run(_seed_demo(data))
    (data / "begun.txt").write_text(f"{world.orders.id} {world.game_master.id} {listed}")
    return data


@pytest.fixture
def kept(begun: Path, tmp_path: Path) -> Path:
    """Copy a seeded data folder."""
    return Path(shutil.copytree(begun, tmp_path / "kept"))


def _find_member(world: World, name: str) -> simcord.MemberActor:
    return next(item for item in (world.game_master, *world.players) if item.name == name)


def _type_options(world: World, command: Command) -> dict[str, Any]:
    names = {player.name for player in world.players}
    return {
        key: _find_member(world, value)
        if value in names and key == "opponent"
        else int(value)
        if value.isdigit()
        else value
        for key, value in command.options.items()
    }


class _LowDice:
    """Dice that show 1."""

    def roll(self, term: DiceTerm) -> Roll:
        """Return ones."""
        return Roll(term, (1,) * term.count, "scripted")


ALONE = [pytest.param([item], id=item.commands[0].name, marks=pytest.mark.slow) for item in SUGGESTIONS]


@pytest.mark.parametrize(
    "suggestions",
    [pytest.param(SUGGESTIONS[:3], id="first"), pytest.param(SUGGESTIONS, id="all", marks=pytest.mark.slow), *ALONE],
)
async def test_what_the_demo_suggests_works(kept: Path, suggestions: Sequence[Suggestion]) -> None:
    """Each command is answered, singly or in order."""
    async with _open_demo(kept) as world:
        assert isinstance(world.env.bot, Adjutant)
        world.env.bot.resolver.dice = _LowDice()  # or the captive may be dead before he escapes
        for suggestion, command in ((item, command) for item in suggestions for command in item.commands):
            who = _find_member(world, suggestion.who)
            result = await who.slash(getattr(world, suggestion.where), command.name, **_type_options(world, command))
            if result.modal is not None:
                result = await who.submit_modal(result, {"lines": "1-5 It blows up\n6-19 Nothing\n20 Jackpot"})
            shown = response(result)
            assert not any(embed.title in REFUSALS for embed in shown.embeds), text(shown)
            pressed = [item for item in components(shown) if NEXT.match(item.get("label") or "")]
            if pressed:
                told = await who.click(shown, custom_id=pressed[0]["custom_id"])
                if told.response and "sure" in str(told.response.components):  # something is unspent, and asked about
                    told = await who.click(told.response, custom_id=press(told.response, "sure"))
                assert NEXT_SAYS.search(said(told) if told.response else text(shown)), text(shown)


@pytest.mark.slow
async def test_a_challenge_of_the_demo_is_answered_by_the_one_who_is_named(kept: Path) -> None:
    """Priya finds its button in #orders."""
    async with _open_demo(kept) as world:
        (suggestion,) = [item for item in SUGGESTIONS if item.commands[0].name == "infinity versus"]
        command = suggestion.commands[0]
        await _find_member(world, suggestion.who).slash(world.orders, command.name, **_type_options(world, command))
        rival = _find_member(world, RIVAL)
        window = await rival.click(newest(world.orders), custom_id=press(newest(world.orders), "answer"))
        assert window.modal is not None


async def test_the_demo_opens_on_a_short_welcome(tmp_path: Path) -> None:
    """It's dated today and the only post in #orders."""
    async with _open_demo(tmp_path) as world:
        (message,) = world.orders.history()
        told = text(message)
        assert "type `/` and pick a command" in told
        assert str(SUGGESTIONS[0].commands[0]) in told
        assert f"<#{world.results.id}>" in told
        assert len(told) < 1000
        assert abs(message.created_at - datetime.now(UTC)) < timedelta(minutes=5)
        assert all(abs(item.created_at - datetime.now(UTC)) < timedelta(days=1) for item in world.results.history())
        # Answers from making the campaign are in #setup, which has no page.
        assert [item.id for item in world.env.backend.messages[world.orders.id].values()] == [message.id]


@pytest.mark.slow
async def test_the_demo_has_a_public_site(kept: Path) -> None:
    """Results of its campaign are read there; without Jinja2 one line says what to install."""
    async with _open_demo(kept) as world:
        bot, door = world.env.bot, SiteDoor.bind(listen, None)
        assert isinstance(bot, Adjutant)
        async with serve_site(bot, door) as site, aiohttp.ClientSession() as client, client.get(site) as answer:
            assert site == f"{door.address}/iron-sea/"
            page = await answer.text()
        assert "#39" in page
        async with serve_site(bot, None) as site:
            assert site == "needs Jinja2: pip install 'adjutant[web]'"


def test_embeds_are_read_as_discord_reads_them() -> None:
    """Mentions show names."""
    assert {"embed_description", "embed_field_value"} <= set(_markdown._FIELD_POLICIES)


@pytest.mark.slow
async def test_kept_data_fits_again(kept: Path) -> None:
    """A second start enters nothing twice."""
    begun = (kept / "begun.txt").read_text()
    world, listed = await _seed_demo(kept)
    assert "**#39**" in begun
    assert f"{world.orders.id} {world.game_master.id} {listed}" == begun


@dataclass
class _Demo:
    """A running demo and its output."""

    process: subprocess.Popen[str]
    printed: str

    @property
    def addresses(self) -> list[str]:
        """The printed addresses, in order."""
        return re.findall(r"http://\S+", self.printed)

    def interrupt(self) -> int:
        """Press Ctrl-C; return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


@pytest.mark.slow
async def test_the_demo_has_orders_that_can_be_resolved_at_once(tmp_path: Path) -> None:
    """The board names who's missing; Resolve posts a digest."""
    async with _open_demo(tmp_path) as world:
        mara = world.game_master
        board = next(item for item in world.staff.history() if "Orders: Update 1" in text(item))
        assert "Waiting for 2:** Kai Brandt and Rook" in text(board)
        assert isinstance(world.env.bot, Adjutant)
        world.env.bot.resolver.dice = _LowDice()  # a catch leaves a battle that the digest waits for
        plan = response(await mara.click(board, custom_id=press(board, "plan")))
        assert "against **Vesna**" in text(plan)
        assert "resolved" in said(await mara.click(plan, custom_id=press(plan, "resolve")))
        digest = newest(world.results)
        assert "Results: Update 1" in text(digest)
        assert "Weather of week 12" in text(digest)
        await world.env.bot.keep_up()
        board = next(item for item in world.staff.history() if item.id == board.id)
        assert "Assault a base, Fort Teak (#" in text(board)


@pytest.mark.slow
async def test_a_thread_of_the_demo_gets_a_page_of_its_own(kept: Path) -> None:
    """Served once, to its channel's people."""
    async with _open_demo(kept) as world:
        viewers = (world.game_master, *world.players)
        async with open_windows(world.env, [(world.orders, viewers)], None) as pages:
            before = {name for name, _ in await pages.open_new(world.empty, world.newcomers[0])}
            channel = world.env.bot.get_channel(world.orders.id)
            assert isinstance(channel, discord.TextChannel)
            thread = await channel.create_thread(name="The raid", type=discord.ChannelType.public_thread)
            await thread.send("It begins at dawn.")
            ((name, address),) = await pages.open_new(world.empty, world.newcomers[0])
            assert (name, before & {name}) == ("The raid", set())
            assert address in pages.addresses
            assert await pages.open_new(world.empty, world.newcomers[0]) == []


@pytest.mark.slow
async def test_a_newcomer_starts_a_game_on_the_empty_server(kept: Path) -> None:
    """By one command and a window left as it is; the channels that the bot makes get pages."""
    async with _open_demo(kept) as world:
        mara, general = world.newcomers[0], world.empty.channels["general"]
        async with open_windows(world.env, [(general, world.newcomers)], None) as pages:
            assert "campaign create" in text(newest(general))
            window = await mara.slash(general, "campaign create", name="My game")
            answer = said(await mara.submit_modal(window, {"name": "My game"}))
            assert "My game is created" in answer
            found = {name for name, _ in await pages.open_new(world.empty, mara)}
            assert found == {"results", "staff"}


def _find_free_ports(count: int) -> int:
    first = 20_000 + os.getpid() % 1_000 * 10  # each worker looks elsewhere
    for port in range(first, first + 2_000, count):
        with ExitStack() as stack, suppress(OSError):
            for place in range(count):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port + place))
            return port
    pytest.fail("no ports are free")


@contextmanager
def _start_demo(data: Path) -> Iterator[_Demo]:
    port = _find_free_ports(3)
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
            yield _Demo(process, printed)
        finally:
            process.kill()


@pytest.mark.slow
def test_the_demo_says_where_it_is_and_ends_well(tmp_path: Path) -> None:
    """Addresses answer on loopback; exit code 0."""
    with _start_demo(tmp_path) as running:
        numbers = [str(number) for number in range(1, len(SUGGESTIONS) + 1)]
        assert re.findall(r"^ +(\d+)\. ", running.printed, re.MULTILINE) == numbers
        for command in (command for suggestion in SUGGESTIONS for command in suggestion.commands):
            assert str(command) in running.printed
        assert running.addresses
        for address in running.addresses:
            assert address.startswith(("http://127.0.0.1:", "http://localhost:"))
            with urllib.request.urlopen(address.partition("#")[0], timeout=60) as answer:  # noqa: S310 - loopback
                assert answer.status == 200
        assert running.interrupt() == 0
    assert (tmp_path / "demo.db").exists()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed here")
def test_the_page_shows_the_seeded_server(tmp_path: Path) -> None:
    """Chromium sees the seeded patrol."""
    with _start_demo(tmp_path / "data") as running:
        results = running.addresses[1]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [str(CHROMIUM), *CALM, profile, "--virtual-time-budget=8000", "--dump-dom", results]
        page = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout  # noqa: S603 - our own words
        assert "Mara the GM" in page
        assert "results" in page
        assert running.interrupt() == 0


def test_a_port_that_is_taken_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is made."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        busy = held.getsockname()[1]
        assert main(["demo", "--port", str(busy)]) == 2
    told = capsys.readouterr().err
    assert (
        told == f"Port {busy} is in use. The demo needs ports {busy} to {busy + 7}: pick others, or leave out --port.\n"
    )
