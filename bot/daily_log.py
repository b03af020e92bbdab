"""Log files: one a day, gone after 30 days."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from functools import partial
from io import TextIOWrapper
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path

DAYS = 30
"""For how many days a file is kept."""


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
    try:
        return date.fromisoformat(suffix)
    except ValueError:
        return None
