"""Attacks of the RoE book, asked as on the command line: golden answers, and what holds of any attack."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.cli.roe import answer
from rules.loader import load_book

FILE = Path(__file__).parent / "attacks.txt"
ROE = load_book("roe")
RULE = re.compile(r"\bC\d\d\.\d+")
LINES = [
    pytest.param(*line.split(" -> ", 1), id=f"{FILE.stem}:{number}")
    for number, line in enumerate(FILE.read_text("utf-8").splitlines(), 1)
    if line.startswith("{")
]


def ask(**question: object) -> dict[str, Any]:
    """The answer to a question of the command line."""
    return answer(json.dumps(question).encode(), ROE)


@pytest.mark.parametrize(("question", "expected"), LINES)
def test_a_question_is_answered_as_the_page_says(question: str, expected: str) -> None:
    """Each golden line has what it says in its answer, or its error."""
    told = answer(question.encode(), ROE)
    if expected.startswith("!"):
        assert expected[1:] in told.get("error", told)
    else:
        wanted = json.loads(expected)
        assert {name: told.get(name, told) for name in wanted} == wanted
        assert "error" not in told


def test_every_line_stands_under_its_rules() -> None:
    """No golden line comes before a comment that names the rules it shows."""
    blocks = re.split(r"^(?=# C)", FILE.read_text("utf-8"), flags=re.MULTILINE)
    assert not any(line.startswith("{") for line in blocks[0].splitlines())
    assert all(RULE.search(block.splitlines()[0]) for block in blocks[1:])
