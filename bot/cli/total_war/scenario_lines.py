"""The line about a scenario: a whole file as JSON, or the example that is shipped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cli.questions import Asked, Op, Question
from rules.books.total_war.catalog import PanelKind, Piece
from rules.books.total_war.refusal import Refused
from rules.books.total_war.scenario_file import BadScenario, example, read_scenario
from rules.books.total_war.terms import Terms
from rules.lines import Document

NAME = "scenario"


class ScenarioQuestion(Question, frozen=True):
    """A scenario as its file holds it."""

    scenario: dict[str, Any] | None = None


def checked(asked: ScenarioQuestion, terms: Terms) -> dict[str, Any]:
    """Return what a scenario is called and what it may have; all its faults where it has any."""
    document = example() if asked.scenario is None else Document(NAME, "", asked.scenario)
    try:
        found = read_scenario(terms.book, document)
    except BadScenario as bad:
        faults = [fault.what for fault in bad.faults]
        raise Refused(bad.code, f"The scenario has {len(faults)} faults.", faults=faults) from None
    pieces, side = terms.book.listed(Piece), terms.number("board")
    return {
        "scenario": found.scenario.id,
        "warnings": [warning.what for warning in found.warnings],
        "kinds": [*terms.book.listed(PanelKind)],
        "movable": [name for name, piece in pieces.items() if piece.most],
        "fixed": [name for name, piece in pieces.items() if not piece.most],
        "board": {"columns": side, "rows": side},
    }


OPS: Mapping[str, Asked] = {"scenario": Op(ScenarioQuestion, checked)}
