"""Which server each campaign is on, remembered for as long as the bot runs."""

from __future__ import annotations

from bot.core import campaigns
from bot.core.database import Database


class Servers:
    """The servers of the campaigns that were asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, int] = {}

    async def is_home(self, server: int | None, campaign_id: int) -> bool:
        """Return whether a server is that of a campaign; the database is asked where that is not remembered of it."""
        if self._known.get(campaign_id) != server:  # not asked for yet, forged, or moved by an import since
            self._known |= await self._database.read(campaigns.server_of, campaign_id)
        return self._known.get(campaign_id) == server
