"""Golden answers of the RoE book, each under the rules it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.answers.roe import answer
from tests.rules.roe.asking import GOLDEN, ROE, ask

RULE = re.compile(r"\b(C\d\d\.\d+|C\d\d|A\d+)")
LINES = [
    pytest.param(*line.split(" -> ", 1), id=f"{file.stem}:{number}")
    for file in GOLDEN
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
    if line.startswith("{")
]


@pytest.mark.parametrize(("question", "expected"), LINES)
def test_a_question_is_answered_as_the_page_says(question: str, expected: str) -> None:
    """Each golden line matches its answer."""
    reply = answer(question.encode(), ROE)
    if expected.startswith("!"):
        assert expected[1:] in reply.get("error", reply)
    else:
        wanted = json.loads(expected)
        assert {name: reply.get(name, reply) for name in wanted} == wanted
        assert "error" not in reply


@pytest.mark.parametrize("file", GOLDEN, ids=[file.stem for file in GOLDEN])
def test_every_line_stands_under_its_rules(file: Path) -> None:
    """A comment comes first."""
    blocks = re.split(r"^(?=# [CA]\d)", file.read_text("utf-8"), flags=re.MULTILINE)
    assert not any(line.startswith("{") for line in blocks[0].splitlines())
    assert all(RULE.search(block.splitlines()[0]) for block in blocks[1:])


FURTHER: tuple[object, ...] = (-1, 0, 101, 1.5, "", True, [None], {})


@pytest.mark.parametrize(
    "value", [None, [], {"die": 5}, *(pytest.param(value, marks=pytest.mark.slow) for value in FURTHER)], ids=repr
)
def test_no_line_ends_the_run(value: object) -> None:
    """Any value gets an answer or an error."""
    for line in LINES:
        question = json.loads(str(line.values[0]))
        for key in question:
            assert isinstance(ask(**{**question, key: value}), dict)
        assert "error" in ask(**question, unknown=value)


@pytest.mark.parametrize("depth", [400, 600, 900, 5000])
def test_a_line_that_is_nested_too_deeply_is_answered(depth: int) -> None:
    """It gets an error."""
    assert answer(b'{"op": "skill", "name": ' + b"[" * depth + b"]" * depth + b"}", ROE)["error"]
