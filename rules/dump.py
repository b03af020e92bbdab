"""A book as plain data: what is printed for others to check, and what its fingerprint covers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from msgspec import Struct

from rules.dice import DiceTerm
from rules.facts import JsonObject
from rules.modifiers import Modifier
from rules.ruleset import RuleSet
from rules.tables import Event, Natural, RollTable, TableRow

_OPTIONAL = {"event", "letters", "audience", "source", "against", "caps", "plain", "times", "turns", "command"}
"""What only some tables and rows have; others are told, and fingerprinted, without."""
_BESIDE = ("contests", "strikes", "fields", "deeds", "acts", "scores", "catalog")
"""What only some books have."""
_LEFT_OUT = {"files", "deeds"}
"""What changes neither a roll nor its wording."""


def dump_book(book: RuleSet) -> JsonObject:
    """Return the book's tables with every range, value and line. An open end of a row is None."""
    return {
        "id": book.id,
        "fingerprint": book.fingerprint,
        "tables": [_table(table) for table in book.tables.values()],
    }


def canonical_book(book: RuleSet) -> str:
    """Return all in the book that can change a roll or its wording, as canonical JSON: sorted keys, no spaces.

    It holds facts, tables, zones with their climate, conditions, traits, fields and effects whole and the versions of the
    procedures, but not the fingerprint made of it.
    """
    procedures = {family: procedure.version for family, procedure in book.procedures.items()}
    content = {"id": book.id, "title": book.title, "facts": book.facts, "tables": book.tables, "zones": book.zones}
    content |= {"conditions": book.conditions, "traits": book.traits, "effects": book.effects}
    content |= {name: items for name in _BESIDE if (items := getattr(book, name))}
    content["procedures"] = procedures
    return json.dumps(content, default=_canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(book: RuleSet) -> str:
    """Return the SHA-256, in hex, of the canonical book."""
    return hashlib.sha256(canonical_book(book).encode()).hexdigest()


def _canonical(value: object) -> object:
    """Return what JSON does not know in terms that it does."""
    if isinstance(value, DiceTerm):
        return str(value)
    if isinstance(value, Struct):
        values = {name: getattr(value, name) for name in value.__struct_fields__ if name not in _LEFT_OUT}
        if isinstance(value, Event):
            values = {"cause": value.cause, "parts": value.parts, **values}
            del values["changes"]  # its parts have them
        # Leaving out what is empty keeps the fingerprints from before such a field was there.
        return {name: value for name, value in values.items() if value or name not in _OPTIONAL}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")


def _table(table: RollTable) -> dict[str, object]:
    letters: dict[str, object] = {"letters": _json(list(table.letters.values()))} if table.letters else {}
    return letters | {
        "id": table.id,
        "die": table.die.sides if table.die.count == 1 else str(table.die),
        "source": {"book": table.source.book, "section": table.source.section},
        "rows": [_row(row) for row in table.rows],
        "naturals": [_natural(natural) for natural in table.naturals],
        "modifiers": [_modifier(modifier) for modifier in table.modifiers],
    }


def _row(row: TableRow) -> dict[str, object]:
    event: dict[str, object] = {"event": _json(row.event)} if row.event else {}
    return {"min": row.min, "max": row.max, "outcome": row.outcome, "text": row.text, "line": row.line} | event


def _json(value: object) -> object:
    """Return what JSON makes of it."""
    return json.loads(json.dumps(value, default=_canonical))


def _natural(natural: Natural) -> dict[str, object]:
    return {"face": natural.face, "outcome": natural.outcome, "line": natural.line}


def _modifier(modifier: Modifier) -> dict[str, object]:
    times: dict[str, object] = {"times": modifier.times} if modifier.times else {}
    return times | {
        "id": modifier.id,
        "value": modifier.value,
        "label": modifier.label,
        "group": modifier.group,
        "one_of": modifier.one_of,
        "per": modifier.per,
        "when": [list(clause) for clause in modifier.when],
        "line": modifier.line,
    }
