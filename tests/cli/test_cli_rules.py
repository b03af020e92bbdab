"""`adjutant rules`: what it prints, and how it exits."""

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
    """An overlay of the campaign book without one of its modifiers."""
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    return file


def adjutant(*args: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "bot", "rules", *args]
    return subprocess.run(command, capture_output=True, check=False, timeout=60)  # noqa: S603 - our own words


def test_dump_prints_the_book(capsys: pytest.CaptureFixture[str], overlay: Path) -> None:
    """The dump is every book as JSON, each overlay laid over the book that it extends, or the one book asked for."""
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
    """An overlay that does not load ends the command with its faults and 1."""
    assert main(["rules", "dump", "--overlay", str(tmp_path / "nowhere.toml")]) == 1
    streams = capsys.readouterr()
    assert (streams.out, "nowhere.toml:1: this file can't be read" in streams.err) == ("", True)


def test_show_prints_rows_and_modifiers(capsys: pytest.CaptureFixture[str], overlay: Path) -> None:
    """A shown table has its ranges, the odds of the plain die, and its modifiers with sign, alternatives, unit and line; one that an overlay removes is not shown."""
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
    """What the book has not is answered on the error stream with the nearest name."""
    assert main(["rules", *args]) == 2
    streams = capsys.readouterr()
    assert (streams.out, words in streams.err) == ("", True)


def test_lint_finds_no_faults_in_what_is_shipped(capsys: pytest.CaptureFixture[str], overlay: Path) -> None:
    """A book's folder, one of its tables and an overlay are each found faultless."""
    files = [BOOKS / "campaign", BOOKS / "campaign" / "scouting.toml", NOTHING, overlay]
    assert main(["rules", "lint", *map(str, files)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{file}: no faults" for file in files]


def test_lint_prints_every_fault(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each fault is a line with file and line, whatever is wrong with the paths, and the exit code is 1."""
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


def test_lint_asks_nothing_of_a_book_without_procedures(tmp_path: Path) -> None:
    """A folder of one's own may do without the tables that the campaign's rolls need."""
    book = shutil.copytree(
        BOOKS / "campaign", tmp_path / "campaign", ignore=shutil.ignore_patterns("*.py", "scouting.toml")
    )
    assert main(["rules", "lint", str(book)]) == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("lint nowhere", 1),
        *(pytest.param(words, 2, marks=pytest.mark.slow) for words in ("show nothing", "frobnicate")),
    ],
)
def test_the_process_has_the_exit_code(words: str, code: int) -> None:
    """The code that a command ends with is that of the process."""
    assert adjutant(*words.split()).returncode == code
