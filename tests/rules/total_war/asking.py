"""Questions of `adjutant rules total-war`, and the golden lines that say how some are answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.cli.total_war import answer
from rules.loader import load_book

HERE = Path(__file__).parent
GOLDEN = sorted(HERE.glob("*.txt"))
BOOK = load_book("total_war")


def ask(**question: object) -> dict[str, Any]:
    """The answer to a question of the command line."""
    return answer(json.dumps(question).encode(), BOOK)
