"""Reads JSON values by the schemas of an OpenAPI 3.1 document and says precisely what is wrong with them.

The JSON Schema (2020-12) keywords that Discord's document uses are read as the standard says, with three differences:

* A union of objects is told apart by the `type` constants of its branches, so that a fault names one branch.
* An object without `additionalProperties` is closed: a key that the document does not know is a fault.
* An id (format `snowflake`) may be a whole number: Discord reads both and discord.py sends both.

The general `jsonschema` package lists every branch of a union and takes over ten times as long; the tests hold both to
the same verdicts.
"""

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

Schema = Mapping[str, Any]

TOLERATED = {
    "$.nsfw": "age restriction of a command: Discord's guide describes it, the document does not",
    "$.tts": "discord.py sends it with every edit too",
    "data.tts": "as above, in the answer to an interaction",
    "emoji.animated": "discord.py sends an emoji's flag along with its id",
    "embeds.flags": "discord.py sends back what it once received; Discord ignores it",
    **dict.fromkeys(
        (f"{part}.{key}" for part in ("image", "thumbnail") for key in ("proxy_url", "flags", "content_type")),
        "as above, for a picture of an embed",
    ),
    **dict.fromkeys(("author.proxy_icon_url", "footer.proxy_icon_url"), "as above, for an icon of an embed"),
    **dict.fromkeys(
        (
            f"attachments.{key}"
            for key in ["content_type", "ephemeral", "flags", "height", "proxy_url", "size", "spoiler", "url", "width"]
        ),
        "as above, for an attachment that an edit keeps",
    ),
}
"""Keys beyond the document that Discord is known to accept or to ignore, each below the key it stands under."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}

_BOUNDS: Mapping[str, tuple[tuple[type, ...], Callable[[Any], Any], Callable[[Any, Any], bool], str]] = {
    "maxLength": ((str,), len, operator.gt, "at most {} characters, not {}"),
    "minLength": ((str,), len, operator.lt, "at least {} characters, not {}"),
    "maxItems": ((list,), len, operator.gt, "at most {} items, not {}"),
    "minItems": ((list,), len, operator.lt, "at least {} items, not {}"),
    "maxProperties": ((dict,), len, operator.gt, "at most {} keys, not {}"),
    "minProperties": ((dict,), len, operator.lt, "at least {} keys, not {}"),
    "maximum": ((int, float), operator.pos, operator.gt, "at most {}, not {}"),
    "minimum": ((int, float), operator.pos, operator.lt, "at least {}, not {}"),
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing wrong with a value: the JSON path of the place and what is demanded there."""

    where: str
    demand: str


class Reader:
    """Checks values against schemas; `schemas` are the document's `components.schemas` by name."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas
        self._keywords: Mapping[str, Callable[[Any, Any, str, Schema], Iterator[Flaw]]] = {
            "$ref": self._ref,
            "type": _type,
            "enum": _enum,
            "const": lambda only, value, where, schema: _enum([only], value, where, schema),
            "format": _format,
            "pattern": _pattern,
            "uniqueItems": _unique,
            "required": _required,
            "properties": self._properties,
            "additionalProperties": self._additional,
            "items": self._items,
            "allOf": self._all,
            "oneOf": self._union,
            "anyOf": self._union,
        }

    def flaws(self, schema: Schema, value: object, where: str = "$") -> Iterator[Flaw]:
        """Everything in the value, which stands at JSON path `where`, that the schema does not allow."""
        for keyword, demanded in schema.items():
            if bound := _BOUNDS.get(keyword):
                types, measure, breaks, words = bound
                if isinstance(value, types) and not isinstance(value, bool) and breaks(measure(value), demanded):
                    yield Flaw(where, words.format(demanded, measure(value)))
            elif check := self._keywords.get(keyword):
                yield from check(demanded, value, where, schema)

    def resolved(self, schema: Schema) -> Schema:
        """The schema itself, after following `$ref`s."""
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def _ref(self, _ref: str, value: object, where: str, schema: Schema) -> Iterator[Flaw]:
        return self.flaws(self.resolved(schema), value, where)

    def _properties(self, known: Mapping[str, Schema], value: object, where: str, schema: Schema) -> Iterator[Flaw]:
        if not isinstance(value, dict):
            return
        for key, item in value.items():
            if key in known:
                yield from self.flaws(known[key], item, f"{where}.{key}")
            elif "additionalProperties" not in schema and f"{_holder(where)}.{key}" not in TOLERATED:
                yield Flaw(f"{where}.{key}", f"no such key; the document knows {', '.join(sorted(known))}")

    def _additional(self, demanded: Schema | bool, value: object, where: str, schema: Schema) -> Iterator[Flaw]:  # noqa: FBT001 - JSON Schema's own form
        if not isinstance(value, dict):
            return
        for key in value.keys() - schema.get("properties", {}).keys():
            if demanded is False:
                yield Flaw(f"{where}.{key}", "no such key")
            elif isinstance(demanded, dict):
                yield from self.flaws(demanded, value[key], f"{where}.{key}")

    def _items(self, demanded: Schema, value: object, where: str, _schema: Schema) -> Iterator[Flaw]:
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.flaws(demanded, item, f"{where}[{index}]")

    def _all(self, parts: list[Schema], value: object, where: str, _schema: Schema) -> Iterator[Flaw]:
        for part in parts:
            yield from self.flaws(part, value, where)

    def _union(self, branches: list[Schema], value: object, where: str, schema: Schema) -> Iterator[Flaw]:
        real = [self.resolved(branch) for branch in branches if branch.get("type") != "null"]
        if value is None and len(real) < len(branches):
            return
        if all("const" in branch for branch in real):
            yield from _enum([branch["const"] for branch in real], value, where, schema)
        elif isinstance(value, dict) and all(map(_kinds, real)):
            yield from self._tagged(real, value, where)
        else:
            yield from self._closest(real, value, where)

    def _tagged(self, branches: list[Schema], value: Mapping[str, object], where: str) -> Iterator[Flaw]:
        matching = [branch for branch in branches if value.get("type") in _kinds(branch)]
        if matching:
            yield from self._closest(matching, value, where)
        else:
            kinds = sorted(kind for branch in branches for kind in _kinds(branch))
            yield Flaw(f"{where}.type", f"one of {_listed(kinds)}, not {_shown(value.get('type'))}")

    def _closest(self, branches: list[Schema], value: object, where: str) -> list[Flaw]:
        fitting = [branch for branch in branches if _has_type(branch, value)] or branches
        return min((list(self.flaws(branch, value, where)) for branch in fitting), key=len)


def _holder(where: str) -> str:
    """The last key of a JSON path: `embeds` of `$.data.embeds[0]`."""
    return re.sub(r"\[\d+\]", "", where).rpartition(".")[2]


def _kinds(branch: Schema) -> list[Any]:
    tag = branch.get("properties", {}).get("type", {})
    return [tag["const"]] if "const" in tag else tag.get("enum", [])


def _type(_demanded: str | list[str], value: object, where: str, schema: Schema) -> Iterator[Flaw]:
    if not _has_type(schema, value):
        yield Flaw(where, f"{' or '.join(_type_names(schema))}, not {_shown(value)}")


def _has_type(schema: Schema, value: object) -> bool:
    return "type" not in schema or any(_is(name, value) for name in _type_names(schema))


def _type_names(schema: Schema) -> list[str]:
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return [*names, "integer"] if schema.get("format") == "snowflake" else names


def _is(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())


def _enum(allowed: list[Any], value: object, where: str, _schema: Schema) -> Iterator[Flaw]:
    # Discord's document has empty lists where it means "see allOf".
    if allowed and not any(value == one and type(value) is type(one) for one in allowed):
        yield Flaw(where, f"one of {_listed(allowed)}, not {_shown(value)}")


def _pattern(pattern: str, value: object, where: str, _schema: Schema) -> Iterator[Flaw]:
    if isinstance(value, str) and not re.search(pattern, value):
        yield Flaw(where, f"text of the form {pattern}, not {_shown(value)}")


def _unique(wanted: bool, value: object, where: str, _schema: Schema) -> Iterator[Flaw]:  # noqa: FBT001 - JSON Schema's own form
    if wanted and isinstance(value, list):
        texts = [json.dumps(item, sort_keys=True) for item in value]
        if len(set(texts)) < len(texts):
            yield Flaw(where, "no item twice")


def _required(keys: list[str], value: object, where: str, _schema: Schema) -> Iterator[Flaw]:
    if isinstance(value, dict):
        for key in keys:
            if key not in value:
                yield Flaw(f"{where}.{key}", "required, but missing")


def _format(name: str, value: object, where: str, _schema: Schema) -> Iterator[Flaw]:
    fits = _FORMATS.get(name)
    if fits and value is not None and not fits(value):
        yield Flaw(where, f"{name}, not {_shown(value)}")


def _date_time(value: object) -> bool:
    try:
        return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _within(bits: int) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, int) or -(1 << bits - 1) <= value < 1 << bits - 1


_FORMATS: Mapping[str, Callable[[Any], bool]] = {
    "date-time": _date_time,
    "int32": _within(32),
    "int64": _within(64),
    "snowflake": lambda value: not isinstance(value, int) or value >= 0,
    "uri": lambda value: not isinstance(value, str) or bool(urlsplit(value).scheme),
}


def _shown(value: object, most: int = 60) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}..."


def _listed(values: list[Any]) -> str:
    return ", ".join(_shown(value) for value in values)
