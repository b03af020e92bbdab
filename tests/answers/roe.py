"""Answers of the RoE book, 7th edition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError

from rules.errors import RollError
from rules.ruleset import RuleSet
from tests.answers import roe_contests, roe_fights, roe_lasting, roe_rolls, roe_turns, roe_values
from tests.answers.lines import Answer, BadLine, Choice, ask, read_object, require_bounded

OPS: Mapping[str, Any] = {
    **roe_values.OPS,
    "check": roe_rolls.CHECK,
    **roe_contests.OPS,
    **roe_rolls.ROWS,
    **roe_turns.OPS,
    **roe_lasting.OPS,
    **roe_fights.OPS,
    "odds": Choice("of", {"attack": roe_fights.attack_odds, **roe_rolls.ODDS}),
}


def answer(line: bytes, book: RuleSet) -> Answer:
    """Return the answer to a line, or what is wrong with it."""
    try:
        asked = read_object(line)
        require_bounded(asked)
        given = {key: _without_nulls(value) for key, value in asked.items()}
        return ask(given, Choice("op", OPS), book)
    except ValidationError as error:
        return {"error": str(error).replace(" - at `$.", " - at `")}
    except (RollError, BadLine) as error:
        return {"error": str(error)}
    except RecursionError:
        return {"error": "this line is nested too deeply"}


def _without_nulls(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what was written, without the keys of it that are null: those count as left out."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
