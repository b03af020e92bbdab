"""The `adjutant` command; its modules import what's heavy only when a subcommand runs."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from bot.cli import capsule, database, rules, run
from bot.core.errors import StartError
from rules.errors import BookError, RulesError

COMMANDS = (
    run.add,
    run.add_doctor,
    run.add_demo,
    run.add_web,
    run.add_site,
    database.add_db,
    database.add_backup,
    database.add_restore,
    capsule.add,
    database.add_ledger,
    rules.add,
    capsule.add_verify,
)
"""Adds the commands, in the order of help."""
_EXIT_FAULTS = 1
_EXIT_MISUSE = 2
_EXIT_INTERRUPTED = 130
_EXIT_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    1: faults in rule files or ledgers; 2: misuse; 130: Ctrl-C; 141: a reader went away.
    """
    args = _parser().parse_args(argv)
    try:
        done = args.handler(args)
        code: int = asyncio.run(done) if asyncio.iscoroutine(done) else done
        sys.stdout.flush()
    except RulesError as error:
        sys.stderr.write(f"{error}\n")
        return _EXIT_FAULTS if isinstance(error, BookError) else _EXIT_MISUSE
    except StartError as error:
        sys.stderr.write(f"{error}\n")
        return _EXIT_MISUSE
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes once more at exit; without a reader, that has to go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _EXIT_BROKEN_PIPE
    return code


def _load_app() -> ModuleType:
    # Load `bot.app`, which is slow, only for commands that need it.
    from bot import app  # noqa: PLC0415

    return app


class _Version(argparse.Action):
    """Prints the version, which is slow to read."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415

        sys.stdout.write(f"adjutant {version('adjutant')}\n")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="adjutant", description="A Discord bot for game masters of play-by-post war games."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    parser.set_defaults(app=_load_app)
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(subparsers)
    return parser
