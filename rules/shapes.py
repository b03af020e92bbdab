"""Rule items read off the values of a file by the types of their fields; every fault is found, each with the way to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import replace

from rules.kinds import BadSpelling, RuleItem, Spelling

KEY = "[key]"
"""The last step on the way to a key that is wrong itself."""
Way = tuple[str | int, ...]
Hint: TypeAlias = Any
"""A type as it is annotated."""
Value: TypeAlias = Any
"""What a file writes, or what is read of it: of the type that is asked for."""
_CONTAINERS = (tuple, frozenset, list)
_BLANKS = (str, int, bool, tuple, frozenset)


class Wrong(Struct, frozen=True):
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


class Key(Struct, frozen=True):
    """A key of an item: the field that it belongs to, None for one that is kept apart; `part` is the field of a flat item there."""

    type: Hint
    field: str | None
    required: bool = False
    part: str | None = None


class Keys(Struct, frozen=True):
    """The keys of an item, in their order; its flat parts by their fields, and what stands in for fields without a default."""

    keys: Mapping[str, Key]
    flat: Mapping[str, type[RuleItem]]
    blanks: Mapping[str, Value]


@cache
def keys_of(model: type[RuleItem]) -> Keys:
    """Return the keys of an item."""
    hints: dict[str, Hint] = {}
    for each in model.__mro__[: model.__mro__.index(RuleItem)]:
        hints = get_annotations(each, eval_str=True) | hints
    keys: dict[str, Key] = {}
    flat: dict[str, type[RuleItem]] = {}
    blanks: dict[str, Value] = {}
    names, defaults = model.__struct_fields__, model.__struct_defaults__
    for name, default in zip(names, (*[NODEFAULT] * (len(names) - len(defaults)), *defaults), strict=True):
        key, kind, required = model.spelled.get(name, name.replace("_", "-")), hints[name], default is NODEFAULT
        inner = shape(kind).kind
        if required:
            blanks[name] = _blank(inner)
        if _is_item(inner) and inner.flat:
            flat[name] = inner
            for own, part in keys_of(inner).keys.items():
                keys[own] = Key(part.type, name, required and part.required, part.field)
        elif name in model.apart:
            keys[key] = Key(model.apart[name], None, required)
        elif name not in model.derived:
            keys[key] = Key(kind, name, required)
    for name, kind in model.apart.items():
        keys.setdefault(name, Key(kind, None))
    return Keys(keys, flat, blanks)


@cache
def shape(hint: Hint) -> Shape:
    """Return the shape of a type as annotated."""
    origin: Hint = get_origin(hint)
    if origin is Annotated:
        found = shape(hint.__origin__)
        for mark in hint.__metadata__:
            found = replace(found, **{"meta" if isinstance(mark, Meta) else "spelling": mark})
        return found
    if origin in {Union, UnionType}:
        return replace(shape(next(each for each in get_args(hint) if each is not NoneType)), optional=True)
    return Shape(dict if origin is Mapping else origin or hint, get_args(hint))


def item_in(hint: Hint) -> type[RuleItem] | None:
    """Return the kind of items that a type is made of; None of one that has none."""
    found = shape(hint)
    if _is_item(found.kind):
        kind: type[RuleItem] = found.kind
        return kind
    return next((item for part in found.parts if part is not ... and (item := item_in(part))), None)


def read_fields(model: type[RuleItem], raw: object, way: Way, wrong: list[Wrong]) -> dict[str, Value]:
    """Return the fields of an item that are written and right; its faults are added to `wrong`."""
    if not isinstance(raw, dict):
        wrong.append(Wrong("item", way, raw))
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
            wrong.append(Wrong("missing", (*way, name), raw))
    wrong.extend(Wrong("extra", (*way, name), value) for name, value in raw.items() if name not in known.keys)
    for field, parts in flat.items():
        inner = known.flat[field]
        if keys_of(inner).blanks.keys() <= parts.keys():
            values[field] = inner(**parts)
    return values


def made(model: type[RuleItem], values: Mapping[str, Value]) -> Value:
    """Return an item with these fields; what has no default and isn't there is empty."""
    return model(**{**keys_of(model).blanks, **values})


def read_value(hint: Hint, raw: Value, way: Way, wrong: list[Wrong]) -> Value:
    """Return a value of a type as a file writes it; what is wrong with it is added to `wrong`."""
    kind = shape(hint)
    if raw is None and kind.optional:
        return None
    if kind.spelling is not None:
        return _spelled(kind.spelling, raw, way, wrong)
    if _is_item(kind.kind):
        before = len(wrong)
        values = read_fields(kind.kind, raw, way, wrong)
        return made(kind.kind, values) if len(wrong) == before else None
    if kind.kind in _CONTAINERS:
        return _read_list(kind, raw, way, wrong)
    if kind.kind is dict:
        return _read_dict(kind, raw, way, wrong)
    if kind.kind is Literal:
        if raw not in kind.parts:
            wrong.append(Wrong("literal", way, raw, known=kind.parts))
    elif kind.kind is not object and type(raw) is not kind.kind:
        wrong.append(Wrong(kind.kind.__name__, way, raw))
    elif found := _beyond(kind.meta, raw):
        wrong.append(Wrong(found[0], way, raw, mend=found[1]))
    return raw


def _spelled(spelling: Spelling, raw: Value, way: Way, wrong: list[Wrong]) -> Value:
    if not isinstance(raw, spelling.written):
        wrong.append(Wrong("str", way, raw))
        return None
    try:
        return spelling.read(raw)
    except BadSpelling as error:
        wrong.append(Wrong("spelling", way, raw, str(error), error.mend))


def _beyond(meta: Meta, raw: Value) -> tuple[str, str] | None:
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


def _read_list(kind: Shape, raw: object, way: Way, wrong: list[Wrong]) -> Value:
    if not isinstance(raw, list):
        wrong.append(Wrong("list", way, raw))
        return None
    before = len(wrong)
    items = [read_value(kind.parts[0], item, (*way, place), wrong) for place, item in enumerate(raw)]
    if kind.meta.min_length is not None and len(raw) < kind.meta.min_length:
        wrong.append(Wrong("empty", way, raw))
    elif len(wrong) == before and kind.kind is tuple and ... not in kind.parts and len(raw) != len(kind.parts):
        wrong.append(Wrong("spelling", way, raw, "doesn't belong here"))
    return kind.kind(items) if len(wrong) == before else None


def _read_dict(kind: Shape, raw: object, way: Way, wrong: list[Wrong]) -> Value:
    if not isinstance(raw, dict):
        wrong.append(Wrong("dict", way, raw))
        return None
    names, values = kind.parts
    for name in raw:
        read_value(names, name, (*way, name, KEY), wrong)
    return {name: read_value(values, value, (*way, name), wrong) for name, value in raw.items()}


def _blank(kind: Hint) -> Value:
    return kind() if kind in _BLANKS else None


def _is_item(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, RuleItem)
