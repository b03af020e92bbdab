"""`adjutant verify`: checks a verification file without a database."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bot.cli.subparsers import Subparsers

if TYPE_CHECKING:
    from bot.rolls.fairness.checks import Verdict
    from bot.rolls.fairness.document import VerificationFile


def add(subparsers: Subparsers) -> None:
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
    """Prints the page's path: in the package, or in docs of a checkout."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        package = Path(__file__).parents[1]
        places = (package / "verify.html", package.parent / "docs" / "verify.html")
        sys.stdout.write(f"{next(place for place in places if place.is_file())}\n")
        parser.exit()


def _run_verify(args: argparse.Namespace) -> int:
    from bot.rolls.fairness.checks import check, read_anchors  # noqa: PLC0415 - only this command needs them
    from bot.rolls.fairness.document import read_document  # noqa: PLC0415 - as above

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
