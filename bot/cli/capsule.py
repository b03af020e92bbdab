"""`adjutant export` and `import`, a campaign as a file, and `verify`, which checks a verification file without a database."""

from __future__ import annotations

import argparse
import asyncio
import glob
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec.structs import replace

from bot.cli.subparsers import Subparsers
from bot.core import config
from bot.core.errors import StartError, UserError
from rules.phrases import format_count

if TYPE_CHECKING:
    from bot.client import Adjutant
    from bot.cogs.campaign.capsule import ExportedCampaign, ImportedCampaign
    from bot.rolls.fairness.checks import Verdict
    from bot.rolls.fairness.forms import VerificationFile


PART = ".part"
_MAX_ID = 2**63 - 1


def add(subparsers: Subparsers) -> None:
    """Register both commands."""
    leaving = subparsers.add_parser("export", help="export a campaign to a file, with all its secrets")
    leaving.add_argument("campaign", metavar="CAMPAIGN", help="its name, or its UUID if several have that name")
    leaving.add_argument("file", type=Path, metavar="FILE", help="a new file that only you can read")
    leaving.set_defaults(handler=_run_export)
    coming = subparsers.add_parser("import", help="import a campaign from a file for a server")
    coming.add_argument("file", type=Path, metavar="FILE", help="a file made by an export")
    coming.add_argument("--server", type=_id, required=True, metavar="ID", help="the id of the Discord server")
    coming.add_argument("--name", help="a new name (default: the old one)")
    coming.add_argument("--move", action="store_true", help="move it away from its current server in this database")
    coming.set_defaults(handler=_run_import)


def _run_export(args: argparse.Namespace) -> int:
    from filelock import lock_descriptor  # noqa: PLC0415 - other commands need no locks

    _require_new(args.file)
    folder, name = args.file.absolute().parent, args.file.name
    try:
        _clear(folder, name)
        opened, written = tempfile.mkstemp(prefix=f"{name}.", suffix=PART, dir=folder)  # only its owner can read it
        part = Path(written)
        try:
            with os.fdopen(opened, "w+b") as out:
                with suppress(OSError):  # a file system may have no locks
                    lock_descriptor(opened, blocking=False)
                left = asyncio.run(_export(args.app(), args.campaign, out))
            _require_new(args.file)  # another export may have been faster
            part.rename(args.file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StartError(f"{args.file} can't be written: {error}.") from error
    sys.stdout.write(
        f"{args.file}: {left.campaign.name}, {format_count(left.last.number, 'entries')}. The newest has the hash {left.last.hash}.\n"
        "The file has every secret of the campaign. Its dice set is closed.\n"
    )
    return 0


async def _run_import(args: argparse.Namespace) -> int:
    import sqlalchemy as sa  # noqa: PLC0415

    from bot.cogs.campaign import capsule  # noqa: PLC0415
    from bot.core.capsules import NOTHING, load_capsule, open_capsule  # noqa: PLC0415

    where = capsule.Where(args.server, args.name, args.move)
    async with _open_bot(args.app(), there=False) as bot:
        jobs = {job.id for feature in bot.features for job in feature.jobs}
        with open_capsule(args.file) as read_in:
            async with load_capsule(read_in, bot.kinds) as there:
                try:
                    arrived: ImportedCampaign = await bot.database.write(
                        capsule.arrive, bot.resolver, jobs, there, where
                    )
                except sa.exc.DBAPIError as error:
                    said = " ".join(str(error.orig).split()).rstrip(".")
                    raise StartError(f"The database rejects the campaign: {said}. {NOTHING}") from error
    name, entries = arrived.campaign.name, arrived.audit.entries
    sys.stdout.write(
        f"{name} is on server {args.server}: {format_count(entries, 'entries')}, all sound. "
        f"Its newest hash is {arrived.head}. Compare it with the old dice proof thread.\n"
        "It has no channels or roles yet. A server manager sets them:\n"
        f"  /gm settings campaign:{name} results: staff: game_master: player:\n"
        f"  /campaign link for more channels; /gm settings also has groups and random.org\n"
    )
    return 0


def _require_new(file: Path) -> None:
    if file.exists():
        raise StartError(f"{file} already exists. Name a new file.")


def _clear(folder: Path, name: str) -> None:
    from filelock import lock_descriptor  # noqa: PLC0415 - as above

    for part in folder.glob(f"{glob.escape(name)}.*{PART}"):
        with suppress(OSError):  # it is done by now, or the file system has no locks
            with part.open("r+b") as left:
                killed = lock_descriptor(left.fileno(), blocking=False)
            if killed:
                part.unlink()


def _id(text: str) -> int:
    if not (text.isdecimal() and text.isascii() and 0 < int(text) <= _MAX_ID):
        raise argparse.ArgumentTypeError("the id of a server is a number: Discord's developer mode shows it")
    return int(text)


@asynccontextmanager
async def _open_bot(app: Any, *, there: bool) -> AsyncIterator[Adjutant]:  # noqa: ANN401 - `bot.app`, which takes its time to load
    from bot.core.migrate import require_database, upgrade  # noqa: PLC0415

    bot = app.create_bot(config.read())
    try:
        if there:
            await require_database(bot.database)
        await upgrade(bot.database)
        yield bot
    except UserError as error:
        raise StartError(f"{error} Nothing was written.") from error
    finally:
        await bot.database.close()


async def _export(app: object, campaign: str, out: BinaryIO) -> ExportedCampaign:
    from bot.cogs.campaign import capsule  # noqa: PLC0415
    from bot.core.migrate import require_usable  # noqa: PLC0415

    async with _open_bot(app, there=True) as bot:
        number = await require_usable(bot.database.read(capsule.find_campaign, campaign))
        left: ExportedCampaign = await require_usable(bot.database.write(capsule.leave, bot.resolver, None, number))
        context = capsule.ChronicleContext(bot.kinds, bot.features, bot.library)
        await require_usable(bot.database.read(capsule.pack, context, left, out, bot.ledger.now()))
        return left


def add_verify(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("verify", help="check a file from /verify")
    parser.add_argument("file", type=Path, metavar="FILE", help="the file")
    parser.add_argument(
        "--anchors", type=Path, metavar="TEXT", help="a text file with the messages of the dice proof thread"
    )
    certificate = "random.org's certificate, to check its signatures"
    parser.add_argument("--random-org-certificate", type=Path, metavar="FILE", help=certificate)
    parser.add_argument(
        "--page", action=_Page, nargs=0, help="print the path of the page that checks files in a browser"
    )
    parser.set_defaults(handler=_run_verify)


class _Page(argparse.Action):
    """Prints the page's path."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from bot.rolls.fairness.checks import find_verifier  # noqa: PLC0415 - as below

        sys.stdout.write(f"{find_verifier()}\n")
        parser.exit()


def _run_verify(args: argparse.Namespace) -> int:
    from bot.rolls.fairness.checks import check, read_anchors, read_document  # noqa: PLC0415 - only this command needs them

    try:
        document = read_document(args.file.read_bytes())
        # Pasted on any system, with or without a byte order mark.
        pasted = None if args.anchors is None else args.anchors.read_text(encoding="utf-8-sig", errors="replace")
        anchors = None if pasted is None else read_anchors(pasted, document.campaign)
        verdict = check(document, anchors)
        if args.random_org_certificate is not None:
            verdict = _check_signatures(document, verdict, args.random_org_certificate.read_bytes())
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("\n".join([verdict.words, *verdict.faults, *verdict.checked, ""]))
    return int(bool(verdict.faults))


def _check_signatures(document: VerificationFile, verdict: Verdict, certificate: bytes) -> Verdict:
    from bot.rolls.fairness.outside import UNSIGNED  # noqa: PLC0415 - as above
    from bot.rolls.fairness.signatures import check_signatures, read_certificate  # noqa: PLC0415 - few have such a file

    key = read_certificate(certificate)
    if verdict.faults:
        return verdict
    signed = check_signatures(document, key)
    checked = [line for line in verdict.checked if line != UNSIGNED]
    return replace(verdict, faults=signed.faults, checked=() if signed.faults else (*checked, signed.summary))
