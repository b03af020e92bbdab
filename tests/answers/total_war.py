"""Answers of the Total War book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import ValidationError

from rules.books.total_war.catalog import BadSwitch, Refused, set_switches
from rules.ruleset import RuleSet
from tests.answers import war_affairs, war_battle, war_board, war_games, war_map
from tests.answers.lines import Answer, BadLine, Choice, ask, read_object, require_bounded

OPS: Mapping[str, Any] = {
    **war_map.OPS,
    **war_affairs.OPS,
    **war_board.OPS,
    **war_battle.OPS,
    "scenario": war_affairs.scenario,
    "simulate": war_games.simulate,
}


def answer(line: bytes, book: RuleSet) -> Answer:
    """Return the answer to a line: `ok` and more, or by which code the rules refuse it; without `ok` what is wrong with the line."""
    try:
        asked = read_object(line)
        # A scenario is a whole file: ids of Discord users are larger than any amount.
        require_bounded({key: value for key, value in asked.items() if key != "scenario"})
        terms = set_switches(book, _switches(asked))
        return {"ok": True, **ask(asked, Choice("op", OPS), terms)}
    except Refused as refusal:
        return {"ok": False, "error": refusal.code, "text": str(refusal), **refusal.details}
    except ValidationError as error:
        return {"error": str(error).replace(" - at `$.", " - at `")}
    except (BadSwitch, BadLine) as error:
        return {"error": str(error)}
    except RecursionError:
        return {"error": "this line is nested too deeply"}


def _switches(asked: Answer) -> Mapping[str, object]:
    switches = asked.pop("switches", None)
    if switches is not None and not isinstance(switches, dict):
        raise BadLine("switches is an object")
    return switches or {}
