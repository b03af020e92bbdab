"""`adjutant rules total-war`: what the Total War book answers, one line of JSON in, one out. A bad line is answered with its error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError

from bot.cli.queries import BadLine, read_object
from bot.cli.questions import Asked, Several, answered
from bot.cli.total_war import affairs, battle, games, map_lines, scenario_lines
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import BadSwitch, set_otherwise
from rules.ruleset import RuleSet

OPS: Mapping[str, Asked] = {**map_lines.OPS, **affairs.OPS, **battle.OPS, **scenario_lines.OPS, **games.OPS}
"""What can be asked, by the name of its `op`."""
FILES = frozenset({"scenario"})
"""Keys that hold a whole file, which says itself how large its numbers are: ids of Discord users are larger than any amount."""
MOST = 1_000_000_000
"""The largest number that can be asked about, and with a minus before it the smallest."""


def answer(line: bytes, book: RuleSet) -> dict[str, Any]:
    """Return the answer to a line: `ok` and what is told, or by which code the rules refuse it; without `ok` what is wrong with the line."""
    try:
        asked = {key: value if key in FILES else _given(value) for key, value in read_object(line).items()}
        switches = asked.pop("switches", None)
        terms = set_otherwise(book, _object(switches))
        return {"ok": True, **answered(asked, Several("op", OPS), terms)}
    except Refused as refusal:
        return {"ok": False, "error": refusal.code, "text": str(refusal), **refusal.told}
    except ValidationError as error:
        return {"error": str(error).replace(" - at `$.", " - at `")}
    except (BadSwitch, BadLine) as error:
        return {"error": str(error)}
    except RecursionError:
        return {"error": "this line is nested too deeply"}


def _object(value: Any) -> Mapping[str, object]:  # noqa: ANN401 - whatever JSON holds
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadLine("switches is an object")
    return value


def _given(value: Any) -> Any:  # noqa: ANN401 - as above
    """Return what was written.

    Raises:
        BadLine: a number is beyond all that is counted here.

    """
    if isinstance(value, dict):
        return {key: _given(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_given(item) for item in value]
    if isinstance(value, int | float) and not -MOST <= value <= MOST:
        raise BadLine(f"a number is too large: at most {MOST:,}")
    return value
