"""How a line of JSON is read, which op it asks, and how its keys become the arguments of that op.

An op is a function of the rules and of keyword-only arguments. Their annotations and defaults say which keys a line has;
an argument that Python or ruff wouldn't take by its own name ends in `_`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct, convert, defstruct
from msgspec.structs import asdict
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from rules.explain import explain, relevant_errors
from rules.phrases import known_list, suggestion

Answer = dict[str, Any]
Op = Callable[..., Answer]
Count = Annotated[int, Meta(ge=0)]
Small = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
STRICT = ConfigDict(strict=True, extra="forbid", frozen=True)
MOST = 1_000_000_000
"""The largest number that can be asked about, and with a minus before it the smallest."""
SIDES = {"a", "b"}
"""Keys of which an error says that it lies within them."""


class BadLine(ValueError):
    """A line that can't be read as a question."""


class Choice(NamedTuple):
    """Ops of which the word under a key names one. A mapping instead has each op under a key that only this one has."""

    key: str
    ops: Mapping[str, Any]


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """Keys of a line, or of an object within one."""


def ask(asked: Answer, choice: Choice, rules: object) -> Answer:
    """Return the answer of the op that a line asks."""
    name = asked.pop(choice.key, None)
    if not isinstance(name, str) or name not in choice.ops:
        hint = suggestion(name, choice.ops) if isinstance(name, str) else ""
        raise BadLine(f"{choice.key} {name!r} is unknown{hint or known_list(choice.ops)}")
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
    """Return the keys of an op, as msgspec reads them."""
    fields = [
        (item.name, item.annotation) if item.default is Parameter.empty else (item.name, item.annotation, item.default)
        for item in _arguments(op)
    ]
    return defstruct("Question", fields, bases=(Question,), frozen=True, kw_only=True, rename=_key_of)


@cache
def model_of(op: Op) -> type[BaseModel]:
    """Return the keys of an op, as pydantic reads them: every fault of a line is explained."""
    fields: dict[str, Any] = {
        item.name: item.annotation if item.default is Parameter.empty else (item.annotation, item.default)
        for item in _arguments(op)
    }
    return create_model("Question", __config__=STRICT, **fields)


def ask_strictly(op: Op, asked: Answer, examples: Mapping[str, str], *rules: object) -> Answer:
    """Return the answer of an op, or raise BadLine with every fault of what is asked."""
    model = model_of(op)
    try:
        given = model.model_validate(asked)
    except ValidationError as error:
        raise BadLine("; ".join(_explained(model, error, examples))) from None
    return op(*rules, **{name: getattr(given, name) for name in model.model_fields})


def _explained(model: type[BaseModel], error: ValidationError, examples: Mapping[str, str]) -> Iterator[str]:
    for detail in relevant_errors(model, error):
        first, *within = [*detail["loc"], ""][:2]
        side = f"{first}: " if first in SIDES and within != [""] else ""
        yield side + explain(model, detail, examples)


def _key_of(argument: str) -> str:
    return argument.removesuffix("_")


def _arguments(op: Op) -> list[Parameter]:
    parameters = signature(op, eval_str=True).parameters.values()
    return [item for item in parameters if item.kind is Parameter.KEYWORD_ONLY]


def require_bounded(value: object) -> None:
    """Refuse numbers beyond all that is counted here."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            require_bounded(item)
    elif isinstance(value, int | float) and not -MOST <= value <= MOST:
        raise BadLine(f"a number is too large: at most {MOST:,}")


def read_object(line: bytes) -> Answer:
    """Parse the JSON object of a line."""
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
