"""Questions for `tests.answers`, and golden lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rules.loader import load_book
from tests.answers.total_war import answer

HERE = Path(__file__).parent
GOLDEN = sorted(HERE.glob("*.txt"))
BOOK = load_book("total_war")
RULE = re.compile(r"\b([A-Z][0-9]+|AMB-[0-9]{2})\b")


class Case(NamedTuple):
    """A golden line and the rules above it."""

    where: str
    shows: frozenset[str]
    question: str
    expected: str

    @property
    def is_read(self) -> bool:
        """Whether a rule answers the question."""
        return not self.expected.startswith("!")

    @property
    def asked(self) -> dict[str, Any]:
        """The question's keys."""
        asked: dict[str, Any] = json.loads(self.question)
        return asked


def cases() -> Iterator[Case]:
    """Yield the golden lines."""
    for file in GOLDEN:
        shows: frozenset[str] = frozenset()
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if line.startswith("#"):
                shows = frozenset(RULE.findall(line.split(":")[0]))
            elif line:
                yield Case(f"{file.stem}:{number}", shows, *line.split(" -> ", 1))


def ask(**question: object) -> dict[str, Any]:
    """Answer a question."""
    return answer(json.dumps(question).encode(), BOOK)
