"""`adjutant db`: the database's schema."""

from __future__ import annotations

import argparse
import asyncio
import sys

from bot.cli.subparsers import Subparsers


def add(subparsers: Subparsers) -> None:
    """Register the subcommands."""
    group = subparsers.add_parser("db", help="the database").add_subparsers(required=True, metavar="COMMAND")
    upgrade = group.add_parser("upgrade", help="bring the schema up to date")
    upgrade.set_defaults(handler=run_upgrade)


def run_upgrade(_args: argparse.Namespace) -> int:
    """Migrate the database that the settings name."""
    return asyncio.run(_upgrade())


async def _upgrade() -> int:
    from bot.config import read  # noqa: PLC0415
    from bot.core import migrate  # noqa: PLC0415
    from bot.core.database import Database  # noqa: PLC0415

    database = Database(read().database_url)
    try:
        changed = await migrate.upgrade(database)
    finally:
        await database.close()
    sys.stdout.write(f"The database {'was brought to' if changed else 'stands at'} revision {migrate.head()}.\n")
    return 0
