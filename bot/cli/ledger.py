"""`adjutant ledger`: check the ledger and rebuild its projections."""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
from functools import partial
from typing import TYPE_CHECKING

from bot.cli.subparsers import Subparsers
from rules.phrases import counted

if TYPE_CHECKING:
    from tqdm import tqdm

    from bot.core.audit import Audit
    from bot.core.entry_kinds import EntryKinds


def add(subparsers: Subparsers) -> None:
    """Register the subcommands."""
    group = subparsers.add_parser("ledger", help="the campaigns' ledgers").add_subparsers(
        required=True, metavar="COMMAND"
    )
    group.add_parser("check", help="check all entries and the state").set_defaults(handler=run_check)
    group.add_parser("rebuild", help="rebuild the state from the entries").set_defaults(handler=run_rebuild)


def run_check(args: argparse.Namespace) -> int:
    """Check all ledgers; return 1 when anything is wrong."""
    audits = asyncio.run(_run("check", args.app().KINDS))
    _print(audits, "all entries and the state are sound")
    return int(any(audit.faults for audit in audits))


def run_rebuild(args: argparse.Namespace) -> int:
    """Rebuild all projections and print what was wrong; return 1 when a chain is broken, which is left as it is."""
    audits = asyncio.run(_run("rebuild", args.app().KINDS))
    _print(audits, "rebuilt, no differences", left="left as it is: restore a backup from before the damage")
    return int(not all(audit.whole for audit in audits))


async def _run(what: str, kinds: EntryKinds) -> list[Audit]:
    from tqdm import tqdm  # noqa: PLC0415

    from bot.config import read  # noqa: PLC0415
    from bot.core import audit  # noqa: PLC0415
    from bot.core.database import Database  # noqa: PLC0415
    from bot.core.migrate import require_database, upgrade, usable  # noqa: PLC0415
    from bot.core.search_index import refill  # noqa: PLC0415

    gc.freeze()  # what was made at the start lives on: collecting garbage among it takes a tenth of the time
    database = Database(read().database_url)
    try:
        await require_database(database)
        await upgrade(database)
        with tqdm(desc="Checked", unit=" entries", unit_scale=True, disable=None, leave=False) as bar:
            work = {"check": audit.check, "rebuild": audit.rebuild}[what]
            audits = await usable(work(database, kinds, partial(_show, bar)))
        if what == "rebuild":
            whole = [audit.campaign_id for audit in audits if audit.whole and audit.campaign_id is not None]
            with tqdm(desc="Read in", unit=" entries", unit_scale=True, disable=None, leave=False) as bar:
                await usable(refill(database, kinds, whole, partial(_show, bar)))
        return audits
    finally:
        await database.close()


def _show(bar: tqdm, done: int, of: int) -> None:
    """Show how far a check is; a bar that stands on no terminal shows nothing."""
    bar.total = of
    bar.update(done - bar.n)


def _print(audits: list[Audit], verdict: str, left: str | None = None) -> None:
    for audit in audits:
        for fault in audit.faults:
            sys.stdout.write(f"{audit.campaign}: {fault}\n")
        if left and not audit.whole:
            sys.stdout.write(f"{audit.campaign}: {left}.\n")
        if not audit.faults:
            sys.stdout.write(f"{audit.campaign}: {counted(audit.entries, 'entries')}, {verdict}.\n")
    if not audits:
        sys.stdout.write("No campaigns yet.\n")
