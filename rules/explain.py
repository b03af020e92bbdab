"""What pydantic found wrong, said in plain words with what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import get_args
from unicodedata import normalize

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from rules.errors import nearest
from rules.phrases import AKIN, known_list, suggestion

EXAMPLES: Mapping[str, str] = {
    "amount": "amount = 25",
    "audience": 'audience = "staff"',
    "book": 'book = "campaign-rolls"',
    "die": 'die = 20, or die = "2d6"',
    "do": 'do = "reveal"',
    "extends": 'extends = "campaign"',
    "face": "face = 20",
    "facts": 'facts = [{ trait = "newtype", label = "Newtype", roles = ["target"] }]',
    "group": 'group = "patrol"',
    "id": 'id = "patrol.newtype"',
    "label": 'label = "Patrol has a newtype"',
    "line": "line = 27",
    "max": "max = 17",
    "min": "min = 18",
    "modifiers": 'modifiers = [{ id = "patrol.newtype", value = 1, label = "Newtype", group = "patrol", line = 31 }]',
    "one-of": 'one-of = "patrol-size"',
    "outcome": 'outcome = "no-catch"',
    "overlay": '[overlay] with id = "house", extends = "campaign" and a source',
    "regions": 'regions = [{ id = "india", label = "India", line = 202 }]',
    "roles": 'roles = ["target"]',
    "rows": 'rows = [{ max = 17, outcome = "no-catch", text = "Nothing is caught", line = 27 }]',
    "section": 'section = "Patrol Table 1"',
    "source": 'source = { book = "campaign-rolls", section = "Patrol Table 1" }',
    "table": 'table = "campaign.patrol.catch"',
    "text": 'text = "Nothing is caught"',
    "title": 'title = "Patrol"',
    "trait": 'trait = "newtype"',
    "value": "value = -2",
    "when": 'when = [["weather.fog", "!target.airborne"]]',
}
_WRONG: Mapping[str, str] = {
    "bool_type": "is neither true nor false",
    "dict_type": "is not a table in { }",
    "die": "is not a die",
    "greater_than_equal": "is too small",
    "int_type": "is not a whole number",
    "less_than_equal": "is too large",
    "list_type": "is not a list in [ ]",
    "model_type": "is not a table in { }",
    "less_than": "is too large",
    "string_pattern_mismatch": "isn't a name of lowercase letters and digits, separated by dots or hyphens",
    "string_too_short": "is empty",
    "string_type": "is not a text in quotes",
    "too_short": "is empty",
}
_WITH_HEADER = frozenset({"book", "overlay"})
"""Kinds of items that stand alone under a header of their own."""
_MINUS = "\N{MINUS SIGN}"
_LONGEST_NUMBER = 10**15
_LONGEST_SHOWN = 40


def relevant_errors(model: type[BaseModel], error: ValidationError) -> list[ErrorDetails]:
    """Return the errors without those of keys that are missing only because they are misspelt."""
    details = error.errors()
    meant = {meant_key(model, detail) for detail in details if detail["type"] == "extra_forbidden"}
    return [detail for detail in details if detail["type"] != "missing" or detail["loc"] not in meant]


def meant_key(model: type[BaseModel], detail: ErrorDetails) -> tuple[str | int | None, ...]:
    """Return where an unknown key would stand if it were spelt as its nearest known one."""
    *around, key = detail["loc"]
    known = known_keys(model, [part for part in around if isinstance(part, str)])
    return (*around, nearest(str(key), known, likeness=AKIN))


def explain(model: type[BaseModel], detail: ErrorDetails, examples: Mapping[str, str] = EXAMPLES) -> str:
    """Explain one pydantic error of an item of this model; `examples` shows for a key how it is written."""
    names = [part for part in detail["loc"] if isinstance(part, str) and part != "[key]"]
    key = names[-1] if names else ""
    item = _kind(model)
    example = f": write {_for_example(examples[key])}" if key in examples else ""
    match detail["type"]:
        case "extra_forbidden" if key == "facts" and item in {"table", "change"}:
            first = "[[table]]" if item == "table" else "[[change]]"
            return f"facts must come before the first {first}"
        case "extra_forbidden":
            known = known_keys(model, names[:-1])
            return f"{key}: unknown key{suggestion(key, known) or known_list(known)}"
        case "missing":
            return f"missing {key}{example}"
        case "literal_error":
            known = re.findall(r"'([^']+)'", detail["ctx"]["expected"])
            value = str(detail["input"])
            key = names[-2] if detail["loc"][-1] == "[key]" else key
            return f"unknown {key} {value}{suggestion(value, known) or known_list(known)}"
        case kind:
            subject = f"{key}: " if key else ""
            in_json = examples.get(key, "").startswith('"')
            mend = _correction(model, key, detail, f'"{key}": ' if in_json else f"{key} = ")
            # Examples of keys with few values name both limits themselves.
            limit = "" if " as in " in example else _limit(detail.get("ctx", {}))
            hint = f": {mend or limit}" if mend or limit else example
            own = detail["msg"] if "mend" in detail.get("ctx", {}) else "doesn't belong here"
            return f"{subject}{_value_text(detail['input'])} {_WRONG.get(kind, own)}{hint}"


def known_keys(model: type[BaseModel], names: Sequence[str] = ()) -> list[str]:
    """Return the keys that may stand at this place inside an item."""
    for name in names:
        annotations = [field.annotation for field in model.model_fields.values() if field.alias == name]
        model = next(filter(None, map(_model_in, annotations)), model)
    return [field.alias or name for name, field in model.model_fields.items()]


def _for_example(example: str) -> str:
    return example if " as in " in example else f"for example {example}"


def _correction(model: type[BaseModel], key: str, detail: ErrorDetails, head: str) -> str | None:
    """Return what is to be written for a value that shows well enough what it was meant to be; `head` stands before it.

    A kind of values that is checked by a function of its own may bring the words along, as `mend` in the error's context.
    """
    value = detail["input"]
    start = head if detail["loc"] and detail["loc"][-1] == key else ""
    mend: str | None
    match detail["type"]:
        case "int_type" if isinstance(value, str) and re.fullmatch(rf"\s*[+{_MINUS}-]?[0-9]{{1,9}}\s*", value):
            mend = f"write {start}{int(value.replace(_MINUS, '-'))} without quotes"
        case "bool_type" if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
            mend = f"write {start}{value.strip().lower()} without quotes"
        case "string_pattern_mismatch" if isinstance(value, str) and (slug := _slug(value)):
            mend = f'write {start}"{slug}"'
        case "string_type" if start and type(value) is int and abs(value) <= _LONGEST_NUMBER:
            mend = f'write {start}"{value}"'
        case "list_type" if isinstance(value, dict) and _kind(model) == "file":
            mend = f"write [[{key}]] with double brackets"
        case "model_type" if isinstance(value, list) and not key and _kind(model) in _WITH_HEADER:
            mend = f"write [{_kind(model)}] with single brackets"
        case _:
            mend = detail.get("ctx", {}).get("mend")
    return mend


def _limit(context: Mapping[str, object]) -> str:
    """Return what may be written in place of a number that is beyond a limit; "" of anything else."""
    limits = (("ge", "write {} or more"), ("le", "write {} or less"))
    return next((words.format(context[name]) for name, words in limits if name in context), "")


def _kind(model: type[BaseModel]) -> str:
    """Return what its items are called."""
    return str(getattr(model, "kind", ""))


def _slug(text: str) -> str:
    """Return the name that is nearest to a text: its letters and digits, small, parted by hyphens; "" when it has none."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    parts = re.findall("[a-z0-9]+(?:[.][a-z0-9]+)*", plain)
    return "-".join(parts) and "!" * text.startswith("!") + "-".join(parts)


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def _value_text(value: object) -> str:
    """Return the value much as TOML writes it, cut when long."""
    if isinstance(value, int) and abs(value) > _LONGEST_NUMBER:
        return "a very long number"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
