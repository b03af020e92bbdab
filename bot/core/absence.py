"""Campaigns whose server has removed the bot: they rest until it's added again, or until they're deleted.

What is due by itself asks `schema.at_home`. An outage of Discord isn't a removal: a server that is unavailable is there.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.schema import campaign

_SERVERS = sa.select(campaign.c.guild_id, campaign.c.away_since.is_not(None)).distinct()
_OVERDUE = sa.select(campaign.c.id, campaign.c.guild_id).where(campaign.c.away_since <= sa.bindparam("before"))


class AwayCampaign(NamedTuple):
    """A campaign (id), and the server (id) that it's away from."""

    campaign_id: int
    guild_id: int


def servers(tx: Connection) -> set[tuple[int, bool]]:
    """Return all servers (ids) with campaigns, each with whether these are away."""
    return {(guild_id, bool(away)) for guild_id, away in tx.execute(_SERVERS)}


def leave(tx: Connection, guild_ids: Collection[int], at: datetime) -> list[int]:
    """Let the campaigns of servers be away from a time on; return the ids of those that weren't before."""
    there = campaign.c.guild_id.in_(guild_ids) & campaign.c.away_since.is_(None)
    gone = [*tx.scalars(sa.select(campaign.c.id).where(there).order_by(campaign.c.id).with_for_update())]
    tx.execute(campaign.update().where(campaign.c.id.in_(gone)).values(away_since=at))
    return gone


def come_back(tx: Connection, guild_ids: Collection[int]) -> None:
    """Let the campaigns of servers go on."""
    tx.execute(campaign.update().where(campaign.c.guild_id.in_(guild_ids)).values(away_since=None))


def overdue(tx: Connection, before: datetime) -> list[AwayCampaign]:
    """Return the campaigns that have been away since a time, or for longer."""
    return [AwayCampaign(*row) for row in tx.execute(_OVERDUE, {"before": before})]
