"""Which entries stand in the place of others."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import reads
from bot.core.schema import entry
from bot.core.schema import state as state_table
from bot.core.state import AMENDED, VOIDED, named

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
    """Return which entry stands for each of these: itself, or the last that amends it; what was taken back is left out."""
    found = {number: number for number in numbers}
    while marks := named(tx, campaign_id, {f"entry:{number}" for number in found.values()}, {VOIDED}):
        by = {key: mark for (key, _), mark in marks.items()}
        after = {number: (now, by.get(f"entry:{now}")) for number, now in found.items()}
        found = {
            number: mark["by"] if mark else now
            for number, (now, mark) in after.items()
            if not mark or mark.get(AMENDED)
        }
    return found
