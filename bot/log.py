"""Logging to standard output, or to a file a day for 30 days: one canonical line per interaction, text on a terminal and JSON elsewhere.

The standard library's logging, with the fields of a line under `extra`: `log.info("ready", extra={"guilds": 3})`.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, date, datetime, timedelta
from functools import partial
from io import TextIOWrapper
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path
from typing import Literal

DAYS = 30
"""For how many days a file of lines is kept."""

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class Line(logging.Formatter):
    """A record as one line: time, level, logger, event, and its fields; a traceback is a field in JSON."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields = {name: value for name, value in vars(record).items() if name not in _PLAIN}
        head = {"at": at, "level": record.levelname.lower(), "logger": record.name, "event": record.getMessage()}
        if self._as_json:
            failure = {"exception": self.formatException(record.exc_info)} if record.exc_info else {}
            return json.dumps({**head, **fields, **failure}, default=str, ensure_ascii=False)
        pairs = " ".join(f"{name}={value}" for name, value in fields.items())
        line = f"{at} {head['level']:7} {head['event']}  {pairs}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class DailyFile(TimedRotatingFileHandler):
    """A file for each day (UTC), with its date behind the name once the day is over; only its owner reads it.

    Lines name who has used a command. What is older than `DAYS` is deleted, at the start and with each day.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, when="midnight", utc=True, backupCount=DAYS, encoding="utf-8")
        for old in self.getFilesToDelete():
            Path(old).unlink()

    def getFilesToDelete(self) -> list[str]:  # noqa: N802 - the standard library's name
        """Return the files of days that are too long ago; how many there are does not matter."""
        current = Path(self.baseFilename)
        oldest = (datetime.now(UTC) - timedelta(days=DAYS)).date()
        found = ((_day(item.name.removeprefix(f"{current.name}.")), item) for item in current.parent.iterdir())
        return [str(item) for day, item in found if day is not None and day < oldest]

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, opener=partial(os.open, mode=0o600))


def _day(suffix: str) -> date | None:
    """Return the date behind the name of a file; None where there is none."""
    try:
        return date.fromisoformat(suffix)
    except ValueError:
        return None


def configure(level: str, style: Literal["auto", "json", "text"], file: Path | None = None) -> None:
    """Send all loggers to standard output or a file, one line a record.

    Raises:
        OSError: the file cannot be written.

    """
    as_json = style == "json" or (style == "auto" and (file is not None or not sys.stdout.isatty()))
    handler = logging.StreamHandler(sys.stdout) if file is None else DailyFile(file)
    handler.setFormatter(Line(as_json=as_json))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("aiosqlite", "alembic", "discord.gateway", "discord.client"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, logging.getLevelName(level)))
