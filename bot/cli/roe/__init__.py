"""`adjutant rules roe`: what the RoE book answers, one line of JSON in, one out. A bad line is answered with its error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError

from bot.cli.queries import BadLine, read_object
from bot.cli.questions import Op, Several, answered
from bot.cli.roe import attacks, damage, lasting, movement, odds, rolls, turns, values, weapons
from rules.errors import RollError
from rules.ruleset import RuleSet

OPS: Mapping[str, Op | Several] = {
    **values.OPS,
    **weapons.OPS,
    **movement.OPS,
    **rolls.OPS,
    **turns.OPS,
    **lasting.OPS,
    **attacks.OPS,
    **damage.OPS,
    "odds": odds.ODDS,
}
"""What can be asked, by the name of its `op`."""
MOST = 1_000_000_000
"""The largest number that can be asked about, and with a minus before it the smallest."""


def answer(line: bytes, book: RuleSet) -> dict[str, Any]:
    """Return the answer to a line, or what is wrong with it."""
    try:
        asked = {key: _given(value) for key, value in read_object(line).items()}
        return answered(asked, Several("op", OPS), book)
    except ValidationError as error:
        return {"error": str(error).replace(" - at `$.", " - at `")}
    except (RollError, BadLine) as error:
        return {"error": str(error)}
    except RecursionError:
        return {"error": "this line is nested too deeply"}


def _given(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what was written, without the keys of it that are null: those count as left out.

    Raises:
        BadLine: a number is beyond all that is counted here.

    """
    if isinstance(value, dict):
        return {key: _given(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_given(item) for item in value]
    if isinstance(value, int | float) and not -MOST <= value <= MOST:
        raise BadLine(f"a number is too large: at most {MOST:,}")
    return value
