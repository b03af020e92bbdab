"""How a line of JSON asks an op, and how its keys become arguments.

Annotations and defaults of an op say which keys a line has; an argument whose name Python or ruff refuses ends in `_`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Annotated, Any, NamedTuple, cast

from msgspec import Meta, Struct, convert, defstruct
from msgspec.structs import asdict

from rules.kinds import RuleItem
from rules.phrases import list_known, suggestion
from rules.shapes import ItemFault, explain, read_fields, relevant_faults

Answer = dict[str, Any]
Op = Callable[..., Answer]
Count = Annotated[int, Meta(ge=0)]
MOST = 1_000_000_000
"""The largest number that can be asked about, and with a minus before it the smallest."""
SIDES = {"a", "b"}
"""Keys of which an error says that it lies within them."""


class BadLine(ValueError):
    """A line that isn't a question."""


class Choice(NamedTuple):
    """Ops that the word under a key picks, or a key that only one has."""

    key: str
    ops: Mapping[str, Any]


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of a line or of an object in it."""


def ask(asked: Answer, choice: Choice, rules: object) -> Answer:
    """Answer the op that a line asks."""
    name = asked.pop(choice.key, None)
    if not isinstance(name, str) or name not in choice.ops:
        hint = suggestion(name, choice.ops) if isinstance(name, str) else ""
        raise BadLine(f"{choice.key} {name!r} is unknown{hint or list_known(choice.ops)}")
    op = choice.ops[name]
    if isinstance(op, Choice):
        return ask(asked, op, rules)
    if isinstance(op, Mapping):
        key = next((key for key in op if key in asked), None)
        if key is None:
            raise BadLine(f"{name} needs one of the keys {', '.join(op)}")
        op = op[key]
    question = question_of(op)
    known = question.__struct_encode_fields__
    given = {key: value for key, value in asked.items() if value is not None or key not in known}
    answer: Answer = op(rules, **asdict(convert(given, question)))
    return answer


@cache
def question_of(op: Op) -> type[Struct]:
    """Return an op's keys, as msgspec reads them."""
    return defstruct("Question", _fields(op), bases=(Question,), frozen=True, kw_only=True, rename=_key_of)


@cache
def strict_question_of(op: Op, base: type[RuleItem]) -> type[RuleItem]:
    """Return an op's keys as rule items, which explain every fault."""
    question: Any = defstruct("Question", _fields(op), bases=(base,), frozen=True, kw_only=True)
    return cast("type[RuleItem]", question)


def ask_strictly(op: Op, asked: Answer, base: type[RuleItem], *rules: object) -> Answer:
    """Answer an op; raise BadLine with all faults. `base` has examples."""
    question, wrong = strict_question_of(op, base), list[ItemFault]()
    values = read_fields(question, asked, (), wrong)
    if wrong:
        raise BadLine("; ".join(_explain_fault(question, item) for item in relevant_faults(question, wrong)))
    return op(*rules, **values)


def _explain_fault(question: type[RuleItem], wrong: ItemFault) -> str:
    first, *within = wrong.way
    return f"{first}: {explain(question, wrong)}" if within and first in SIDES else explain(question, wrong)


def _key_of(argument: str) -> str:
    return argument.removesuffix("_")


def _fields(op: Op) -> list[Any]:
    return [
        (item.name, item.annotation) if item.default is Parameter.empty else (item.name, item.annotation, item.default)
        for item in _arguments(op)
    ]


def _arguments(op: Op) -> list[Parameter]:
    parameters = signature(op, eval_str=True).parameters.values()
    return [item for item in parameters if item.kind is Parameter.KEYWORD_ONLY]


def require_bounded(value: object) -> None:
    """Refuse numbers that are too large."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            require_bounded(item)
    elif isinstance(value, int | float) and not -MOST <= value <= MOST:
        raise BadLine(f"a number is too large: at most {MOST:,}")


def read_object(line: bytes) -> Answer:
    """Parse a line's JSON object."""
    value = _parse(line)
    if not isinstance(value, dict):
        raise BadLine(f"this line isn't a JSON object: {line.decode().strip():.40}")
    return value


def _parse(line: bytes) -> object:
    try:
        value = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse_constant, object_pairs_hook=_object)
        if b"\\u" in line:  # JSON can write half of a surrogate pair, which no text that is read or printed can hold
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        what = "this line has half of a surrogate pair, such as \\ud83d alone"
    except UnicodeDecodeError:
        what = "this line is not UTF-8"
    except json.JSONDecodeError as error:
        what = f"this line isn't JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        what = "this line is nested too deeply"
    except BadLine:
        raise
    except ValueError:
        what = "this line has a number with too many digits"
    else:
        return value
    raise BadLine(what if line.strip() else "this line is blank: write one JSON object")


def _refuse_constant(name: str) -> float:
    raise BadLine(f"{name} isn't a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> Answer:
    values: Answer = {}
    for key, value in pairs:
        if key in values:
            raise BadLine(f"{key}: written twice")
        values[key] = value
    return values
