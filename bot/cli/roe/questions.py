"""What lines ask in the words that all of them share: rolls, modifiers, and how a question finds its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, convert, to_builtins

from bot.cli.queries import BadLine
from rules.books.roe.sides import Mods
from rules.phrases import known_list, suggestion
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


def told(out: Struct) -> dict[str, Any]:
    """Return what came out under the names that it has."""
    answer: dict[str, Any] = to_builtins(out)
    return answer


class Several(Struct, frozen=True):
    """Questions of which the word under a key says which one is asked."""

    key: str
    ops: Mapping[str, Op | Several]


def answered(asked: dict[str, Any], several: Several, book: RuleSet) -> dict[str, Any]:
    """Return the answer to whichever question is asked.

    Raises:
        BadLine: there is no such question.
        ValidationError: it is not asked as it has to be.
        RollError: the rules refuse it.

    """
    name = asked.pop(several.key, None)
    if not isinstance(name, str) or name not in several.ops:
        hint = suggestion(name, several.ops) if isinstance(name, str) else ""
        raise BadLine(f"{several.key} {name!r} is unknown{hint or known_list(several.ops)}")
    op = several.ops[name]
    if isinstance(op, Several):
        return answered(asked, op, book)
    known = op.question.__struct_encode_fields__
    given = {key: value for key, value in asked.items() if value is not None or key not in known}
    return op.answer(convert(given, op.question), book)
