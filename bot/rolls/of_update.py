"""The rolls of an update."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.entry_kinds import Body
from bot.core.people import told
from bot.core.records import Entry
from bot.core.state import VOIDED
from bot.rolls.entries import ROLL


def rolls_of(tx: Connection, campaign_id: int, update: int) -> Iterator[tuple[Entry, Body]]:
    """Yield the rolls of an update that stand, newest first and without their texts, with their bodies."""
    void = state.of_name(tx, campaign_id, VOIDED)
    for entry in entries.backwards(tx, campaign_id, ROLL.name):
        body = entry.content()
        if body["update"]["number"] < update:
            return
        if body["update"]["number"] == update and f"entry:{entry.number}" not in void:
            yield entry, body


def roll_lines(tx: Connection, campaign_id: int, rolls: list[Entry], *, whole: bool) -> Iterator[str]:
    """Yield a line for each of these rolls, as far as one is read; of all parts, or of those that are public."""
    whole_ones = entries.some(tx, campaign_id, {roll.number for roll in rolls})
    for roll in rolls:
        entry = whole_ones[roll.number]
        sentence = ROLL.sentence({**told(entry), "public": whole or entry.audience != "mixed"}, "public")
        yield f"\N{BULLET} #{entry.number} {sentence}"
