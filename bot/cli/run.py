"""`adjutant run`, `web`, `site`, `doctor`, `health` and `demo`; a separate process makes a daily backup."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import importlib.util
import logging
import os
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from bot.core import config
from bot.core.errors import StartError

if TYPE_CHECKING:
    import discord

    from bot.web.reading import SiteTools


FIRST = 60.0
"""Seconds before the first look, so that the bot can start."""
EVERY = 3600.0
LIMIT = 6 * 3600.0
LONGEST = 500
ADJUTANT = (sys.executable, "-P", "-m", "bot")
log = logging.getLogger(__name__)
_ANSWER_TIMEOUT = 8.0
_GENTLY = 10
_ARENA_MAX = -8
"""glibc's M_ARENA_MAX: how many heaps there may be."""


def add(subparsers: Subparsers) -> None:
    """Register `run` and `health`."""
    running = subparsers.add_parser("run", help="run the bot on Discord")
    running.add_argument(
        "--shards", type=_shards, help="the shards that this process serves, such as 0-3/16 (as SHARDS)"
    )
    running.set_defaults(handler=run)
    subparsers.add_parser("health", help="check whether the running bot is ready").set_defaults(handler=_run_health)


def run(args: argparse.Namespace) -> int:
    """Run the bot until it's stopped."""
    gc.disable()  # objects made at start live on: collecting garbage among them costs an eighth of the start
    share_heap()
    settings = config.read()
    settings = replace(settings, shards=args.shards or settings.shards)
    try:
        config.configure(settings.log_level, settings.log_format, settings.log_file)
    except OSError as error:
        raise StartError(f"LOG_FILE can't be written: {error}.") from error
    if not settings.discord_token:
        sys.stderr.write("No token. Set DISCORD_TOKEN (see .env.example), or try the bot without one: adjutant demo\n")
        return 2
    return asyncio.run(_serve(settings, args.app().create_bot))


def share_heap() -> None:
    """Let threads share one heap: glibc's separate ones waste memory."""
    import ctypes  # noqa: PLC0415

    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library, which has no heaps
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def _run_health(_args: argparse.Namespace) -> int:
    from http import HTTPStatus  # noqa: PLC0415
    from http.client import HTTPConnection, HTTPException  # noqa: PLC0415

    address = config.read().health_port
    if address is None:
        raise StartError("HEALTH_PORT isn't set, so I can't ask whether the bot is ready. See .env.example.")
    try:
        with contextlib.closing(HTTPConnection(address.host, address.port, timeout=_ANSWER_TIMEOUT)) as connection:
            connection.request("GET", "/health")
            answer = connection.getresponse()
            status = answer.read().decode(errors="replace")
    except (OSError, HTTPException) as error:
        sys.stdout.write(f"No bot answers on port {address.port}: {error}\n")
        return 1
    sys.stdout.write(f"{status}\n")
    return 0 if answer.status == HTTPStatus.OK else 1


def _shards(text: str) -> config.Shards:
    try:
        return config.Shards.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


async def _serve(settings: config.Settings, create: Callable[[config.Settings], discord.Client]) -> int:
    import aiohttp  # noqa: PLC0415
    import discord  # noqa: PLC0415

    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # it never speaks
    bot = create(settings)
    gc.freeze()
    gc.enable()
    serving = asyncio.ensure_future(bot.start(settings.discord_token))
    keeping = _keep_backups(settings)
    config.call_on_stop(serving.cancel)
    try:
        async with bot:
            with contextlib.suppress(asyncio.CancelledError):
                await serving
    except aiohttp.ClientConnectionError as error:
        sys.stderr.write(f"Discord can't be reached: {error}\n")
        return 2
    except discord.LoginFailure:
        sys.stderr.write("Discord refused the token. Is DISCORD_TOKEN the bot's token, whole and current?\n")
        return 2
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
    return 0


def _keep_backups(settings: config.Settings) -> asyncio.Future[None]:
    if settings.backups is None or (settings.shards is not None and settings.shards.first > 0):
        return asyncio.get_running_loop().create_future()
    return asyncio.ensure_future(_back_up_daily(settings.backups, settings.backups_kept))


async def _back_up_daily(folder: Path, kept: int) -> None:
    await asyncio.sleep(FIRST)
    while True:
        try:
            await back_up(folder, kept)
        except OSError as error:
            log.error("backup.failed", extra={"fault": str(error)})  # noqa: TRY400 - a traceback adds nothing
        await asyncio.sleep(EVERY)


async def back_up(folder: Path, kept: int, program: Sequence[str] = ADJUTANT, limit: float = LIMIT) -> bool:
    """Make today's backup, unless it exists; return whether a faultless one was made.

    Raises:
        OSError: no process can be started.

    """
    from bot.core.backups import was_made_on  # noqa: PLC0415 - other commands need no database
    from bot.ui.text import shorten  # noqa: PLC0415 - as above

    if await asyncio.to_thread(was_made_on, folder, datetime.now(UTC)):
        return False
    words = ("backup", "--gently", "--to", str(folder), "--keep", str(kept))
    pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
    process = await asyncio.create_subprocess_exec(*program, *words, stdout=pipe, stderr=both)
    try:
        said = (await asyncio.wait_for(process.communicate(), limit))[0].decode(errors="replace").strip()
    except TimeoutError:
        log.error("backup.failed", extra={"fault": f"It was not ready after {limit:.0f} s."})  # noqa: TRY400 - a traceback adds nothing
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        log.error("backup.failed", extra={"fault": shorten(said, LONGEST)})
    else:
        log.info("backup.made", extra={"file": said.partition("\n")[0]})
    return not process.returncode


def add_demo(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("demo", help="try the bot in a browser, without a token")
    parser.add_argument("--port", type=int, default=None, help="the port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--data", type=Path, default=None, help="a folder for the demo's data")
    parser.add_argument("--game", type=Path, default=None, help="a file with [game] to play instead")
    parser.set_defaults(handler=_run_demo)


def _find_taken_port(ports: Iterable[int]) -> int | None:
    for port in ports:
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                return port
    return None


def _run_demo(args: argparse.Namespace) -> int:
    if importlib.util.find_spec("simcord") is None:
        sys.stderr.write("The demo needs simcord: pip install 'adjutant[demo]'\n")
        return 2
    from bot.demo.game import DemoGame  # noqa: PLC0415
    from bot.demo.serve import PAGES  # noqa: PLC0415
    from bot.demo.serve import run as serve  # noqa: PLC0415

    game = DemoGame.read(args.game) if args.game else None
    busy = None if args.port is None else _find_taken_port(range(args.port, args.port + PAGES))
    if busy is not None:
        last = args.port + PAGES - 1
        needed = f"The demo needs ports {args.port} to {last}: pick others, or leave out --port."
        sys.stderr.write(f"Port {busy} is in use. {needed}\n")
        return 2
    if importlib.util.find_spec("jinja2") is None:
        return serve(args.app().create_bot, args.port, args.data, game)
    from bot.web.serving import listen  # noqa: PLC0415 - only with the extra

    return serve(args.app().create_bot, args.port, args.data, game, listen)


def add_doctor(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("doctor", help="check settings, database, disk and Discord")
    parser.add_argument("--offline", action="store_true", help="skip the checks that need Discord")
    parser.set_defaults(handler=_run_doctor)


async def _run_doctor(args: argparse.Namespace) -> int:
    from bot.cli import examination  # noqa: PLC0415

    settings = config.read()
    token = examination.check_token(settings.discord_token)
    kept, places = await examination.check_database(settings.database_url)
    found = [token, *kept, *examination.check_disk(settings)]
    if not args.offline and token.fine:
        found += await examination.check_discord(settings.discord_token, places)
    for item in found:
        sys.stdout.write(f"{'fine' if item.fine else 'FAULT':<6}{item.about}: {item.said}\n")
        if item.do:
            sys.stdout.write(f"      {item.do}\n")
    faults = sum(not item.fine for item in found)
    sys.stdout.write(f"{faults} of {len(found)} need attention.\n" if faults else "Everything is fine.\n")
    return int(faults > 0)


def add_web(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("web", help="serve the public sites of campaigns")
    parser.set_defaults(handler=_run_web)


def add_site(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("site", help="write public sites as files for a static host")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write; each site gets a folder in it")
    parser.add_argument("--campaign", metavar="NAME", help="the name in the site's address (default: all sites)")
    parser.set_defaults(handler=_run_site)


async def _run_web(args: argparse.Namespace) -> int:
    settings = config.read()
    config.configure(settings.log_level, settings.log_format)
    make_tools = _load_site()
    from bot.web.serving import serve_sites  # noqa: PLC0415 - other commands serve nothing

    if hasattr(os, "nice"):
        os.nice(_GENTLY)  # players of a bot on the same machine go first
    tools = make_tools(args.app(), settings)
    gc.freeze()  # collecting garbage among all that was loaded would stop readers for a tenth of a second
    await serve_sites(settings, tools)
    return 0


async def _run_site(args: argparse.Namespace) -> int:
    settings = config.read()
    make_tools = _load_site()
    from bot.web.rendering import export_sites  # noqa: PLC0415 - as above

    for made in await export_sites(settings, make_tools(args.app(), settings), args.folder, args.campaign):
        left = f". {made.left} more weren't written: use `adjutant web` for a site of this size" if made.left else ""
        sys.stdout.write(f"{args.folder / made.name}: {made.pages} pages{left}\n")
    return 0


def _load_site() -> Callable[[ModuleType, config.Settings], SiteTools]:
    if importlib.util.find_spec("jinja2") is None:
        raise StartError("The site needs Jinja2: pip install 'adjutant[web]'")
    from bot.web.rendering import make_tools  # noqa: PLC0415 - as above

    return make_tools
