"""`adjutant rules`: what it prints, what it answers to lines of JSON, and how it exits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.cli.queries import answer_odds, answer_roll
from bot.cli.show import show_table
from rules.book import Book
from rules.dump import dump_book
from rules.loader import BOOKS, book_ids, load_book, load_folder
from tests.rules.toybook import TOY

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


@pytest.fixture(scope="module")
def small() -> Book:
    """The small book of the tests."""
    return load_folder(TESTS / "overlays" / "small")


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """An overlay of the campaign book without one of its modifiers."""
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    return file


def adjutant(*args: str | Path, lines: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "bot", "rules", *map(str, args)]
    return subprocess.run(command, input=lines, capture_output=True, check=False, timeout=60)  # noqa: S603 - our own words


def asked(**query: Any) -> bytes:  # noqa: ANN401 - any JSON
    """A line of JSON."""
    return json.dumps(query).encode()


def test_resolve_tells_total_row_and_every_modifier(small: Book) -> None:
    """The answer names the row and each modifier considered, counted or not, in the order of the page."""
    answer = answer_roll(
        asked(table="small.catch", faces=[12], modifiers={"patrol.fleet": 1, "service.balloons": 2}), small
    )
    assert (answer["total"], answer["outcome"], answer["row"]) == (15, "missed", {"min": None, "max": 17})
    modifiers = {item.pop("id"): item for item in answer["modifiers"]}
    assert list(modifiers) == [modifier.id for modifier in small.table("small.catch").modifiers]
    assert modifiers["service.balloons"] == {"value": -1, "count": 2, "counted": True, "amount": -2, "why": ""}
    assert modifiers["target.newtype"]["counted"] is False
    assert modifiers["target.newtype"]["why"] == "not known to be true"


def test_resolve_takes_facts_readings_and_several_dice(small: Book) -> None:
    """Facts switch modifiers on, a reading turns rows, two dice take two faces, and a natural face is told."""
    assert answer_roll(asked(table="small.catch", faces=[16], facts=["patrol.fleet"]), small)["total"] == 21
    assert answer_roll(asked(table="small.catch", faces=[20], reading="at-night"), small)["outcome"] == "missed"
    answer = answer_roll(asked(table="small.damage", faces=[6, 6]), small)
    assert (answer["total"], answer["natural"]) == (12, True)


def test_odds_are_exact(small: Book) -> None:
    """Each outcome has its chance as a fraction and in percent, impossible ones included; faces are refused, and any other bad line is answered as for rolls."""
    assert answer_odds(asked(table="small.catch", modifiers={"service.balloons": 3}), small) == {
        "odds": [
            {"outcome": "missed", "chance": "1", "percent": 100.0},
            {"outcome": "caught", "chance": "0", "percent": 0.0},
        ]
    }
    heavy = answer_odds(asked(table="small.damage"), small)["odds"][0]
    assert heavy == {"outcome": "heavy", "chance": "5/18", "percent": 27.78}
    assert "faces: unknown key" in answer_odds(asked(table="small.catch", faces=[1]), small)["error"]
    assert "blank" in answer_odds(b"\n", small)["error"]


def test_odds_of_a_check_are_those_of_its_value() -> None:
    """Whose value nobody gives has none: that is said, as it is where such a roll is asked for."""
    check = answer_odds(asked(table="toy.climb"), TOY)["odds"]
    assert [item["percent"] for item in check] == [49.0, 20.0, 31.0]
    (missing,) = {
        answer_odds(asked(table="toy.parry"), TOY)["error"],
        answer_roll(asked(table="toy.parry", faces=[7]), TOY)["error"],
    }
    assert "a number to read it against is missing" in missing
    assert "1d100 against 50" in show_table(TOY.table("toy.climb"))


BAD_LINES = [
    (b"", "blank"),
    (b"   \r\n", "blank"),
    (b"{", "isn't JSON"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b"[]", "isn't a JSON object: []"),
    (b"17", "isn't a JSON object: 17"),
    (b"null", "isn't a JSON object: null"),
    (b"{}", "missing table"),
    (b'{"table": "small.catch", "faces": [NaN]}', "NaN isn't a JSON number"),
    (b'{"table": "small.catch", "faces": [Infinity]}', "Infinity isn't a JSON number"),
    (b'{"table": "small.catch", "faces": [1e3]}', "faces: 1000.0 is not a whole number"),
    (b'{"table": "small.catch", "faces": [' + b"9" * 5000 + b"]}", "too many digits"),
    (b'{"table": "small.catch", "faces": [' + b"9" * 50 + b"]}", "is too large"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000, "nested too deeply"),
    (b'{"table": "small.catch", "table": "small.damage"}', "table: written twice"),
    (asked(table="small.catch", faces=[True]), "faces: true is not a whole number"),
    (asked(table="small.catch", faces=["12"]), 'faces: "12" is not a whole number'),
    (asked(table="small.catch", faces=12), "faces: 12 is not a list in [ ]: write"),
    (asked(table="small.catch", faces=[]), "no more faces"),
    (asked(table="small.catch", faces=[1, 2]), "1 of 2 dice written down were never asked for"),
    (asked(table="small.damage", faces=[6]), "no more faces"),
    (asked(table="small.catch", faces=[0]), "a d20 has no face 0"),
    (asked(table="small.catch", faces=[21]), "a d20 has no face 21"),
    (asked(table="small.cacth", faces=[1]), "the table 'small.cacth'. Did you mean 'small.catch'?"),
    (asked(table="small.catch", faces=[1], modifiers={"patrol.flet": 1}), "Did you mean 'patrol.fleet'?"),
    (
        asked(table="small.catch", faces=[1], modifiers={"patrol.fleet": True}),
        "patrol.fleet: true is not a whole number",
    ),
    (asked(table="small.catch", faces=[1], modifiers={"patrol.fleet": 2}), "can't count 2 times"),
    (asked(table="small.catch", faces=[1], modifiers={"service.balloons": -1}), "can't count -1 times"),
    (
        asked(table="small.catch", faces=[1], modifiers={"service.balloons": 10**9}),
        "service.balloons: 1000000000 is too large",
    ),
    (asked(table="small.catch", faces=[1], modifiers={"patrol.fleet": 1, "patrol.ship": 1}), "Only one of these"),
    (asked(table="small.catch", faces=[1], modifiers=["patrol.fleet"]), "modifiers: a list is not a table"),
    (asked(table="small.catch", faces=[1], facts=["target.newtpye"]), "the fact 'target.newtpye'. Did you mean"),
    (asked(table="small.catch", faces=[1], reading="at-nihgt"), "the reading 'at-nihgt'. Did you mean 'at-night'?"),
    (asked(table="small.catch", faces=[1], reading="at-night", modifiers={"weather.hides": 1}), "leaves out modifier"),
    (asked(table="small.catch", fases=[1]), "fases: unknown key, did you mean faces?"),
    (b'{"table": "\\ud800", "faces": [1]}', "half of a surrogate pair"),
]


@pytest.mark.parametrize(("line", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_a_bad_line_is_answered(small: Book, line: bytes, words: str) -> None:
    """Whatever is wrong with a line, the answer is one line of JSON that says what."""
    answer = answer_roll(line, small)
    assert list(answer) == ["error"]
    assert words in answer["error"]
    assert "\n" not in json.dumps(answer)


EVENT, STACK, VALUE = b'{"op": "event", "d100": 65}', b'{"op": "stack", "size": 5}', b'{"op": "sv", "attribute": 13}'


@pytest.mark.parametrize(
    ("command", "good", "key"),
    [
        ("resolve", asked(table=CATCH, faces=[18]), "total"),
        ("roe", STACK, "sides"),
        pytest.param("infinity", VALUE, "sv", marks=pytest.mark.slow),
        pytest.param("events", EVENT, "event", marks=pytest.mark.slow),
    ],
)
def test_one_answer_for_each_line_in_order(command: str, good: bytes, key: str) -> None:
    """Good, bad and blank lines are answered one by one, and the process ends well."""
    done = adjutant(
        command, lines=b"\n".join([good, b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"op": "hat"}', good])
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[*answer] if "error" in answer else key in answer for answer in answers] == [True, *[["error"]] * 6, True]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_each_answer_comes_before_the_next_line_is_asked() -> None:
    """A program may talk with the command line by line; a reader that goes away, even early, makes no noise."""
    command = [sys.executable, "-m", "bot", "rules", "odds"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - our own words
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for _ in range(2):
            process.stdin.write(asked(table=CATCH) + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["odds"][1]["chance"] == "3/20"
        process.stdout.close()
        process.stdin.write(asked(table=CATCH) + b"\n")
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


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
