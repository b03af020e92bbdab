"""`adjutant demo`: the bot in a browser, without a token."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from bot.cli.subparsers import Subparsers


def add(subparsers: Subparsers) -> None:
    """Register the subcommand."""
    parser = subparsers.add_parser("demo", help="try the bot in a browser, without a token")
    parser.add_argument("--port", type=int, default=None, help="the port on 127.0.0.1; any free one unless named")
    parser.add_argument("--data", type=Path, default=None, help="a folder to keep the demo's data in")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Serve the demo until it is interrupted."""
    if importlib.util.find_spec("simcord") is None:
        sys.stderr.write("The demo needs the package simcord: pip install 'simcord[preview]==3.2.1'\n")
        return 2
    from bot.demo.serve import run as serve  # noqa: PLC0415

    return serve(args.app().create_bot, args.port, args.data)
