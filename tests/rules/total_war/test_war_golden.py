from __future__ import annotations

import json

import pytest

from tests.answers.total_war import answer
from tests.rules.total_war.asking import BOOK, ask, cases

CASES = [*cases()]


@pytest.mark.parametrize(
    ("question", "expected"), [pytest.param(case.question, case.expected, id=case.where) for case in CASES]
)
def test_a_question_is_answered_as_the_page_says(question: str, expected: str) -> None:
    """Each golden line has its answer, code or error."""
    told = answer(question.encode(), BOOK)
    if expected.startswith("!"):
        assert expected[1:] in told["error"]
        assert "ok" not in told
        return
    wanted = json.loads(expected)
    assert told["ok"] == ("error" not in wanted), told
    assert {name: _sorted(name, told[name]) for name in wanted} == {
        name: _sorted(name, value) for name, value in wanted.items()
    }


def _sorted(name: str, value: object) -> object:
    unordered = {"panels", "captured", "destroyed", "flipped", "cut_off", "tiles", "tested", "credited"}
    return sorted(value) if name in unordered and isinstance(value, list) else value


def test_every_line_stands_under_its_rules() -> None:
    """Each line has a comment with rules above it."""
    assert [case.where for case in CASES if not case.shows] == []


@pytest.mark.parametrize("value", [None, -1, 0, 101, 1.5, "", True, [], [None], {}, {"die": 5}], ids=repr)
def test_no_line_ends_the_run(value: object) -> None:
    """Odd values and keys give errors only."""
    for question in (case.asked for case in CASES):
        for key in question:
            assert isinstance(ask(**{**question, key: value}), dict)
        told = ask(**question, unknown=value)
        assert "ok" not in told
        assert told["error"]


@pytest.mark.parametrize("depth", [400, 600, 900, 5000])
def test_a_line_that_is_nested_too_deeply_is_answered(depth: int) -> None:
    """It gives an error."""
    nested = b"[" * depth + b"]" * depth
    assert answer(b'{"op": "hex", "from": ' + nested + b"}", BOOK)["error"]
    assert answer(b'{"op": "scenario", "scenario": {"id": ' + nested + b"}}", BOOK)["error"]
