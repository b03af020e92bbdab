"""Questions to `tests.answers`, and golden lines with their answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rules.loader import load_book
from tests.answers.roe import answer

HERE = Path(__file__).parent
GOLDEN = sorted(HERE.glob("*.txt"))
ROE = load_book("roe")


def ask(**question: object) -> dict[str, Any]:
    """Answer a question."""
    return answer(json.dumps(question).encode(), ROE)
