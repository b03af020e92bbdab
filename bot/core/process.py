"""Logging, one line per record, and stopping the process."""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)
)  # the last on Windows only: Ctrl-Break, and what a service gets


def call_on_stop(stop: Callable[[], object]) -> None:
    """Call `stop` when the process should stop, on Windows too."""
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        try:
            loop.add_signal_handler(number, stop)
        except NotImplementedError:  # the loops of Windows
            signal.signal(number, partial(_stop_soon, loop, stop))


def _stop_soon(loop: asyncio.AbstractEventLoop, stop: Callable[[], object], *_: object) -> None:
    loop.call_soon_threadsafe(stop)


_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class Line(logging.Formatter):
    """A log record as one line of text or JSON."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return a record's line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {name: value for name, value in vars(record).items() if name not in _PLAIN}
        head = {"at": at, "level": record.levelname.lower(), "logger": record.name, "event": record.getMessage()}
        if self._as_json:
            failure = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
            return json.dumps({**head, **fields, **failure}, default=str, ensure_ascii=False)
        pairs = " ".join(f"{name}={value}" for name, value in fields.items())
        line = f"{at} {head['level']:7} {head['event']}  {pairs}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def configure(level: str, style: Literal["auto", "json", "text"], file: Path | None = None) -> None:
    """Log to standard output or a file, or raise OSError."""
    as_json = style == "json" or (style == "auto" and (file is not None or not sys.stdout.isatty()))
    handler: logging.Handler = logging.StreamHandler(sys.stdout)
    if file is not None:
        from bot.core.daily_log import DailyFile  # noqa: PLC0415 - most start without such a file

        handler = DailyFile(file)
    handler.setFormatter(Line(as_json=as_json))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("aiosqlite", "alembic", "discord.gateway", "discord.client"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLevelName(level)))
