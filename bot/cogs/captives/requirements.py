"""What rolls about captives need, and what they owe the staff."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from bot.cogs.captives.embed import handover
from bot.cogs.captives.queries import ESCAPE, not_at_base
from bot.core import subjects
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.profiles import not_captive
from bot.core.records import Entry
from bot.errors import NotAsItIs, NotOpen
from bot.outbox.queue import OutgoingMessage
from bot.rolls.extension import NeededValue
from rules.books.campaign.captivity import Captivity, is_held_in_person


def require_captive(tx: Connection, needed: NeededValue) -> None:
    """Refuse a roll about a character who isn't a captive, or is held elsewhere now."""
    captivity: Captivity | None = needed.value
    if captivity is None:
        raise NotAsItIs(*not_captive(needed.name))
    if needed.family == ESCAPE and is_held_in_person(captivity):
        raise NotAsItIs(*not_at_base(needed.name))
    bases = needed.cast.get("base", ())
    if [base.id if base else None for base in bases] not in ([], [captivity["at"]]):
        place = subjects.by_number(tx, needed.campaign.id, [captivity["at"]])[captivity["at"]]
        where = f"at {place.name}" if subjects.is_open(place) else "somewhere else"
        raise NotOpen(f"{needed.name} is now held {where}.", "Start again with the command.")


def ask_for_passwords(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a message to the staff where a captive gives passwords away, which they hand over."""
    embed = handover(EntryView(entry, campaign.name))
    return messages if embed is None else [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]
