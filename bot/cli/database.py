"""`adjutant db`, `backup`, `restore` and `ledger`."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from bot.core import config
from bot.core.errors import StartError
from rules.phrases import format_count

if TYPE_CHECKING:
    from tqdm import tqdm

    from bot.core.audit import Audit
    from bot.core.backups import CopyResult
    from bot.core.database import Database
    from bot.core.ledger import EntryKinds


_GENTLY = 10


def add_backup(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("backup", help="back up the database to a file and check it")
    parser.add_argument("--to", type=Path, metavar="DIR", help="the folder (default: BACKUPS)")
    parser.add_argument("--keep", type=_number, metavar="N", help="how many to keep (default: BACKUPS_KEPT)")
    parser.add_argument("--gently", action="store_true", help="run with low priority")
    parser.set_defaults(handler=_run_backup)


async def _run_backup(args: argparse.Namespace) -> int:
    from datetime import UTC, datetime  # noqa: PLC0415

    from bot.core import backups  # noqa: PLC0415

    if args.gently and hasattr(os, "nice"):
        os.nice(_GENTLY)
    kinds, settings = args.app().KINDS, config.read()
    folder, keep = args.to or settings.backups or Path("backups"), args.keep or settings.backups_kept
    database = _open(settings.database_url)
    try:
        await backups.require_newest(database)
        made = await backups.make_backup(database, kinds, folder, keep, datetime.now(UTC))
    finally:
        await database.close()
    sys.stdout.write(f"{made.file}\n")
    if _print_verdicts(made.audits):
        sys.stdout.write("The database has these faults, so the backup has them too. Older backups were kept.\n")
        return 1
    if made.file.suffix == ".dump":
        sys.stdout.write(
            "Checked: the ledgers, in the snapshot that was dumped, and that the file lists every table.\n"
        )
    else:
        sys.stdout.write("Checked: the ledgers, in the file itself.\n")
    sys.stdout.writelines(f"Deleted: {file}\n" for file in made.deleted)
    return 0


def _print_verdicts(audits: Sequence[Audit]) -> bool:
    for item in audits:
        verdict = "faulty" if item.faults else "sound"
        sys.stdout.write(f"{item.campaign}: {format_count(item.entries, 'entries')}, {verdict}.\n")
        sys.stdout.writelines(f"  {fault}\n" for fault in item.faults)
    return any(item.faults for item in audits)


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("keep at least 1")
    return int(text)


def add_restore(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("restore", help="restore a backup into an empty database and check it")
    parser.add_argument("file", type=Path, metavar="FILE", help="a file made by `adjutant backup`")
    parser.add_argument("--to", metavar="DATABASE_URL", help="an empty database (default: DATABASE_URL)")
    parser.set_defaults(handler=_run_restore)


async def _run_restore(args: argparse.Namespace) -> int:
    from bot.core.backups import restore_backup  # noqa: PLC0415

    target = _open(args.to or config.read().database_url)
    try:
        audits = await restore_backup(args.file, target, args.app().KINDS)
    except StartError as error:
        said = str(error).replace("The target", "The database to restore into").replace("The source", "The backup")
        raise StartError(said) from error
    finally:
        await target.close()
    faulty = _print_verdicts(audits)
    sys.stdout.write("Restored with these faults.\n" if faulty else "Restored. You can start the bot.\n")
    return int(faulty)


def add_db(subparsers: Subparsers) -> None:
    """Register its subcommands."""
    group = subparsers.add_parser("db", help="the database").add_subparsers(required=True, metavar="COMMAND")
    upgrade = group.add_parser("upgrade", help="bring the schema up to date")
    upgrade.set_defaults(handler=_run_upgrade)
    copying = group.add_parser("copy", help="copy a database into an empty one, SQLite or PostgreSQL")
    copying.add_argument("source", metavar="SOURCE", help="the address of the database to read")
    copying.add_argument("target", metavar="TARGET", help="the address of an empty database or a new file")
    copying.set_defaults(handler=_run_copy)


async def _run_upgrade(_args: argparse.Namespace) -> int:
    from bot.core import migrate  # noqa: PLC0415

    database = _open(config.read().database_url)
    try:
        changed = await migrate.upgrade(database)
    finally:
        await database.close()
    does = "was upgraded to" if changed else "is at"
    sys.stdout.write(f"The database {does} revision {migrate.newest_revision()}.\n")
    return 0


async def _run_copy(args: argparse.Namespace) -> int:
    copied = await _copy(args.source, args.target, args.app().KINDS)
    rows, entries = sum(copied.rows.values()), sum(item.entries for item in copied.audits)
    sys.stdout.write(
        "Nothing is missing: both databases have the same rows and values, and their ledger checks "
        f"agree.\n{format_count(rows, 'rows')} in {format_count(len(copied.rows), 'tables')}, "
        f"{format_count(len(copied.audits), 'campaigns')} with {format_count(entries, 'entries')}:\n"
    )
    sys.stdout.writelines(f"  {table}: {count}\n" for table, count in copied.rows.items())
    faults = [f"{item.campaign}: {fault}\n" for item in copied.audits for fault in item.faults]
    if faults:
        sys.stdout.write("The source has faults, and so has its copy:\n")
        sys.stdout.writelines(faults)
    return int(bool(faults))


async def _copy(source_url: str, target_url: str, kinds: EntryKinds) -> CopyResult:
    from tqdm import tqdm  # noqa: PLC0415

    from bot.core.backups import copy_database  # noqa: PLC0415

    async with AsyncExitStack() as opened:
        opened.push_async_callback((source := _open(source_url, "SOURCE")).close)
        opened.push_async_callback((target := _open(target_url, "TARGET")).close)
        try:
            with tqdm(desc="CopyResult", unit=" rows", unit_scale=True, disable=None, leave=False) as bar:
                return await copy_database(source, target, kinds, partial(_show, bar))
        except StartError as error:
            said = str(error).replace("what DATABASE_URL names", "what SOURCE and TARGET name")
            raise StartError(said) from error


def _open(url: str, named: str = "DATABASE_URL") -> Database:
    from bot.core.database import Database  # noqa: PLC0415

    try:
        return Database(url)
    except StartError as error:
        raise StartError(str(error).replace("DATABASE_URL", named)) from error


def _show(bar: tqdm, done: int, of: int) -> None:
    bar.total = of
    bar.update(done - bar.n)


def add_ledger(subparsers: Subparsers) -> None:
    """Register its subcommands."""
    group = subparsers.add_parser("ledger", help="the campaigns' ledgers").add_subparsers(
        required=True, metavar="COMMAND"
    )
    group.add_parser("check", help="check all entries and the state").set_defaults(handler=_run_check)
    group.add_parser("rebuild", help="rebuild the state from the entries").set_defaults(handler=_run_rebuild)


async def _run_check(args: argparse.Namespace) -> int:
    audits = await _check("check", args.app().KINDS)
    _print_audits(audits, "all entries and the state are sound")
    return int(any(audit.faults for audit in audits))


async def _run_rebuild(args: argparse.Namespace) -> int:
    audits = await _check("rebuild", args.app().KINDS)
    _print_audits(audits, "rebuilt, no differences", left="left as it is: restore a backup from before the damage")
    return int(not all(audit.whole for audit in audits))


async def _check(what: str, kinds: EntryKinds) -> list[Audit]:
    from tqdm import tqdm  # noqa: PLC0415

    from bot.core import audit, migrate, search_index  # noqa: PLC0415

    gc.freeze()  # what was made at the start lives on: collecting garbage among it takes a tenth of the time
    database = _open(config.read().database_url)
    try:
        await migrate.require_database(database)
        await migrate.upgrade(database)
        with tqdm(desc="Checked", unit=" entries", unit_scale=True, disable=None, leave=False) as bar:
            work = {"check": audit.check_ledgers, "rebuild": audit.rebuild_states}[what]
            audits = await migrate.require_usable(work(database, kinds, partial(_show, bar)))
        if what == "rebuild":
            whole = [audit.campaign_id for audit in audits if audit.whole and audit.campaign_id is not None]
            with tqdm(desc="Read in", unit=" entries", unit_scale=True, disable=None, leave=False) as bar:
                await migrate.require_usable(search_index.refill_index(database, kinds, whole, partial(_show, bar)))
        return audits
    finally:
        await database.close()


def _print_audits(audits: list[Audit], verdict: str, left: str | None = None) -> None:
    for audit in audits:
        for fault in audit.faults:
            sys.stdout.write(f"{audit.campaign}: {fault}\n")
        if left and not audit.whole:
            sys.stdout.write(f"{audit.campaign}: {left}.\n")
        if not audit.faults:
            sys.stdout.write(f"{audit.campaign}: {format_count(audit.entries, 'entries')}, {verdict}.\n")
    if not audits:
        sys.stdout.write("No campaigns yet.\n")
