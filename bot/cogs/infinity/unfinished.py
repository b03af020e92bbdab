"""What waits in a campaign while contests are off."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.infinity import store
from bot.core.campaigns import Campaign

BOOK = "infinity"


def open_challenges(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Tell how many challenges wait until their book is on again; nothing while it is on."""
    count = 0 if BOOK in campaign.books else len(store.still_open(tx, campaign.id, None))
    if count:
        waiting = "1 open challenge waits" if count == 1 else f"{count} open challenges wait"
        yield f"{waiting} until {BOOK} is on again, if time does not run out before."
