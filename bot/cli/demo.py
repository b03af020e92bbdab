"""`adjutant demo`: the bot in a browser, without a token."""

from __future__ import annotations

import argparse
import importlib.util
import socket
import sys
from collections.abc import Iterable
from pathlib import Path

from bot.cli.subparsers import Subparsers


def add(subparsers: Subparsers) -> None:
    """Register the subcommand."""
    parser = subparsers.add_parser("demo", help="try the bot in a browser, without a token")
    parser.add_argument("--port", type=int, default=None, help="the port on 127.0.0.1 (default: any free one)")
    parser.add_argument("--data", type=Path, default=None, help="a folder for the demo's data")
    parser.set_defaults(handler=run)


def taken(ports: Iterable[int]) -> int | None:
    """Return the first of these ports on which nothing can be served; None where all are free."""
    for port in ports:
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                return port
    return None


def run(args: argparse.Namespace) -> int:
    """Serve the demo until it is interrupted."""
    if importlib.util.find_spec("simcord") is None:
        sys.stderr.write("The demo needs simcord: pip install 'adjutant[demo]'\n")
        return 2
    from bot.demo.serve import PAGES  # noqa: PLC0415
    from bot.demo.serve import run as serve  # noqa: PLC0415

    busy = None if args.port is None else taken(range(args.port, args.port + PAGES))
    if busy is not None:
        last = args.port + PAGES - 1
        told = f"Port {busy} is in use. The demo needs ports {args.port} to {last}: pick others, or leave out --port."
        sys.stderr.write(f"{told}\n")
        return 2
    return serve(args.app().create_bot, args.port, args.data)
