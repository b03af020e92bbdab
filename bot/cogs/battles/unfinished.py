"""What waits in a campaign while battles are off."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.core.campaigns import Campaign
from bot.ui.text import plain

BOOK = "battlesystem"


def unfinished_battles(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Tell which battles wait until their book is on again; nothing while it is on."""
    if BOOK not in campaign.books:
        for header in store.headers(tx, campaign.id):
            if not header.over:
                yield f"{plain(header.name)} waits until {BOOK} is on again."
