from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import adjutant
from tests.support.template import copy_to

ROOT = Path(__file__).parents[2]


def _run(database: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "bot", *words],
        cwd=ROOT,
        env={"DATABASE_URL": f"sqlite:///{database}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_upgrade_brings_a_database_up_to_date_and_says_so(tmp_path: Path) -> None:
    """The second run has nothing to do."""
    file = tmp_path / "adjutant.db"
    first, second = _run(file, "db", "upgrade"), _run(file, "db", "upgrade")

    assert (first.returncode, first.stderr, second.returncode, second.stderr) == (0, "", 0, "")
    assert first.stdout.startswith("The database was upgraded to revision 00")
    assert second.stdout.startswith("The database is at revision 00")


@pytest.mark.parametrize("words", ["ledger check", "ledger rebuild", "backup --to .", "export Sea FILE"])
def test_a_mistyped_address_is_refused_and_nothing_is_created(tmp_path: Path, words: str) -> None:
    """Empty files are refused too."""
    typed = [str(tmp_path / "new") if word in {".", "FILE"} else word for word in words.split()]
    refused = adjutant(f"sqlite:///{tmp_path / 'adjutant.db'}", *typed)
    told = f"I found no database at {tmp_path / 'adjutant.db'}. Check DATABASE_URL. Nothing was created.\n"
    assert (refused.code, refused.err, [*tmp_path.iterdir()]) == (2, told, [])
    (tmp_path / "adjutant.db").touch()
    refused = adjutant(f"sqlite:///{tmp_path / 'adjutant.db'}", *typed)
    assert refused.err.startswith("The database has no campaign tables."), refused.err


def test_ledger_commands_say_that_there_is_nothing_yet(tmp_path: Path) -> None:
    """Without campaigns they exit 0."""
    copy_to(tmp_path / "adjutant.db")
    for word in ("check", "rebuild"):
        told = adjutant(f"sqlite:///{tmp_path / 'adjutant.db'}", "ledger", word)
        assert (told.code, told.out) == (0, "No campaigns yet.\n"), told.err
