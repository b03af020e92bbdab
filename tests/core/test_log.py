"""Daily, private log files."""

from __future__ import annotations

import logging
from argparse import Namespace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.core.daily_log import DAYS, DailyFile
from bot.core.errors import StartError


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log's path, among older files."""
    path = tmp_path / "adjutant.log"
    for days in (1, DAYS - 1, DAYS, DAYS + 1, DAYS + 400):
        day = (datetime.now(UTC) - timedelta(days=days)).date()
        (tmp_path / f"adjutant.log.{day}").write_text("user=1")
    (tmp_path / "adjutant.log.note").write_text("kept")
    (tmp_path / "other.log.2001-01-01").write_text("kept")
    return path


def days_left(path: Path) -> list[int]:
    """Ages of the files left."""
    dates = (item.name.removeprefix("adjutant.log.") for item in path.parent.glob("adjutant.log.2*"))
    return sorted((datetime.now(UTC).date() - datetime.fromisoformat(day).date()).days for day in dates)


def write(handler: DailyFile, text: str) -> None:
    """Log a line."""
    handler.emit(logging.LogRecord("bot", logging.INFO, __file__, 1, text, None, None))


def test_files_of_more_than_thirty_days_go_at_the_start(log: Path) -> None:
    """Other files stay."""
    handler = DailyFile(log)
    write(handler, "today")
    handler.close()
    assert days_left(log) == [1, DAYS - 1, DAYS]
    assert (log.parent / "adjutant.log.note").exists()
    assert (log.parent / "other.log.2001-01-01").exists()
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_day_that_is_over_gets_its_date(log: Path) -> None:
    """The next day's first line renames it."""
    handler = DailyFile(log)
    write(handler, "yesterday")
    old = log.parent / f"adjutant.log.{(datetime.now(UTC) - timedelta(days=DAYS + 5)).date()}"
    old.write_text("user=1")
    handler.rolloverAt = int(datetime.now(UTC).timestamp()) - 1
    write(handler, "today")
    handler.close()
    assert log.read_text("utf-8") == "today\n"
    assert not old.exists()
    assert any("yesterday" in item.read_text("utf-8") for item in log.parent.glob("adjutant.log.2*"))


def test_a_file_that_cannot_be_written_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting is named."""
    from bot.cli import run  # noqa: PLC0415 - as the command line does

    monkeypatch.setenv("LOG_FILE", str(tmp_path / "missing" / "adjutant.log"))
    with pytest.raises(StartError, match="LOG_FILE"):
        run.run(Namespace(shards=None))
