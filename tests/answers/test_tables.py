from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from bot.cli.rules import show_table
from rules.book import Book
from rules.loader import load_folder
from tests.answers.tables import answer as ask
from tests.answers.tables import odds, roll
from tests.rules.toybook import TOY

ROOT = Path(__file__).parents[2]
ANSWERS = [sys.executable, "-m", "tests.answers"]
CATCH = "campaign.patrol.catch"


@pytest.fixture(scope="module")
def small() -> Book:
    """Load the small test book."""
    return load_folder(ROOT / "tests" / "rules" / "overlays" / "small")


def run_answers(topic: str, lines: bytes) -> subprocess.CompletedProcess[bytes]:
    """Answer in a separate process."""
    return subprocess.run([*ANSWERS, topic], input=lines, capture_output=True, check=False, timeout=60, cwd=ROOT)  # noqa: S603 - our own words


def make_line(**query: Any) -> bytes:  # noqa: ANN401 - any JSON
    """Make a line of JSON."""
    return json.dumps(query).encode()


def test_resolve_tells_total_row_and_every_modifier(small: Book) -> None:
    """In page order, counted or not."""
    answer = ask(
        roll, make_line(table="small.catch", faces=[12], modifiers={"patrol.fleet": 1, "service.balloons": 2}), small
    )
    assert (answer["total"], answer["outcome"], answer["row"]) == (15, "missed", {"min": None, "max": 17})
    modifiers = {item.pop("id"): item for item in answer["modifiers"]}
    assert list(modifiers) == [modifier.id for modifier in small.table("small.catch").modifiers]
    assert modifiers["service.balloons"] == {"value": -1, "count": 2, "counted": True, "amount": -2, "why": ""}
    assert modifiers["target.newtype"]["counted"] is False
    assert modifiers["target.newtype"]["why"] == "not known to be true"


def test_resolve_takes_facts_readings_and_several_dice(small: Book) -> None:
    """Naturals are named."""
    assert ask(roll, make_line(table="small.catch", faces=[16], facts=["patrol.fleet"]), small)["total"] == 21
    assert ask(roll, make_line(table="small.catch", faces=[20], reading="at-night"), small)["outcome"] == "missed"
    answer = ask(roll, make_line(table="small.damage", faces=[6, 6]), small)
    assert (answer["total"], answer["natural"]) == (12, True)


def test_odds_are_exact(small: Book) -> None:
    """As fraction and percent, without faces."""
    assert ask(odds, make_line(table="small.catch", modifiers={"service.balloons": 3}), small) == {
        "odds": [
            {"outcome": "missed", "chance": "1", "percent": 100.0},
            {"outcome": "caught", "chance": "0", "percent": 0.0},
        ]
    }
    heavy = ask(odds, make_line(table="small.damage"), small)["odds"][0]
    assert heavy == {"outcome": "heavy", "chance": "5/18", "percent": 27.78}
    assert "faces: unknown key" in ask(odds, make_line(table="small.catch", faces=[1]), small)["error"]
    assert "blank" in ask(odds, b"\n", small)["error"]


def test_odds_of_a_check_are_those_of_its_value() -> None:
    """Without a value it says so."""
    check = ask(odds, make_line(table="toy.climb"), TOY)["odds"]
    assert [item["percent"] for item in check] == [49.0, 20.0, 31.0]
    (missing,) = {
        ask(odds, make_line(table="toy.parry"), TOY)["error"],
        ask(roll, make_line(table="toy.parry", faces=[7]), TOY)["error"],
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
    (make_line(table="small.catch", faces=[True]), "faces: true is not a whole number"),
    (make_line(table="small.catch", faces=["12"]), 'faces: "12" is not a whole number'),
    (make_line(table="small.catch", faces=12), "faces: 12 is not a list in [ ]: write"),
    (make_line(table="small.catch", faces=[]), "no more faces"),
    (make_line(table="small.catch", faces=[1, 2]), "1 of 2 dice written down were never asked for"),
    (make_line(table="small.damage", faces=[6]), "no more faces"),
    (make_line(table="small.catch", faces=[0]), "a d20 has no face 0"),
    (make_line(table="small.catch", faces=[21]), "a d20 has no face 21"),
    (make_line(table="small.cacth", faces=[1]), "the table 'small.cacth'. Did you mean 'small.catch'?"),
    (make_line(table="small.catch", faces=[1], modifiers={"patrol.flet": 1}), "Did you mean 'patrol.fleet'?"),
    (
        make_line(table="small.catch", faces=[1], modifiers={"patrol.fleet": True}),
        "patrol.fleet: true is not a whole number",
    ),
    (make_line(table="small.catch", faces=[1], modifiers={"patrol.fleet": 2}), "can't count 2 times"),
    (make_line(table="small.catch", faces=[1], modifiers={"service.balloons": -1}), "can't count -1 times"),
    (
        make_line(table="small.catch", faces=[1], modifiers={"service.balloons": 10**9}),
        "service.balloons: 1000000000 is too large",
    ),
    (make_line(table="small.catch", faces=[1], modifiers={"patrol.fleet": 1, "patrol.ship": 1}), "Only one of these"),
    (make_line(table="small.catch", faces=[1], modifiers=["patrol.fleet"]), "modifiers: a list is not a table"),
    (make_line(table="small.catch", faces=[1], facts=["target.newtpye"]), "the fact 'target.newtpye'. Did you mean"),
    (make_line(table="small.catch", faces=[1], reading="at-nihgt"), "the reading 'at-nihgt'. Did you mean 'at-night'?"),
    (
        make_line(table="small.catch", faces=[1], reading="at-night", modifiers={"weather.hides": 1}),
        "leaves out modifier",
    ),
    (make_line(table="small.catch", fases=[1]), "fases: unknown key, did you mean faces?"),
    (b'{"table": "\\ud800", "faces": [1]}', "half of a surrogate pair"),
]


@pytest.mark.parametrize(("line", "words"), BAD_LINES, ids=[words for _, words in BAD_LINES])
def test_a_bad_line_is_answered(small: Book, line: bytes, words: str) -> None:
    """With one line that explains it."""
    answer = ask(roll, line, small)
    assert list(answer) == ["error"]
    assert words in answer["error"]
    assert "\n" not in json.dumps(answer)


EVENT, STACK, VALUE = b'{"op": "event", "d100": 65}', b'{"op": "stack", "size": 5}', b'{"op": "sv", "attribute": 13}'


@pytest.mark.parametrize(
    ("command", "good", "key"),
    [
        ("resolve", make_line(table=CATCH, faces=[18]), "total"),
        ("roe", STACK, "sides"),
        pytest.param("infinity", VALUE, "sv", marks=pytest.mark.slow),
        pytest.param("events", EVENT, "event", marks=pytest.mark.slow),
    ],
)
def test_one_answer_for_each_line_in_order(command: str, good: bytes, key: str) -> None:
    """Good, bad and blank lines."""
    done = run_answers(
        command, lines=b"\n".join([good, b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"op": "hat"}', good])
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[*answer] if "error" in answer else key in answer for answer in answers] == [True, *[["error"]] * 6, True]
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_each_answer_comes_before_the_next_line_is_asked() -> None:
    """A reader may leave early."""
    command = [*ANSWERS, "odds"]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=ROOT) as process:  # noqa: S603 - our own words
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for _ in range(2):
            process.stdin.write(make_line(table=CATCH) + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["odds"][1]["chance"] == "3/20"
        process.stdout.close()
        process.stdin.write(make_line(table=CATCH) + b"\n")
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141
