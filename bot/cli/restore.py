"""`adjutant restore`: a backup put into an empty database, with a proof."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from bot.errors import StartError
from rules.phrases import counted

if TYPE_CHECKING:
    from bot.core.audit import Audit
    from bot.core.entry_kinds import EntryKinds


def add(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("restore", help="restore a backup into an empty database and check it")
    parser.add_argument("file", type=Path, metavar="FILE", help="a file made by `adjutant backup`")
    parser.add_argument("--to", metavar="DATABASE_URL", help="an empty database (default: DATABASE_URL)")
    parser.set_defaults(handler=run_restore)


def run_restore(args: argparse.Namespace) -> int:
    """Restore a backup and say what was checked; return 1 when its ledgers have faults."""
    audits = asyncio.run(_restore(args.file, args.to, args.app().KINDS))
    for item in audits:
        sys.stdout.write(
            f"{item.campaign}: {counted(item.entries, 'entries')}, {'faulty' if item.faults else 'sound'}.\n"
        )
        sys.stdout.writelines(f"  {fault}\n" for fault in item.faults)
    faulty = any(item.faults for item in audits)
    sys.stdout.write("Restored with these faults.\n" if faulty else "Restored. You can start the bot.\n")
    return int(faulty)


async def _restore(file: Path, url: str | None, kinds: EntryKinds) -> Sequence[Audit]:
    from bot.config import read  # noqa: PLC0415
    from bot.core import backups  # noqa: PLC0415
    from bot.core.database import Database  # noqa: PLC0415

    target = Database(url or read().database_url)
    try:
        return await backups.restore(file, target, kinds)
    except StartError as error:
        said = str(error).replace("The target", "The database to restore into").replace("The source", "The backup")
        raise StartError(said) from error
    finally:
        await target.close()
