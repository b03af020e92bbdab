"""How a line of JSON finds the question that it asks, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, convert, to_builtins

from bot.cli.queries import BadLine
from rules.phrases import known_list, suggestion


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a line besides `op`."""


class Op(Struct, frozen=True):
    """A question and what answers it by the rules that are handed in. `answer` raises RollError for what these refuse."""

    question: type[Question]
    answer: Callable[[Any, Any], dict[str, Any]]


def told(out: Struct) -> dict[str, Any]:
    """Return what came out under the names that it has."""
    answer: dict[str, Any] = to_builtins(out)
    return answer


class Several(Struct, frozen=True):
    """Questions of which the word under a key says which one is asked."""

    key: str
    ops: Mapping[str, Asked]


class Forms(Struct, frozen=True):
    """Questions under one name that are told apart by a key that only one of them has."""

    ops: Mapping[str, Op]


Asked = Op | Several | Forms


def answered(asked: dict[str, Any], several: Several, rules: Any) -> dict[str, Any]:  # noqa: ANN401 - a book, or how a war is played
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
        return answered(asked, op, rules)
    if isinstance(op, Forms):
        key = next((key for key in op.ops if key in asked), None)
        if key is None:
            raise BadLine(f"{name} needs one of the keys {', '.join(op.ops)}")
        op = op.ops[key]
    known = op.question.__struct_encode_fields__
    given = {key: value for key, value in asked.items() if value is not None or key not in known}
    return op.answer(convert(given, op.question), rules)
