"""Golden cases as files write them down: rolls of the page, dice and all, and what each must come to."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from rules.modifiers import JsonObject


def cases_in(path: Path) -> Iterator[JsonObject]:
    """Yield the cases of a file, each filled up with what its `[defaults]` say of all of them.

    A table is filled up key by key. A list of one table among the defaults (`[[defaults.parts]]`) fills up each table of
    the list that a case writes. Whatever else a case writes replaces the default.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    for case in content.get("case", ()):
        yield _filled(case, content.get("defaults", {}))


def _filled(table: JsonObject, defaults: JsonObject) -> JsonObject:
    both = table.keys() & defaults.keys()
    return {**defaults, **table, **{key: _merged(table[key], defaults[key]) for key in both}}


def _merged(written: object, default: object) -> object:
    match written, default:
        case dict(), dict():
            return _filled(written, default)
        case list(), [dict() as each]:
            return [_merged(item, each) for item in written]
    return written
