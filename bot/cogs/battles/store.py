"""Battles with random events in the campaign's state: read from it, and written as changes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.records import Change
from rules.books.battlesystem.state import (
    BATTLE,
    EVENT,
    LOSS,
    UNIT,
    Battle,
    Header,
    InForce,
    Item,
    Replacement,
    battle_key,
)

__all__ = ["BATTLE", "EVENT", "LOSS", "UNIT", "InForce", "battle_key", "changes", "fought", "headers", "values"]


def headers(tx: Connection, campaign_id: int) -> list[Header]:
    """Return all battles that were ever begun, the newest first."""
    every = (Header.of(value) for value in state.of_name(tx, campaign_id, BATTLE).values())
    return sorted(every, key=lambda item: -item.entry)


def fought(tx: Connection, campaign_id: int) -> list[Battle]:
    """Return the battles that are not over, the newest first."""
    running = [item for item in headers(tx, campaign_id) if not item.over]
    if not running:
        return []
    kept: dict[str, dict[str, Any]] = {item.subject: {} for item in running}
    for (subject, name), value in state.beginning(tx, campaign_id, kept.keys(), "").items():
        kept[subject][name] = value
    events = state.naming(tx, campaign_id, EVENT).values()
    units = (value for values in kept.values() for value in values.values() if "id" in value)
    names = subjects.names(tx, campaign_id, {value["id"] for value in (*units, *events)})
    in_force = [InForce.of(value, names) for value in events]
    return [Battle.of(item, kept[item.subject], in_force, names) for item in running]


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
