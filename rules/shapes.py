"""Rule items read by the types of their fields: every fault is found, with the way to it, and said in plain words."""

from __future__ import annotations

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

from rules.errors import nearest
from rules.kinds import BadSpelling, RuleItem, Spelling
from rules.phrases import AKIN, known_list, suggestion

KEY = "[key]"
"""The last step on the way to a key that is wrong itself."""
Way = tuple[str | int, ...]
Hint: TypeAlias = Any
"""A type as it is annotated."""
Value: TypeAlias = Any
"""What a file writes, or what is read of it: of the type that is asked for."""
_CONTAINERS = (tuple, frozenset, list)
_BLANKS = (str, int, bool, tuple, frozenset)


class ItemFault(Struct, frozen=True):
    """A fault: its kind, the way to it, and what stands there. `what` and `mend` are the words of a spelling, `known` all that there is."""

    kind: str
    way: Way
    value: object = None
    what: str = ""
    mend: str = ""
    known: tuple[str, ...] = ()


class Shape(Struct, frozen=True):
    """The type of a value: what it is, what its parts are, which limits it has, how it is spelt, and whether it may be None."""

    kind: Hint
    parts: tuple[Hint, ...] = ()
    meta: Meta = Meta()
    spelling: Spelling | None = None
    optional: bool = False


class FieldKey(Struct, frozen=True):
    """A key of an item: the field that it belongs to, None for one that is kept apart; `part` is the field of a flat item there."""

    type: Hint
    field: str | None
    required: bool = False
    part: str | None = None


class FieldKeys(Struct, frozen=True):
    """The keys of an item, in their order; its flat parts by their fields, and what stands in for fields without a default."""

    keys: Mapping[str, FieldKey]
    flat: Mapping[str, type[RuleItem]]
    blanks: Mapping[str, Value]


@cache
def keys_of(model: type[RuleItem]) -> FieldKeys:
    """Return the keys of an item."""
    hints: dict[str, Hint] = {}
    for each in model.__mro__[: model.__mro__.index(RuleItem)]:
        hints = get_annotations(each, eval_str=True) | hints
    keys: dict[str, FieldKey] = {}
    flat: dict[str, type[RuleItem]] = {}
    blanks: dict[str, Value] = {}
    names, defaults = model.__struct_fields__, model.__struct_defaults__
    for name, default in zip(names, (*[NODEFAULT] * (len(names) - len(defaults)), *defaults), strict=True):
        key, kind, required = model.spelled.get(name, name.replace("_", "-")), hints[name], default is NODEFAULT
        inner = shape_of(kind).kind
        if required:
            blanks[name] = _blank(inner)
        if _is_item(inner) and inner.flat:
            flat[name] = inner
            for own, part in keys_of(inner).keys.items():
                keys[own] = FieldKey(part.type, name, required and part.required, part.field)
        elif name in model.apart:
            keys[key] = FieldKey(model.apart[name], None, required)
        elif name not in model.derived:
            keys[key] = FieldKey(kind, name, required)
    for name, kind in model.apart.items():
        keys.setdefault(name, FieldKey(kind, None))
    return FieldKeys(keys, flat, blanks)


@cache
def shape_of(hint: Hint) -> Shape:
    """Return the shape of a type as annotated."""
    origin: Hint = get_origin(hint)
    if origin is Annotated:
        found = shape_of(hint.__origin__)
        for mark in hint.__metadata__:
            found = replace(found, **{"meta" if isinstance(mark, Meta) else "spelling": mark})
        return found
    if origin in {Union, UnionType}:
        return replace(shape_of(next(each for each in get_args(hint) if each is not NoneType)), optional=True)
    return Shape(dict if origin is Mapping else origin or hint, get_args(hint))


def item_in(hint: Hint) -> type[RuleItem] | None:
    """Return the kind of items that a type is made of; None of one that has none."""
    found = shape_of(hint)
    if _is_item(found.kind):
        kind: type[RuleItem] = found.kind
        return kind
    return next((item for part in found.parts if part is not ... and (item := item_in(part))), None)


def read_fields(model: type[RuleItem], raw: object, way: Way, wrong: list[ItemFault]) -> dict[str, Value]:
    """Return the fields of an item that are written and right; its faults are added to `wrong`."""
    if not isinstance(raw, dict):
        wrong.append(ItemFault("item", way, raw))
        return {}
    known = keys_of(model)
    values: dict[str, Value] = {}
    flat: dict[str, dict[str, Value]] = {field: {} for field in known.flat}
    for name, key in known.keys.items():
        if name in raw:
            before = len(wrong)
            value = read_value(key.type, raw[name], (*way, name), wrong)
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
    """Return an item with these fields; what has no default and isn't there is empty."""
    return model(**{**keys_of(model).blanks, **values})


def read_value(hint: Hint, raw: Value, way: Way, wrong: list[ItemFault]) -> Value:
    """Return a value of a type as a file writes it; what is wrong with it is added to `wrong`."""
    kind = shape_of(hint)
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
    """Return how a single value is beyond its limits, and what to write where a limit says so."""
    if meta.le is not None and raw > meta.le:
        return "large", f"write {meta.le} or less"
    if meta.ge is not None and raw < meta.ge:
        return "small", f"write {meta.ge} or more"
    if meta.min_length is not None and len(raw) < meta.min_length:
        return "empty", ""
    if meta.pattern is not None and not re.fullmatch(meta.pattern, raw):
        return "name", ""
    return None


def _read_list(kind: Shape, raw: object, way: Way, wrong: list[ItemFault]) -> Value:
    if not isinstance(raw, list):
        wrong.append(ItemFault("list", way, raw))
        return None
    before = len(wrong)
    items = [read_value(kind.parts[0], item, (*way, place), wrong) for place, item in enumerate(raw)]
    if kind.meta.min_length is not None and len(raw) < kind.meta.min_length:
        wrong.append(ItemFault("empty", way, raw))
    elif len(wrong) == before and kind.kind is tuple and ... not in kind.parts and len(raw) != len(kind.parts):
        wrong.append(ItemFault("spelling", way, raw, "doesn't belong here"))
    return kind.kind(items) if len(wrong) == before else None


def _read_dict(kind: Shape, raw: object, way: Way, wrong: list[ItemFault]) -> Value:
    if not isinstance(raw, dict):
        wrong.append(ItemFault("dict", way, raw))
        return None
    names, values = kind.parts
    for name in raw:
        read_value(names, name, (*way, name, KEY), wrong)
    return {name: read_value(values, value, (*way, name), wrong) for name, value in raw.items()}


def _blank(kind: Hint) -> Value:
    return kind() if kind in _BLANKS else None


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
"""Items that stand alone under a header of their own."""
_MINUS = "\N{MINUS SIGN}"
_LONGEST_NUMBER = 10**15
_LONGEST_SHOWN = 40


def relevant_faults(model: type[RuleItem], wrong: Iterable[ItemFault]) -> list[ItemFault]:
    """Return the faults without those of keys that are missing only because they are misspelt."""
    every = [*wrong]
    meant = {meant_key(model, item) for item in every if item.kind == "extra"}
    return [item for item in every if item.kind != "missing" or item.way not in meant]


def meant_key(model: type[RuleItem], wrong: ItemFault) -> tuple[str | int | None, ...]:
    """Return where an unknown key would stand if it were spelt as its nearest known one."""
    *around, key = wrong.way
    return (*around, nearest(str(key), _known_keys(model, around), likeness=AKIN))


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
            known = _known_keys(model, names[:-1])
            return f"{key}: unknown key{suggestion(key, known) or known_list(known)}"
        case "missing":
            return f"missing {key}{example}"
        case "literal":
            value = str(wrong.value)
            key = names[-2] if wrong.way[-1] == KEY else key
            return f"unknown {key} {value}{suggestion(value, wrong.known) or known_list(wrong.known)}"
        case kind:
            mend = _correction(model, key, wrong)
            # Examples of keys with few values name both limits themselves.
            mend = mend or ("" if kind in {"large", "small"} and " as in " in example else wrong.mend)
            subject = f"{key}: " if key else ""
            return f"{subject}{_value_text(wrong.value)} {wrong.what or _WRONG[kind]}{f': {mend}' if mend else example}"


def _known_keys(model: type[RuleItem], way: Iterable[str | int]) -> list[str]:
    for step in way:
        key = keys_of(model).keys.get(step) if isinstance(step, str) else None
        model = (item_in(key.type) if key else None) or model
    return [*keys_of(model).keys]


def _correction(model: type[RuleItem], key: str, wrong: ItemFault) -> str | None:
    """Return what is to be written for a value that shows well enough what it was meant to be."""
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
    """Return the name that is nearest to a text: its letters and digits, small, parted by hyphens; "" when it has none."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    parts = re.findall("[a-z0-9]+(?:[.][a-z0-9]+)*", plain)
    return "-".join(parts) and "!" * text.startswith("!") + "-".join(parts)


def _value_text(value: object) -> str:
    """Return the value much as TOML writes it, cut when long."""
    if isinstance(value, int) and abs(value) > _LONGEST_NUMBER:
        return "a very long number"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
