"""Values of the RoE book: sums, characters, conditions, movement, weapons, vehicles, pets."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cli.roe.questions import Op, Question
from rules.books.roe.things import stack_sides
from rules.ruleset import RuleSet


class StackQuestion(Question, frozen=True):
    """How many things lie in a stack."""

    size: int


def stack(asked: StackQuestion, book: RuleSet) -> dict[str, int]:
    """Return the sides of the die for the amount taken."""
    return {"sides": stack_sides(book, asked.size)}


OPS: Mapping[str, Op] = {"stack": Op(StackQuestion, stack)}
