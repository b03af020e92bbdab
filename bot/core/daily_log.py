"""Log files: one a day, deleted after 30 days."""

import os
from datetime import UTC, date, datetime, timedelta
from functools import partial
from io import TextIOWrapper
from logging.handlers import TimedRotatingFileHandler
from pathlib import Path

DAYS = 30


class DailyFile(TimedRotatingFileHandler):
    """A private file per UTC day; old ones are deleted."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, when="midnight", utc=True, backupCount=DAYS, encoding="utf-8")
        for old in self.getFilesToDelete():
            Path(old).unlink()

    def getFilesToDelete(self) -> list[str]:  # noqa: N802 - the standard library's name
        """Return files older than `DAYS`."""
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
