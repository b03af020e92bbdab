"""`adjutant backup`: a checked copy of the database as a file."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from rules.phrases import counted

if TYPE_CHECKING:
    from bot.core.backups import Backup
    from bot.core.entry_kinds import EntryKinds

GENTLY = 10
"""How much less a gentle process gets to compute, as `nice` counts it."""


def add(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("backup", help="back up the database to a file and check it")
    parser.add_argument("--to", type=Path, metavar="DIR", help="the folder (default: BACKUPS)")
    parser.add_argument("--keep", type=_number, metavar="N", help="how many to keep (default: BACKUPS_KEPT)")
    parser.add_argument("--gently", action="store_true", help="run with low priority")
    parser.set_defaults(handler=run_backup)


def run_backup(args: argparse.Namespace) -> int:
    """Make a backup and say what was checked; return 1 when the ledgers in it have faults."""
    if args.gently and hasattr(os, "nice"):
        os.nice(GENTLY)
    made = asyncio.run(_make(args.to, args.keep, args.app().KINDS))
    sys.stdout.write(f"{made.file}\n")
    for item in made.audits:
        sys.stdout.write(
            f"{item.campaign}: {counted(item.entries, 'entries')}, {'faulty' if item.faults else 'sound'}.\n"
        )
        sys.stdout.writelines(f"  {fault}\n" for fault in item.faults)
    if any(item.faults for item in made.audits):
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


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("keep at least 1")
    return int(text)


async def _make(folder: Path | None, keep: int | None, kinds: EntryKinds) -> Backup:
    from datetime import UTC, datetime  # noqa: PLC0415

    from bot.config import read  # noqa: PLC0415
    from bot.core import backups  # noqa: PLC0415
    from bot.core.copying import require_newest  # noqa: PLC0415
    from bot.core.database import Database  # noqa: PLC0415

    settings = read()
    database, into = Database(settings.database_url), folder or settings.backups or Path("backups")
    try:
        await require_newest(database)
        return await backups.make(database, kinds, into, keep or settings.backups_kept, datetime.now(UTC))
    finally:
        await database.close()
