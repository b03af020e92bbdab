"""Print one answer for each line of JSON on standard input, each before the next line is read."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rules.errors import RulesError
from rules.loader import load_book
from tests.answers import infinity, roe, tables, total_war
from tests.answers.lines import Answer

TOPICS = ("resolve", "odds", "infinity", "events", "roe", "total-war")
BROKEN_PIPE = 141
"""How a process ends, as shells have it, whose reader went away."""


def main() -> int:
    """Answer standard input; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    parser.add_argument("topic", choices=TOPICS)
    parser.add_argument("--book", default="campaign", help="of resolve and odds (default: %(default)s)")
    parser.add_argument("--overlay", metavar="FILE", action="append", default=[], type=Path, help="may be repeated")
    args = parser.parse_args()
    try:
        answer = _find_answer(args)
    except RulesError as error:
        parser.error(str(error))
    try:
        for line in sys.stdin.buffer:
            sys.stdout.write(f"{json.dumps(answer(line))}\n")
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more at exit
        return BROKEN_PIPE
    return 0


def _find_answer(args: argparse.Namespace) -> Callable[[bytes], Answer]:
    match args.topic:
        case "infinity":
            return infinity.answer
        case "events":
            return partial(tables.answer, tables.event, book=load_book("battlesystem"))
        case "roe":
            return partial(roe.answer, book=load_book("roe"))
        case "total-war":
            return partial(total_war.answer, book=load_book("total_war"))
    op = tables.roll if args.topic == "resolve" else tables.odds
    return partial(tables.answer, op, book=load_book(args.book, overlays=args.overlay))


if __name__ == "__main__":
    sys.exit(main())
