"""What lines ask in the words that all of them share: rolls, modifiers, and how a question finds its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from rules.books.roe.sides import Mods
from rules.ruleset import RuleSet


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a line besides `op`."""


class RollIn(Question, frozen=True):
    """The die of one side as it fell, its modifiers, and its racial option."""

    die: int
    mods: Mods = ()
    racial: str | None = None


class Op(Struct, frozen=True):
    """A question and what answers it. `answer` raises RollError for what the rules refuse."""

    question: type[Question]
    answer: Callable[[Any, RuleSet], dict[str, Any]]


def words(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return ids of the book as the words of answers, in objects within it too."""
    return {
        name.replace("-", "_"): words(value) if isinstance(value, Mapping) else value for name, value in values.items()
    }
