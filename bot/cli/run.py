"""`adjutant run` and `adjutant health`: the bot on Discord, and whether it is ready."""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from bot.errors import StartError
from bot.stopping import call_on_stop

if TYPE_CHECKING:
    import discord

    from bot.config import Settings, Shards

ANSWERS_WITHIN = 8.0
"""Seconds in which a bot that is alive tells how it stands."""

_ARENA_MAX = -8
"""glibc's number for how many heaps there may be (M_ARENA_MAX)."""


def add(subparsers: Subparsers) -> None:
    """Register the subcommands."""
    running = subparsers.add_parser("run", help="run the bot on Discord")
    running.add_argument(
        "--shards", type=_shards, help="the shards that this process serves, such as 0-3/16 (as SHARDS)"
    )
    running.set_defaults(handler=run)
    subparsers.add_parser("health", help="check whether the running bot is ready").set_defaults(handler=run_health)


def run(args: argparse.Namespace) -> int:
    """Run the bot until it is told to stop."""
    gc.disable()  # objects made at start live on: collecting garbage among them costs an eighth of the start
    share_heap()
    from bot.config import read  # noqa: PLC0415
    from bot.log import configure  # noqa: PLC0415

    settings = read()
    settings = replace(settings, shards=args.shards or settings.shards)
    try:
        configure(settings.log_level, settings.log_format, settings.log_file)
    except OSError as error:
        raise StartError(f"LOG_FILE can't be written: {error}.") from error
    if not settings.discord_token:
        sys.stderr.write("No token. Set DISCORD_TOKEN (see .env.example), or try the bot without one: adjutant demo\n")
        return 2
    return asyncio.run(_serve(settings, args.app().create_bot))


def share_heap() -> None:
    """Let all threads take memory from one heap: glibc gives each its own, and what lies unused in these adds up under load."""
    import ctypes  # noqa: PLC0415
    from contextlib import suppress  # noqa: PLC0415

    with suppress(AttributeError, OSError, TypeError):  # another C library, which has no heaps
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def run_health(_args: argparse.Namespace) -> int:
    """Ask the bot that runs on this machine, and print what it tells; return 0 when it is ready, else 1."""
    from contextlib import closing  # noqa: PLC0415
    from http import HTTPStatus  # noqa: PLC0415
    from http.client import HTTPConnection, HTTPException  # noqa: PLC0415

    from bot.config import read  # noqa: PLC0415

    address = read().health_port
    if address is None:
        raise StartError("HEALTH_PORT isn't set, so I can't ask whether the bot is ready. See .env.example.")
    try:
        with closing(HTTPConnection(address.host, address.port, timeout=ANSWERS_WITHIN)) as connection:
            connection.request("GET", "/health")
            answer = connection.getresponse()
            told = answer.read().decode(errors="replace")
    except (OSError, HTTPException) as error:
        sys.stdout.write(f"No bot answers on port {address.port}: {error}\n")
        return 1
    sys.stdout.write(f"{told}\n")
    return 0 if answer.status == HTTPStatus.OK else 1


def _shards(text: str) -> Shards:
    from bot.config import Shards  # noqa: PLC0415

    try:
        return Shards.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


async def _serve(settings: Settings, create: Callable[[Settings], discord.Client]) -> int:
    import contextlib  # noqa: PLC0415

    import aiohttp  # noqa: PLC0415
    import discord  # noqa: PLC0415

    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # it never speaks
    bot = create(settings)
    gc.freeze()
    gc.enable()
    serving = asyncio.ensure_future(bot.start(settings.discord_token))
    keeping = _keep_backups(settings)
    call_on_stop(serving.cancel)
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


def _keep_backups(settings: Settings) -> asyncio.Future[None]:
    """Begin to back the database up each day; of several processes that share it, the one with the first shard does so."""
    if settings.backups is None or (settings.shards is not None and settings.shards.first > 0):
        return asyncio.get_running_loop().create_future()
    from bot.cli.daily_backup import keep_up  # noqa: PLC0415

    return asyncio.ensure_future(keep_up(settings.backups, settings.backups_kept))
