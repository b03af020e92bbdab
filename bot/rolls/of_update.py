"""The rolls of the newest updates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection

from bot.core import campaigns, entries, voiding
from bot.core.entries import AudienceFilter
from bot.core.people import told
from bot.core.records import Entry
from bot.rolls.entries import ROLL


def rolls_since(tx: Connection, campaign_id: int, update: int, allowed: AudienceFilter) -> Iterator[Entry]:
    """Yield the rolls of an update and of those after it that stand and pass the filter, newest first and without their texts."""
    begun = campaigns.update_entry(tx, campaign_id, update)
    rolls = list(entries.backwards(tx, campaign_id, ROLL.name, allowed, after=begun))
    void = voiding.voided(tx, campaign_id, [entry.number for entry in rolls])
    for entry in rolls:
        # What is amended is of the update in which its dice fell.
        if entry.content()["update"]["number"] >= update and entry.number not in void:
            yield entry


def roll_lines(tx: Connection, campaign_id: int, rolls: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each of these rolls, with all of its parts."""
    whole = entries.some(tx, campaign_id, {roll.number for roll in rolls})
    for roll in rolls:
        yield f"\N{BULLET} #{roll.number} {ROLL.sentence(told(whole[roll.number]), 'staff')}"
