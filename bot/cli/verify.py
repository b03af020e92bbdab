"""`adjutant verify`: check a verification file without a database."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bot.cli.subparsers import Subparsers


def add(subparsers: Subparsers) -> None:
    """Register the command."""
    parser = subparsers.add_parser("verify", help="check a file that /verify gave")
    parser.add_argument("file", type=Path, metavar="FILE", help="the file")
    parser.add_argument("--anchors", type=Path, metavar="TEXT", help="a file with messages of the audit thread, pasted")
    parser.set_defaults(handler=run_verify)


def run_verify(args: argparse.Namespace) -> int:
    """Check a file and print what holds; return 1 when anything does not, and 2 when a file cannot be read."""
    from bot.rolls.fairness.anchors import read_anchors  # noqa: PLC0415 - only this command needs them
    from bot.rolls.fairness.checks import check  # noqa: PLC0415 - as above
    from bot.rolls.fairness.document import read_document  # noqa: PLC0415 - as above

    try:
        document = read_document(args.file.read_bytes())
        anchors = None if args.anchors is None else read_anchors(args.anchors.read_text(), document.campaign)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    verdict = check(document, anchors)
    sys.stdout.write("\n".join([verdict.words, *verdict.faults, *verdict.checked, ""]))
    return int(bool(verdict.faults))
