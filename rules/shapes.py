"""Reads rule items by their fields' types, and explains every fault."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin
from unicodedata import normalize

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import replace

from rules import errors, phrases
from rules.kinds import BadSpelling, RuleItem, Spelling

KEY = "[key]"
"""The last step to a wrong key."""
Way = tuple[str | int, ...]
_Hint: TypeAlias = Any
Value: TypeAlias = Any
"""A raw or read value of the wanted type."""
_CONTAINERS = (tuple, frozenset, list)
_BLANKS = (str, int, bool, tuple, frozenset)


class ItemFault(Struct, frozen=True):
    """A fault; `what` and `mend` come from a spelling."""

    kind: str
    way: Way
    value: object = None
    what: str = ""
    mend: str = ""
    known: tuple[str, ...] = ()


class _Shape(Struct, frozen=True):
    kind: _Hint
    parts: tuple[_Hint, ...] = ()
    meta: Meta = Meta()
    spelling: Spelling | None = None
    optional: bool = False


class _FieldKey(Struct, frozen=True):
    type: _Hint
    field: str | None
    required: bool = False
    part: str | None = None


class _FieldKeys(Struct, frozen=True):
    """An item's keys, flat parts, and blanks for required fields."""

    keys: Mapping[str, _FieldKey]
    flat: Mapping[str, type[RuleItem]]
    blanks: Mapping[str, Value]


@cache
def keys_of(model: type[RuleItem]) -> _FieldKeys:
    """Return the keys of an item."""
    hints: dict[str, _Hint] = {}
    for each in model.__mro__[: model.__mro__.index(RuleItem)]:
        hints = get_annotations(each, eval_str=True) | hints
    keys: dict[str, _FieldKey] = {}
    flat: dict[str, type[RuleItem]] = {}
    blanks: dict[str, Value] = {}
    names, defaults = model.__struct_fields__, model.__struct_defaults__
    for name, default in zip(names, (*[NODEFAULT] * (len(names) - len(defaults)), *defaults), strict=True):
        key, kind, required = model.spelled.get(name, name.replace("_", "-")), hints[name], default is NODEFAULT
        inner = _shape_of(kind).kind
        if required:
            blanks[name] = inner() if inner in _BLANKS else None
        if _is_item(inner) and inner.flat:
            flat[name] = inner
            for own, part in keys_of(inner).keys.items():
                keys[own] = _FieldKey(part.type, name, required and part.required, part.field)
        elif name in model.apart:
            keys[key] = _FieldKey(model.apart[name], None, required)
        elif name not in model.derived:
            keys[key] = _FieldKey(kind, name, required)
    for name, kind in model.apart.items():
        keys.setdefault(name, _FieldKey(kind, None))
    return _FieldKeys(keys, flat, blanks)


@cache
def _shape_of(hint: _Hint) -> _Shape:
    origin: _Hint = get_origin(hint)
    if origin is Annotated:
        found = _shape_of(hint.__origin__)
        for mark in hint.__metadata__:
            found = replace(found, **{"meta" if isinstance(mark, Meta) else "spelling": mark})
        return found
    if origin in {Union, UnionType}:
        return replace(_shape_of(next(each for each in get_args(hint) if each is not NoneType)), optional=True)
    return _Shape(dict if origin is Mapping else origin or hint, get_args(hint))


def _find_item(hint: _Hint) -> type[RuleItem] | None:
    found = _shape_of(hint)
    if _is_item(found.kind):
        kind: type[RuleItem] = found.kind
        return kind
    return next((item for part in found.parts if part is not ... and (item := _find_item(part))), None)


def read_fields(model: type[RuleItem], raw: object, way: Way, wrong: list[ItemFault]) -> dict[str, Value]:
    """Return an item's correct fields, adding its faults."""
    if not isinstance(raw, dict):
        wrong.append(ItemFault("item", way, raw))
        return {}
    known = keys_of(model)
    values: dict[str, Value] = {}
    flat: dict[str, dict[str, Value]] = {field: {} for field in known.flat}
    for name, key in known.keys.items():
        if name in raw:
            before = len(wrong)
            value = _read_value(key.type, raw[name], (*way, name), wrong)
            if key.field is not None and len(wrong) == before:
                into, field = (values, key.field) if key.part is None else (flat[key.field], key.part)
                into[field] = value
        elif key.required:
            wrong.append(ItemFault("missing", (*way, name), raw))
    wrong.extend(ItemFault("extra", (*way, name), value) for name, value in raw.items() if name not in known.keys)
    for field, parts in flat.items():
        inner = known.flat[field]
        if keys_of(inner).blanks.keys() <= parts.keys():
            values[field] = inner(**parts)
    return values


def make_item(model: type[RuleItem], values: Mapping[str, Value]) -> Value:
    """Make an item; missing required fields are empty."""
    return model(**{**keys_of(model).blanks, **values})


def _read_value(hint: _Hint, raw: Value, way: Way, wrong: list[ItemFault]) -> Value:
    kind = _shape_of(hint)
    if raw is None and kind.optional:
        return None
    if kind.spelling is not None:
        return _read_spelling(kind.spelling, raw, way, wrong)
    if _is_item(kind.kind):
        before = len(wrong)
        values = read_fields(kind.kind, raw, way, wrong)
        return make_item(kind.kind, values) if len(wrong) == before else None
    if kind.kind in _CONTAINERS:
        return _read_list(kind, raw, way, wrong)
    if kind.kind is dict:
        return _read_dict(kind, raw, way, wrong)
    if kind.kind is Literal:
        if raw not in kind.parts:
            wrong.append(ItemFault("literal", way, raw, known=kind.parts))
    elif kind.kind is not object and type(raw) is not kind.kind:
        wrong.append(ItemFault(kind.kind.__name__, way, raw))
    elif found := _find_limit(kind.meta, raw):
        wrong.append(ItemFault(found[0], way, raw, mend=found[1]))
    return raw


def _read_spelling(spelling: Spelling, raw: Value, way: Way, wrong: list[ItemFault]) -> Value:
    if not isinstance(raw, spelling.written):
        wrong.append(ItemFault("str", way, raw))
        return None
    try:
        return spelling.read(raw)
    except BadSpelling as error:
        wrong.append(ItemFault("spelling", way, raw, str(error), error.mend))


def _find_limit(meta: Meta, raw: Value) -> tuple[str, str] | None:
    if meta.le is not None and raw > meta.le:
        return "large", f"write {meta.le} or less"
    if meta.ge is not None and raw < meta.ge:
        return "small", f"write {meta.ge} or more"
    if meta.min_length is not None and len(raw) < meta.min_length:
        return "empty", ""
    if meta.pattern is not None and not re.fullmatch(meta.pattern, raw):
        return "name", ""
    return None


def _read_list(kind: _Shape, raw: object, way: Way, wrong: list[ItemFault]) -> Value:
    if not isinstance(raw, list):
        wrong.append(ItemFault("list", way, raw))
        return None
    before = len(wrong)
    items = [_read_value(kind.parts[0], item, (*way, place), wrong) for place, item in enumerate(raw)]
    if kind.meta.min_length is not None and len(raw) < kind.meta.min_length:
        wrong.append(ItemFault("empty", way, raw))
    elif len(wrong) == before and kind.kind is tuple and ... not in kind.parts and len(raw) != len(kind.parts):
        wrong.append(ItemFault("spelling", way, raw, "doesn't belong here"))
    return kind.kind(items) if len(wrong) == before else None


def _read_dict(kind: _Shape, raw: object, way: Way, wrong: list[ItemFault]) -> Value:
    if not isinstance(raw, dict):
        wrong.append(ItemFault("dict", way, raw))
        return None
    names, values = kind.parts
    for name in raw:
        _read_value(names, name, (*way, name, KEY), wrong)
    return {name: _read_value(values, value, (*way, name), wrong) for name, value in raw.items()}


def _is_item(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, RuleItem)


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
    "bool": "is neither true nor false",
    "dict": "is not a table in { }",
    "empty": "is empty",
    "int": "is not a whole number",
    "item": "is not a table in { }",
    "large": "is too large",
    "list": "is not a list in [ ]",
    "name": "isn't a name of lowercase letters and digits, separated by dots or hyphens",
    "small": "is too small",
    "str": "is not a text in quotes",
}
_WITH_HEADER = frozenset({"book", "overlay"})
"""Items with a separate header."""
_MINUS = "\N{MINUS SIGN}"
_LONGEST_NUMBER = 10**15
_LONGEST_SHOWN = 40


def relevant_faults(model: type[RuleItem], wrong: Iterable[ItemFault]) -> list[ItemFault]:
    """Drop missing keys that are misspelled."""
    every = [*wrong]
    meant = {find_meant_key(model, item) for item in every if item.kind == "extra"}
    return [item for item in every if item.kind != "missing" or item.way not in meant]


def find_meant_key(model: type[RuleItem], wrong: ItemFault) -> tuple[str | int | None, ...]:
    """Return the nearest known key's path."""
    *around, key = wrong.way
    return (*around, errors.nearest(str(key), _list_known_keys(model, around), likeness=phrases.AKIN))


def explain(model: type[RuleItem], wrong: ItemFault) -> str:
    """Explain a fault of an item."""
    names = [step for step in wrong.way if isinstance(step, str) and step != KEY]
    key = names[-1] if names else ""
    examples = {**EXAMPLES, **model.examples}
    shown = examples.get(key, "")
    example = shown and f": write {'' if ' as in ' in shown else 'for example '}{shown}"
    match wrong.kind:
        case "extra" if key == "facts" and model.noun in {"table", "change"}:
            return f"facts must come before the first [[{model.noun}]]"
        case "extra":
            known = _list_known_keys(model, names[:-1])
            return f"{key}: unknown key{phrases.suggestion(key, known) or phrases.list_known(known)}"
        case "missing":
            return f"missing {key}{example}"
        case "literal":
            value = str(wrong.value)
            key = names[-2] if wrong.way[-1] == KEY else key
            return f"unknown {key} {value}{phrases.suggestion(value, wrong.known) or phrases.list_known(wrong.known)}"
        case kind:
            mend = _correction(model, key, wrong)
            # Examples of keys with few values name both limits themselves.
            mend = mend or ("" if kind in {"large", "small"} and " as in " in example else wrong.mend)
            subject = f"{key}: " if key else ""
            return f"{subject}{_value_text(wrong.value)} {wrong.what or _WRONG[kind]}{f': {mend}' if mend else example}"


def _list_known_keys(model: type[RuleItem], way: Iterable[str | int]) -> list[str]:
    for step in way:
        key = keys_of(model).keys.get(step) if isinstance(step, str) else None
        model = (_find_item(key.type) if key else None) or model
    return [*keys_of(model).keys]


def _correction(model: type[RuleItem], key: str, wrong: ItemFault) -> str | None:
    value, mend = wrong.value, None
    head = f'"{key}": ' if model.examples.get(key, "").startswith('"') else f"{key} = "  # as JSON or TOML has it
    start = head if wrong.way and wrong.way[-1] == key else ""
    match wrong.kind:
        case "int" if isinstance(value, str) and re.fullmatch(rf"\s*[+{_MINUS}-]?[0-9]{{1,9}}\s*", value):
            mend = f"write {start}{int(value.replace(_MINUS, '-'))} without quotes"
        case "bool" if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
            mend = f"write {start}{value.strip().lower()} without quotes"
        case "name" if isinstance(value, str) and (slug := _slug(value)):
            mend = f'write {start}"{slug}"'
        case "str" if start and type(value) is int and abs(value) <= _LONGEST_NUMBER:
            mend = f'write {start}"{value}"'
        case "list" if isinstance(value, dict) and model.noun == "file":
            mend = f"write [[{key}]] with double brackets"
        case "item" if isinstance(value, list) and not key and model.noun in _WITH_HEADER:
            mend = f"write [{model.noun}] with single brackets"
    return mend


def _slug(text: str) -> str:
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    parts = re.findall("[a-z0-9]+(?:[.][a-z0-9]+)*", plain)
    return "-".join(parts) and "!" * text.startswith("!") + "-".join(parts)


def _value_text(value: object) -> str:
    if isinstance(value, int) and abs(value) > _LONGEST_NUMBER:
        return "a very long number"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
