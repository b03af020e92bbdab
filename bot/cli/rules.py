"""`adjutant rules`: shows and checks rule books, rolls dice."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.cli.subparsers import Subparsers
from rules import errors, phrases

if TYPE_CHECKING:
    from rules import modifiers, tables
    from rules.dice import Dice
    from rules.expression import RepeatResult


def roll_text(text: str, dice: Dice) -> dict[str, Any]:
    """Return faces, totals, range and mean of an expression, as JSON."""
    from rules.expression import Expression  # noqa: PLC0415 - no other command needs it

    expression = Expression.parse(text)
    low, high = expression.span
    mean = expression.mean
    return {
        "expression": expression.text,
        "label": expression.label,
        "rolls": [_record_fall(fall) for fall in expression.roll(dice)],
        "range": {"min": low, "max": high},
        "mean": None if mean is None else {"exact": str(mean), "about": round(float(mean), 4)},
        "explosions_per_die": expression.explosions,
    }


def _record_fall(fall: RepeatResult) -> dict[str, object]:
    pools = []
    for roll in fall.pool_rolls:
        fell = [{"faces": die.faces, "kept": die.kept} for die in roll.dice]
        pools.append({"dice": str(roll.pool), "fell": fell, "total": roll.total})
    return {"total": fall.total, "pools": pools}


def show_table(table: tables.RollTable) -> str:
    """Return a table with odds, and modifiers by group."""
    return "\n".join(_list_lines(table))


def _list_lines(table: tables.RollTable) -> Iterator[str]:
    from rules import odds  # noqa: PLC0415 - as above

    yield f"{table.title} ({table.id})"
    yield f"{table.dice_text}, {table.source.book}: {table.source.section}"
    chances = {name: f"{round(float(100 * chance), 2):g}%" for name, chance in odds.table_odds(table, 0).items()}
    yield from _list_block_lines(
        "Rows, with the odds of the plain die",
        (
            (phrases.span(row.min, row.max), chances[row.outcome], row.outcome, row.text, _does(row), _at(row.line))
            for row in table.rows
        ),
    )
    yield from _list_block_lines(
        "Faces that decide by themselves",
        ((str(natural.face), natural.outcome, _at(natural.line)) for natural in table.naturals),
    )
    yield from _list_block_lines(
        "Read otherwise",
        (
            (reading.id, ", ".join(f"{old} as {new}" for old, new in reading.rows.items()), _at(reading.line))
            for reading in table.readings.values()
        ),
    )
    yield from _list_block_lines(
        "Numbers", ((str(item.value), item.id, item.label, _at(item.line)) for item in table.numbers.values())
    )
    for group in dict.fromkeys(modifier.group for modifier in table.modifiers):
        members = (modifier for modifier in table.modifiers if modifier.group == group)
        yield from _list_block_lines(f"Modifiers: {group}", map(_modifier, members))


def _does(row: tables.TableRow) -> str:
    consequences = ((item.do, item.to, item.amount, item.turns and f"for {item.turns} turns") for item in row.then)
    return ", ".join(" ".join(str(word) for word in words if word is not None) for words in consequences)


def _modifier(modifier: modifiers.Modifier) -> tuple[str, ...]:
    kind = f"one of {modifier.one_of}" if modifier.one_of else ""
    per = f"per {modifier.per}" if modifier.per else f"times {modifier.times}" if modifier.times else ""
    return f"{modifier.value:+d}", modifier.id, modifier.label, " ".join(filter(None, (kind, per))), _at(modifier.line)


def _list_block_lines(title: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    cells = list(rows)
    if not cells:
        return
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield ""
    yield title
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width).rstrip()


def _at(line: int) -> str:
    return f"line {line}"


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
    from rules.loader import load_book  # noqa: PLC0415 - as above

    _say(show_table(load_book(args.book, overlays=args.overlay).table(args.table)))
    return 0


def _run_roll(args: argparse.Namespace) -> int:
    from bot.core.draws import SystemDice  # noqa: PLC0415 - as above

    _say(json.dumps(roll_text(" ".join(args.expression), SystemDice())))
    return 0


def _run_lint(args: argparse.Namespace) -> int:
    from rules.loader import check_path  # noqa: PLC0415 - as above

    faulty = False
    for file in args.files:
        try:
            check_path(file)
            _say(f"{file}: no faults")
        except errors.BookError as error:
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
