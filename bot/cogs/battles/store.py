"""Battles with random events in the campaign's state: read from it, and written as changes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.records import Change
from bot.core.state import State
from rules.books.battlesystem.state import (
    BATTLE,
    EVENT,
    LOSS,
    UNIT,
    Battle,
    Header,
    InForce,
    Item,
    Names,
    Replacement,
    battle_key,
)

__all__ = [
    "BATTLE",
    "EVENT",
    "LOSS",
    "UNIT",
    "InForce",
    "battle_key",
    "changes",
    "fought",
    "fought_in",
    "headers",
    "values",
]


def headers(tx: Connection, campaign_id: int) -> list[Header]:
    """Return all battles that were ever begun, the newest first."""
    return _newest_first(state.of_name(tx, campaign_id, BATTLE).values())


def fought(tx: Connection, campaign_id: int) -> list[Battle]:
    """Return the battles that are not over, the newest first."""
    running = [item.subject for item in headers(tx, campaign_id) if not item.over]
    if not running:
        return []
    kept = state.of_subjects(tx, campaign_id, running) | state.naming(tx, campaign_id, EVENT)
    names = subjects.names(tx, campaign_id, {value["id"] for value in kept.values() if "id" in value})
    return fought_in(kept, names)


def fought_in(kept: State, names: Names) -> list[Battle]:
    """Return the battles that are not over out of the state, the newest first; `names` are those of their units."""
    values: dict[str, dict[str, Any]] = {}
    for (subject, name), value in kept.items():
        values.setdefault(subject, {})[name] = value
    in_force = [InForce.of(value, names) for (_, name), value in kept.items() if name.startswith(EVENT)]
    every = _newest_first(value for (_, name), value in kept.items() if name == BATTLE)
    return [Battle.of(item, values[item.subject], in_force, names) for item in every if not item.over]


def _newest_first(values: Iterable[Mapping[str, Any]]) -> list[Header]:
    return sorted(map(Header.of, values), key=lambda item: -item.entry)


def changes(header: Header, replacements: Iterable[Replacement]) -> list[Change]:
    """Return what changes in the campaign's state where items of a battle are replaced."""
    return [
        Change(*_key(header, before or after), before and before.value(), after and after.value())
        for before, after in replacements
    ]


def values(header: Header, replacements: Iterable[Replacement]) -> dict[tuple[str, str], Any]:
    """Return what the campaign's state keeps afterwards, by subject and name (None: not any more)."""
    return {_key(header, before or after): after and after.value() for before, after in replacements}


def _key(header: Header, item: Item | None) -> tuple[str, str]:
    """Return under which subject and name an item is kept."""
    if isinstance(item, InForce):
        return item.key
    return header.subject, (item or header).key
