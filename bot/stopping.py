"""How a running process is stopped: by Ctrl-C, or by a signal of the system."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from functools import partial

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)  # the last on Windows only: Ctrl-Break, and what a service gets


def call_on_stop(stop: Callable[[], object]) -> None:
    """Have the running loop call `stop` when the process is asked to stop, on Windows too."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # the loops of Windows
            signal.signal(number, partial(_stop_soon, loop, stop))


def _stop_soon(loop: asyncio.AbstractEventLoop, stop: Callable[[], object], *_: object) -> None:
    loop.call_soon_threadsafe(stop)
