"""Golden cases as files: rolls of the page, with dice and results."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from rules.modifiers import JsonObject


def cases_in(path: Path) -> Iterator[JsonObject]:
    """Yield a file's cases, filled up with its `[defaults]`, key by key; a list of one fills each table."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    for case in content.get("case", ()):
        yield _fill_case(case, content.get("defaults", {}))


def _fill_case(table: JsonObject, defaults: JsonObject) -> JsonObject:
    both = table.keys() & defaults.keys()
    return {**defaults, **table, **{key: _merge_defaults(table[key], defaults[key]) for key in both}}


def _merge_defaults(written: object, default: object) -> object:
    match written, default:
        case dict(), dict():
            return _fill_case(written, default)
        case list(), [dict() as each]:
            return [_merge_defaults(item, each) for item in written]
    return written
