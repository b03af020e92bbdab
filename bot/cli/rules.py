"""`adjutant rules`: shows and checks rule books, rolls dice."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from bot.cli.subparsers import Subparsers
from rules.errors import BookError


def add(subparsers: Subparsers) -> None:
    """Register its subcommands."""
    rules = subparsers.add_parser("rules", help="show and check rule books, roll dice")
    commands = rules.add_subparsers(required=True, metavar="COMMAND")
    dump = _add(commands, "dump", _run_dump, "print the rule books as JSON: every range, value and line")
    dump.set_defaults(book=None)
    show = _add(commands, "show", _run_show, "print a table with its odds and modifiers")
    show.add_argument("table", metavar="TABLE", help="id of the table, such as campaign.patrol.catch")
    says = "roll a free dice expression such as 4d6kh3+2, and print faces, total, range and mean as JSON"
    roll = commands.add_parser("roll", help=says, description=says)
    roll.add_argument("expression", metavar="EXPRESSION", nargs="+", help="after -- if it starts with -")
    roll.set_defaults(handler=_run_roll)
    lint = commands.add_parser("lint", help="report every fault of book folders, table files and overlays")
    lint.add_argument("files", metavar="FILE", nargs="+", type=Path)
    lint.set_defaults(handler=_run_lint)


def _run_dump(args: argparse.Namespace) -> int:
    from rules.loader import load_book, load_books  # noqa: PLC0415 - as above
    from rules.ruleset import dump_book  # noqa: PLC0415 - loaded only when a book is read

    one = [load_book(args.book, overlays=args.overlay)] if args.book else None
    books = [dump_book(book) for book in one or load_books(args.overlay).values()]
    _say(json.dumps({"books": books}, indent=2))
    return 0


def _run_show(args: argparse.Namespace) -> int:
    from bot.cli.printing import show_table  # noqa: PLC0415 - as above
    from rules.loader import load_book  # noqa: PLC0415 - as above

    _say(show_table(load_book(args.book, overlays=args.overlay).table(args.table)))
    return 0


def _run_roll(args: argparse.Namespace) -> int:
    from bot.cli.printing import roll_text  # noqa: PLC0415 - as above
    from bot.core.randomness import SystemDice  # noqa: PLC0415 - as above

    _say(json.dumps(roll_text(" ".join(args.expression), SystemDice())))
    return 0


def _run_lint(args: argparse.Namespace) -> int:
    from rules.loader import check_path  # noqa: PLC0415 - as above

    faulty = False
    for file in args.files:
        try:
            check_path(file)
            _say(f"{file}: no faults")
        except BookError as error:
            faulty = True
            _say(str(error))
    return int(faulty)


def _add(
    commands: Subparsers, name: str, handler: Callable[[argparse.Namespace], int], says: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=says, description=says)
    parser.add_argument("--book", default="campaign", help="id of the rule book (default: %(default)s)")
    parser.add_argument("--overlay", metavar="FILE", action="append", default=[], type=Path, help="may be repeated")
    parser.set_defaults(handler=handler)
    return parser


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
