"""What rolls about captives need, and what they owe the staff."""

from __future__ import annotations

from collections.abc import Sequence

from bot.cogs.captives.embed import handover
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.profiles import not_captive
from bot.core.records import Entry
from bot.core.subjects import unit
from bot.errors import NotOpen
from bot.outbox.queue import OutgoingMessage
from bot.rolls.request import PartRequest
from rules.books.campaign.captivity import Captivity


def require_captive(name: str, kept: Captivity | None, part: PartRequest) -> None:
    """Refuse a roll about somebody who is no captive, or is held elsewhere by now.

    Raises:
        NotOpen: it is so.

    """
    if kept is None:
        raise NotOpen(*not_captive(name))
    if unit(part.subjects.get("base", kept["at"])) != unit(kept["at"]):
        raise NotOpen(f"{kept['name']} is held at {kept['at']} by now.", "Start again with the command.")


def ask_for_passwords(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a message to the staff where a captive gives passwords away, which they hand over."""
    embed = handover(EntryView(entry, campaign.name))
    return messages if embed is None else [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]
