"""The rolls of the newest updates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.json import Decoder
from sqlalchemy import Connection

from bot.core import campaigns, entries, voiding
from bot.core.entries import AudienceFilter
from bot.core.people import told
from bot.core.records import Entry
from bot.rolls.entries import ROLL
from bot.ui.todo import MANY


class _Update(Struct, frozen=True):
    number: int


class _Roll(Struct, frozen=True):
    """What is read of a roll's body to tell when it was made: to parse all of it costs twenty times as much."""

    update: _Update


_UPDATE = Decoder(_Roll)
_BATCH = MANY + 1
"""Of how many rolls it is asked at once which are void."""


def rolls_since(tx: Connection, campaign_id: int, update: int, allowed: AudienceFilter) -> Iterator[Entry]:
    """Yield the rolls of an update and of those after it that stand and pass the filter, newest first and without their texts, as far as they are asked for."""
    begun = campaigns.update_entry(tx, campaign_id, update)
    rolls = entries.backwards(tx, campaign_id, ROLL.name, allowed, after=begun)
    while some := list(islice(rolls, _BATCH)):
        void = voiding.voided(tx, campaign_id, [entry.number for entry in some])
        for entry in some:
            # What is amended is of the update in which its dice fell.
            if entry.number not in void and _UPDATE.decode(entry.body).update.number >= update:
                yield entry


def roll_lines(tx: Connection, campaign_id: int, rolls: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each of these rolls, with all of its parts."""
    whole = entries.some(tx, campaign_id, {roll.number for roll in rolls})
    for roll in rolls:
        yield f"\N{BULLET} #{roll.number} {ROLL.sentence(told(whole[roll.number]), 'staff')}"
