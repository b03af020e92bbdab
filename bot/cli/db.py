"""`adjutant db`: the database's schema, and copies of a whole database."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from bot.errors import StartError

if TYPE_CHECKING:
    from tqdm import tqdm

    from bot.core.copying import Copied
    from bot.core.database import Database
    from bot.core.entry_kinds import EntryKinds


def add(subparsers: Subparsers) -> None:
    """Register the subcommands."""
    group = subparsers.add_parser("db", help="the database").add_subparsers(required=True, metavar="COMMAND")
    upgrade = group.add_parser("upgrade", help="bring the schema up to date")
    upgrade.set_defaults(handler=run_upgrade)
    copying = group.add_parser("copy", help="copy a database into an empty one, SQLite or PostgreSQL")
    copying.add_argument("source", metavar="SOURCE", help="the address of the database to read")
    copying.add_argument("target", metavar="TARGET", help="the address of an empty database or a new file")
    copying.set_defaults(handler=run_copy)


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
    sys.stdout.write(f"The database {'was upgraded to' if changed else 'is at'} revision {migrate.head()}.\n")
    return 0


def run_copy(args: argparse.Namespace) -> int:
    """Copy a database and say what was proven; return 1 when the ledgers have faults, which were copied with them."""
    copied = asyncio.run(_copy(args.source, args.target, args.app().KINDS))
    rows, entries = sum(copied.rows.values()), sum(item.entries for item in copied.audits)
    sys.stdout.write(
        "Nothing is missing: both databases have the same rows and values, and their ledger checks "
        f"agree.\n{_counted(rows, 'row')} in {_counted(len(copied.rows), 'table')}, "
        f"{_counted(len(copied.audits), 'campaign')} with {_counted(entries, 'entry', 'entries')}:\n"
    )
    for table, count in copied.rows.items():
        sys.stdout.write(f"  {table}: {count}\n")
    return _tell_faults(copied)


def _tell_faults(copied: Copied) -> int:
    faults = [f"{item.campaign}: {fault}\n" for item in copied.audits for fault in item.faults]
    if faults:
        sys.stdout.write("The source has faults, and so has its copy:\n")
        sys.stdout.writelines(faults)
    return int(bool(faults))


def _counted(number: int, one: str, more: str | None = None) -> str:
    return f"{number} {one if number == 1 else more or one + 's'}"


async def _copy(source_url: str, target_url: str, kinds: EntryKinds) -> Copied:
    from tqdm import tqdm  # noqa: PLC0415

    from bot.core.copying import copy  # noqa: PLC0415

    async with AsyncExitStack() as opened:
        opened.push_async_callback((source := _open("SOURCE", source_url)).close)
        opened.push_async_callback((target := _open("TARGET", target_url)).close)
        try:
            with tqdm(desc="Copied", unit=" rows", unit_scale=True, disable=None, leave=False) as bar:
                return await copy(source, target, kinds, partial(_show, bar))
        except StartError as error:
            said = str(error).replace("what DATABASE_URL names", "what SOURCE and TARGET name")
            raise StartError(said) from error


def _open(word: str, url: str) -> Database:
    """Return the database of an address that was typed as `word`."""
    from bot.core.database import Database  # noqa: PLC0415

    try:
        return Database(url)
    except StartError as error:
        raise StartError(str(error).replace("DATABASE_URL", word)) from error


def _show(bar: tqdm, done: int, of: int) -> None:
    bar.total = of
    bar.update(done - bar.n)
