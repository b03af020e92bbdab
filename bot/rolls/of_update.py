"""The rolls of the newest updates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.entries import AudienceFilter
from bot.core.people import told
from bot.core.records import Entry
from bot.core.state import VOIDED
from bot.rolls.entries import ROLL


def rolls_since(tx: Connection, campaign_id: int, update: int, allowed: AudienceFilter) -> Iterator[Entry]:
    """Yield the rolls of an update and of those after it that stand and pass the filter, newest first and without their texts."""
    void = state.of_name(tx, campaign_id, VOIDED)
    for entry in entries.backwards(tx, campaign_id, ROLL.name, allowed):
        body = entry.content()
        number = body["update"]["number"]
        if number < update and not body.get("amends"):  # what is amended is of the update in which its dice fell
            return
        if number >= update and f"entry:{entry.number}" not in void:
            yield entry


def roll_lines(tx: Connection, campaign_id: int, rolls: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each of these rolls, with all of its parts."""
    whole = entries.some(tx, campaign_id, {roll.number for roll in rolls})
    for roll in rolls:
        yield f"\N{BULLET} #{roll.number} {ROLL.sentence(told(whole[roll.number]), 'staff')}"
