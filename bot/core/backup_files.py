"""The files of backups in a folder, by their names."""

from __future__ import annotations

import re
from datetime import datetime
from operator import attrgetter
from pathlib import Path

SQLITE, POSTGRESQL = ".db", ".dump"
PREFIX = "adjutant-"
_NAME = re.compile(rf"{PREFIX}\d{{8}}T\d{{12}}Z\.(?:db|dump)")


def name(at: datetime, suffix: str) -> str:
    """Return the name of a backup that is made at a time in UTC."""
    return f"{PREFIX}{at:%Y%m%dT%H%M%S%f}Z{suffix}"


def every(folder: Path) -> list[Path]:
    """Return the backups in a folder, the newest first."""
    return sorted(
        (file for file in folder.glob(f"{PREFIX}*") if _NAME.fullmatch(file.name)), reverse=True, key=attrgetter("stem")
    )


def made_on(folder: Path, day: datetime) -> bool:
    """Return whether there is a backup that was made on a day in UTC."""
    return any(file.name.startswith(f"{PREFIX}{day:%Y%m%d}") for file in every(folder))
