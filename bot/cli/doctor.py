"""`adjutant doctor`: checks what the bot needs, and says what to do."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers

if TYPE_CHECKING:
    from bot.cli.examination import Finding


def add(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("doctor", help="check settings, database, disk and Discord")
    parser.add_argument("--offline", action="store_true", help="skip the checks that need Discord")
    parser.set_defaults(handler=_run_doctor)


def _run_doctor(args: argparse.Namespace) -> int:
    found = asyncio.run(_examine(offline=args.offline))
    for item in found:
        sys.stdout.write(f"{'fine' if item.fine else 'FAULT':<6}{item.about}: {item.said}\n")
        if item.do:
            sys.stdout.write(f"      {item.do}\n")
    faults = sum(not item.fine for item in found)
    sys.stdout.write(f"{faults} of {len(found)} need attention.\n" if faults else "Everything is fine.\n")
    return int(faults > 0)


async def _examine(*, offline: bool) -> Sequence[Finding]:
    from bot.cli import examination  # noqa: PLC0415
    from bot.core.config import read  # noqa: PLC0415

    settings = read()
    token = examination.check_token(settings.discord_token)
    kept, places = await examination.check_database(settings.database_url)
    found = [token, *kept, *examination.check_disk(settings)]
    if not offline and token.fine:
        found += await examination.check_discord(settings.discord_token, places)
    return found
