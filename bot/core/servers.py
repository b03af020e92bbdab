"""Servers: where each campaign is, which servers have removed the bot, and the ids of commands there.

Campaigns whose server has removed the bot rest until it's added again, or until they're deleted. What is due by itself asks
`schema.at_home`. An outage of Discord isn't a removal: a server that is unavailable is there. Registering the same commands
again would cost a request of which Discord allows few.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.database import Database
from bot.core.schema import campaign, registered

_SERVERS = sa.select(campaign.c.guild_id, campaign.c.away_since.is_not(None)).distinct()
_OVERDUE = sa.select(campaign.c.id, campaign.c.guild_id).where(campaign.c.away_since <= sa.bindparam("before"))


class AwayCampaign(NamedTuple):
    """A campaign (id), and the server (id) that it's away from."""

    campaign_id: int
    guild_id: int


def list_servers(tx: Connection) -> set[tuple[int, bool]]:
    """Return all servers (ids) with campaigns, each with whether these are away."""
    return {(guild_id, bool(away)) for guild_id, away in tx.execute(_SERVERS)}


def mark_away(tx: Connection, guild_ids: Collection[int], at: datetime) -> list[int]:
    """Let the campaigns of servers be away from a time on; return the ids of those that weren't before."""
    there = campaign.c.guild_id.in_(guild_ids) & campaign.c.away_since.is_(None)
    gone = [*tx.scalars(sa.select(campaign.c.id).where(there).order_by(campaign.c.id).with_for_update())]
    tx.execute(campaign.update().where(campaign.c.id.in_(gone)).values(away_since=at))
    return gone


def mark_back(tx: Connection, guild_ids: Collection[int]) -> None:
    """Let the campaigns of servers go on."""
    tx.execute(campaign.update().where(campaign.c.guild_id.in_(guild_ids)).values(away_since=None))


def list_overdue(tx: Connection, before: datetime) -> list[AwayCampaign]:
    """Return the campaigns that have been away since a time, or for longer."""
    return [AwayCampaign(*row) for row in tx.execute(_OVERDUE, {"before": before})]


class Servers:
    """The servers of the campaigns that were asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, int] = {}

    async def is_home(self, server: int | None, campaign_id: int) -> bool:
        """Return whether a server is that of a campaign; the database is asked where that is not remembered of it."""
        if self._known.get(campaign_id) != server:  # not asked for yet, forged, or moved by an import since
            self._known |= await self._database.read(campaigns.find_server, campaign_id)
        return self._known.get(campaign_id) == server


EVERYWHERE = 0
"""Stands for all servers."""


def digest_commands(application: int | None, commands: Sequence[object]) -> str:
    """Return the digest of commands as they are sent to Discord, for an application."""
    return sha256(json.dumps([application, commands], sort_keys=True).encode()).hexdigest()


def find_registered(tx: Connection, digest: str, guild_id: int = EVERYWHERE) -> dict[str, int] | None:
    """Return the ids of a server's commands by their first words; None unless Discord was given those with this digest last."""
    query = sa.select(registered.c.ids).where(registered.c.guild_id == guild_id, registered.c.digest == digest)
    ids: dict[str, int] | None = tx.scalar(query)
    return ids


def set_registered(tx: Connection, digest: str, ids: Mapping[str, int], guild_id: int = EVERYWHERE) -> None:
    """Keep the digest of the commands that Discord has taken, and the ids that it gave them."""
    tx.execute(registered.delete().where(registered.c.guild_id == guild_id))
    tx.execute(registered.insert().values(guild_id=guild_id, digest=digest, ids=ids))
