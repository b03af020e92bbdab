"""`adjutant rules roe`: what the RoE book answers, one line of JSON in, one out. A bad line is answered with its error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError, convert

from bot.cli.queries import BadLine, read_object
from bot.cli.roe import rolls, values
from bot.cli.roe.questions import Op
from rules.errors import RollError
from rules.phrases import known_list, suggestion
from rules.ruleset import RuleSet

OPS: Mapping[str, Op] = {**values.OPS, **rolls.OPS}
"""What can be asked, by the name of its `op`."""


def answer(line: bytes, book: RuleSet) -> dict[str, Any]:
    """Return the answer to a line, or what is wrong with it."""
    try:
        asked = dict(read_object(line))
        op = _op(asked.pop("op", None))
        return op.answer(convert(asked, op.question), book)
    except ValidationError as error:
        return {"error": str(error).replace(" - at `$.", " - at `")}
    except (RollError, BadLine) as error:
        return {"error": str(error)}


def _op(name: object) -> Op:
    """Return what answers a line.

    Raises:
        BadLine: nothing does.

    """
    if isinstance(name, str) and name in OPS:
        return OPS[name]
    hint = suggestion(name, OPS) if isinstance(name, str) else ""
    raise BadLine(f"op {name!r} is unknown{hint or known_list(OPS)}")
