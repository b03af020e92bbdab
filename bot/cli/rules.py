"""`adjutant rules`: look at the rule books, check them, and roll on their tables without Discord."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bot.cli.subparsers import Subparsers
from rules.errors import BookError

if TYPE_CHECKING:
    from rules.book import Book

PageT = TypeVar("PageT")


def add(subparsers: Subparsers) -> None:
    """Register the subcommands."""
    rules = subparsers.add_parser("rules", help="show and check rule books, roll on their tables")
    commands = rules.add_subparsers(required=True, metavar="COMMAND")
    dump = _add(commands, "dump", run_dump, "print the rule books as JSON: every range, value and line")
    dump.set_defaults(book=None)
    _add(commands, "resolve", run_resolve, "resolve rolls, one JSON object per line from standard input")
    _add(commands, "odds", run_odds, "exact odds, one JSON object per line from standard input")
    says = "Infinity CodeOne: success values, rolls, odds; one JSON object per line from standard input"
    commands.add_parser("infinity", help=says, description=says).set_defaults(handler=run_infinity)
    says = "RoE, 7th edition: rolls, odds, turns and what is allowed; one JSON object per line from standard input"
    commands.add_parser("roe", help=says, description=says).set_defaults(handler=run_roe)
    says = "Total War: map, battles, what is refused, whole games; one JSON object per line from standard input"
    commands.add_parser("total-war", help=says, description=says).set_defaults(handler=run_total_war)
    show = _add(commands, "show", run_show, "print a table with its odds and modifiers")
    show.add_argument("table", metavar="TABLE", help="id of the table, such as campaign.patrol.catch")
    says = "random events by the d100, one JSON object per line from standard input"
    commands.add_parser("events", help=says, description=says).set_defaults(handler=run_events)
    says = "roll a free dice expression such as 4d6kh3+2, and print faces, total, range and mean as JSON"
    roll = commands.add_parser("roll", help=says, description=says)
    roll.add_argument("expression", metavar="EXPRESSION", nargs="+", help="after -- if it starts with -")
    roll.set_defaults(handler=run_roll)
    says = "print what the books cover and what of it golden cases hold, as the page rules/COVERAGE.md"
    coverage = commands.add_parser("coverage", help=says, description=says)
    coverage.add_argument("cases", metavar="FOLDER", type=_folder, help="the golden cases: tests/rules/cases")
    coverage.set_defaults(handler=run_coverage)
    lint = commands.add_parser("lint", help="report every fault of book folders, table files and overlays")
    lint.add_argument("files", metavar="FILE", nargs="+", type=Path)
    lint.set_defaults(handler=run_lint)


def run_dump(args: argparse.Namespace) -> int:
    """Print the books as JSON."""
    from rules.dump import dump_book  # noqa: PLC0415 - pydantic is loaded only when a book is read
    from rules.loader import load_book, load_books  # noqa: PLC0415 - as above

    one = [load_book(args.book, overlays=args.overlay)] if args.book else None
    books = [dump_book(book) for book in one or load_books(args.overlay).values()]
    _say(json.dumps({"books": books}, indent=2))
    return 0


def run_resolve(args: argparse.Namespace) -> int:
    """Print the result of each roll that standard input asks for."""
    from bot.cli.queries import answer_roll  # noqa: PLC0415 - as above

    return _answer(sys.stdin.buffer, answer_roll, _book(args))


def run_odds(args: argparse.Namespace) -> int:
    """Print the exact odds for each line of standard input."""
    from bot.cli.queries import answer_odds  # noqa: PLC0415 - as above

    return _answer(sys.stdin.buffer, answer_odds, _book(args))


def run_infinity(_args: argparse.Namespace) -> int:
    """Print the answer to each line of standard input, by the rules of Infinity CodeOne."""
    from bot.cli.infinity import answer  # noqa: PLC0415 - as above

    return _answer(sys.stdin.buffer, lambda line, _: answer(line), None)


def run_roe(_args: argparse.Namespace) -> int:
    """Print the answer to each line of standard input, by the rules of RoE."""
    from bot.cli.roe import answer  # noqa: PLC0415 - as above
    from rules.loader import load_book  # noqa: PLC0415 - as above

    return _answer(sys.stdin.buffer, answer, load_book("roe"))


def run_total_war(_args: argparse.Namespace) -> int:
    """Print the answer to each line of standard input, by the rules of Total War."""
    from bot.cli.total_war import answer  # noqa: PLC0415 - as above
    from rules.loader import load_book  # noqa: PLC0415 - as above

    return _answer(sys.stdin.buffer, answer, load_book("total_war"))


def run_show(args: argparse.Namespace) -> int:
    """Print one table."""
    from bot.cli.show import show_table  # noqa: PLC0415 - as above

    _say(show_table(_book(args).table(args.table)))
    return 0


def run_events(_: argparse.Namespace) -> int:
    """Print the random event of each face that standard input gives."""
    from bot.cli.events import answer_event  # noqa: PLC0415 - as above
    from rules.loader import load_book  # noqa: PLC0415 - as above

    return _answer(sys.stdin.buffer, answer_event, load_book("battlesystem"))


def run_roll(args: argparse.Namespace) -> int:
    """Roll one expression with the dice of the system."""
    from bot.cli.roll import roll_text  # noqa: PLC0415 - as above
    from bot.core.system_dice import SystemDice  # noqa: PLC0415 - as above

    _say(json.dumps(roll_text(" ".join(args.expression), SystemDice())))
    return 0


def run_coverage(args: argparse.Namespace) -> int:
    """Print the page of what the books cover."""
    from rules.coverage import coverage_page  # noqa: PLC0415 - as above

    sys.stdout.write(coverage_page(args.cases))
    return 0


def run_lint(args: argparse.Namespace) -> int:
    """Print every fault of every file; return 1 when there is one."""
    from rules.loader import check  # noqa: PLC0415 - as above

    faulty = False
    for file in args.files:
        try:
            check(file)
            _say(f"{file}: no faults")
        except BookError as error:
            faulty = True
            _say(str(error))
    return int(faulty)


def _add(
    commands: Subparsers, name: str, handler: Callable[[argparse.Namespace], int], says: str
) -> argparse.ArgumentParser:
    """Add a subcommand that works on one book."""
    parser = commands.add_parser(name, help=says, description=says)
    parser.add_argument("--book", default="campaign", help="id of the rule book (default: %(default)s)")
    parser.add_argument("--overlay", metavar="FILE", action="append", default=[], type=Path, help="may be repeated")
    parser.set_defaults(handler=handler)
    return parser


def _book(args: argparse.Namespace) -> Book:
    from rules.loader import load_book  # noqa: PLC0415 - as above

    return load_book(args.book, overlays=args.overlay)


def _folder(path: str) -> Path:
    """Return the path of a folder that exists."""
    if not Path(path).is_dir():
        raise argparse.ArgumentTypeError(f"the folder {path} doesn't exist")
    return Path(path)


def _answer(lines: Iterable[bytes], answer: Callable[[bytes, PageT], dict[str, Any]], page: PageT) -> int:
    """Print one answer per line, each out before the next line is read."""
    for line in lines:
        _say(json.dumps(answer(line, page)))
        sys.stdout.flush()
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
