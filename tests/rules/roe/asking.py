"""Questions of `adjutant rules roe`, and the golden lines that say how some are answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.cli.roe import answer
from rules.loader import load_book

HERE = Path(__file__).parent
GOLDEN = sorted(HERE.glob("*.txt"))
ROE = load_book("roe")


def ask(**question: object) -> dict[str, Any]:
    """The answer to a question of the command line."""
    return answer(json.dumps(question).encode(), ROE)
