"""Which entries stand in the place of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import entries, reads
from bot.core.schema import entry
from bot.core.schema import state as state_table
from bot.core.state import AMENDED, VOIDED, named

MAX_STEPS = 100
"""How many amendments in a row are followed: the marks of a campaign from elsewhere may lead in a circle."""

_OF_ENTRY = (
    state_table.c.campaign_id == entry.c.campaign_id,
    state_table.c.subject == sa.literal("entry:") + sa.cast(entry.c.number, sa.String),
    state_table.c.name == sa.bindparam("voided"),
)
_VOID_OF = (
    sa.select(state_table.c.value)
    .join_from(entry, state_table, sa.and_(*_OF_ENTRY))
    .where(
        entry.c.campaign_id == sa.bindparam("campaign"),
        entry.c.audience == "maker",
        entry.c.actor == sa.bindparam("actor"),
    )
)


def amending(tx: Connection, campaign_id: int, pseudonym: str | None) -> frozenset[int]:
    """Return the entries (numbers) that amend what the person with a pseudonym made for themself and the staff, or what amends that."""
    key = {"campaign": campaign_id, "actor": pseudonym or "", "voided": VOIDED}
    marks = [row.value for row in reads.rows(tx, _VOID_OF, key)]
    found: set[int] = set()
    while newest := {mark["by"] for mark in marks if mark.get(AMENDED)} - found:
        found |= newest
        marks = [*named(tx, campaign_id, [f"entry:{number}" for number in newest], {VOIDED}).values()]
    return frozenset(found)


def in_place_of(tx: Connection, campaign_id: int, numbers: Iterable[int]) -> dict[int, int]:
    """Return which entry stands for each of these: itself, the last that amends it, or the one that it amended and that holds again; what was taken back is left out."""
    found = {number: number for number in numbers}
    for _ in range(MAX_STEPS):
        marks = named(tx, campaign_id, {f"entry:{number}" for number in found.values()}, {VOIDED})
        if not marks:
            break
        after = _after(tx, campaign_id, {int(key.removeprefix("entry:")): mark for (key, _), mark in marks.items()})
        moved = {number: after.get(now, now) for number, now in found.items()}
        found = {number: now for number, now in moved.items() if now is not None}
    return found


def _after(tx: Connection, campaign_id: int, marks: Mapping[int, Mapping[str, Any]]) -> dict[int, int | None]:
    """Return which entry follows each that is marked as void: the one that amends it, or that which it amended itself, if any."""
    gone = entries.without_texts(tx, campaign_id, [number for number, mark in marks.items() if not mark.get(AMENDED)])
    return {
        number: gone[number].content().get("amends") if number in gone else mark["by"] for number, mark in marks.items()
    }
