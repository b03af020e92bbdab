"""Effects that belong to a battle, which are not cleared by hand."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.battles.transaction import BATTLES
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.rolls.extension import StateKey


def keeps_effect(tx: Connection, campaign: Campaign, effect: StateKey) -> str | None:
    """Return why an event of a battle that is being fought is kept: its end takes a reason or a token, and is posted."""
    for battle in scenes.running(tx, campaign.id, BATTLES):
        if any(item.key == effect for item in battle.events):
            return f"That belongs to {battle.name}: end it with /events use, which tells everybody."
    return None
