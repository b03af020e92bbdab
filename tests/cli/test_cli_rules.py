from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import main
from rules.loader import BOOKS, book_ids, load_book
from rules.ruleset import dump_book

TESTS = Path(__file__).parents[1] / "rules"
NOTHING = TESTS / "overlays" / "nothing.toml"
CATCH = "campaign.patrol.catch"
MINE = """
[overlay]
id = "mine"
extends = "campaign"
source = { book = "House rules", section = "Patrols" }

[[change]]
table = "campaign.patrol.catch"
remove-modifiers = ["target.newtype"]
"""


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """Write an overlay that removes a modifier."""
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    return file


def _run_adjutant(*args: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "bot", "rules", *args]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603 - our own words


def test_dump_prints_the_book(capsys: pytest.CaptureFixture[str], overlay: Path) -> None:
    """As JSON, with overlays."""
    assert main(["rules", "dump"]) == 0
    assert json.loads(capsys.readouterr().out) == {"books": [dump_book(load_book(book)) for book in book_ids()]}
    assert main(["rules", "dump", "--overlay", str(NOTHING), "--overlay", str(overlay)]) == 0
    changed = {book["id"]: book for book in json.loads(capsys.readouterr().out)["books"]}
    assert changed.pop("campaign") == dump_book(load_book("campaign", overlays=[overlay]))
    assert changed == {book: dump_book(load_book(book)) for book in changed}
    assert main(["rules", "dump", "--book", "campaign", "--overlay", str(overlay)]) == 0
    (alone,) = json.loads(capsys.readouterr().out)["books"]
    assert alone["fingerprint"] != load_book("campaign").fingerprint


def test_a_faulty_overlay_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With its faults and exit code 1."""
    assert main(["rules", "dump", "--overlay", str(tmp_path / "nowhere.toml")]) == 1
    streams = capsys.readouterr()
    assert (streams.out, "nowhere.toml:1: this file can't be read" in streams.err) == ("", True)


def test_show_prints_rows_and_modifiers(capsys: pytest.CaptureFixture[str], overlay: Path) -> None:
    """With odds and lines, without removed ones."""
    assert main(["rules", "show", CATCH]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "1d20, campaign-rolls: Patrol Table 1" in lines
    assert any(line.startswith("17 or less 85% no-catch") and line.endswith("line 27") for line in lines)
    assert any(line.startswith("18 or more 15% caught") for line in lines)
    assert any(line.startswith("+5 patrol.fleet") and line.endswith("one of patrol-kind line 37") for line in lines)
    assert any(line.startswith("-1 ") and line.endswith("per balloon service line 60") for line in lines)
    assert main(["rules", "show", CATCH, "--overlay", str(overlay)]) == 0
    assert "target.newtype" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["show", "campaign.patrol.cacth"], "Did you mean 'campaign.patrol.catch'?"),
        (["dump", "--book", "campain"], "Did you mean 'campaign'?"),
    ],
)
def test_unknown_names_exit_with_2(capsys: pytest.CaptureFixture[str], args: list[str], words: str) -> None:
    """The nearest name is suggested."""
    assert main(["rules", *args]) == 2
    streams = capsys.readouterr()
    assert (streams.out, words in streams.err) == ("", True)


def test_lint_finds_no_faults_in_what_is_shipped(
    capsys: pytest.CaptureFixture[str], overlay: Path, tmp_path: Path
) -> None:
    """Folder, file and overlay; a folder needs no campaign tables."""
    files = [BOOKS / "campaign", BOOKS / "campaign" / "scouting.toml", NOTHING, overlay]
    assert main(["rules", "lint", *map(str, files)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{file}: no faults" for file in files]
    book = shutil.copytree(
        BOOKS / "campaign", tmp_path / "campaign", ignore=shutil.ignore_patterns("*.py", "scouting.toml")
    )
    assert main(["rules", "lint", str(book)]) == 0


def test_lint_prints_every_fault(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With file and line; exit code 1."""
    junk = tmp_path / "junk.toml"
    junk.write_bytes(bytes(range(256)))
    broken = TESTS / "broken" / "five-faults.toml"
    missing = tmp_path / "missing.toml"
    assert main(["rules", "lint", *map(str, (broken, NOTHING, missing, tmp_path, junk))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith(f"{broken}:")]) == 5
    assert f"{NOTHING}: no faults" in lines
    assert f"{missing}:1: this file can't be read: No such file or directory" in lines
    assert f"{tmp_path / 'book.toml'}:1: this file is missing: a book's folder needs one, with [book]" in lines
    assert f"{junk}:1: this isn't text: save it as UTF-8" in lines


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("lint nowhere", 1),
        *(pytest.param(words, 2, marks=pytest.mark.slow) for words in ("show nothing", "frobnicate")),
    ],
)
def test_the_process_has_the_exit_code(words: str, code: int) -> None:
    """It's the command's."""
    assert _run_adjutant(*words.split()).returncode == code
