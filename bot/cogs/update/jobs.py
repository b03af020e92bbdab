"""The closing of updates by schedule."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.update.service import close
from bot.core.campaigns import Campaign, current_update
from bot.orders import locking
from bot.outbox.store import Post
from bot.schedules.jobs import Ahead, Job
from bot.schedules.occurrence import Occurrence
from bot.schedules.store import SCHEDULE


def _close(tx: Connection, occurrence: Occurrence) -> tuple[Post, ...]:
    """Close the update: told in the results channel, and what ended with it in the staff channel."""
    resolver, campaign = occurrence.resolver, occurrence.campaign
    closed = close(tx, resolver, campaign, SCHEDULE, "")
    return closed.posts


def _reached(tx: Connection, campaign: Campaign) -> int:
    return int(current_update(tx, campaign.id)["number"])


def _lock(tx: Connection, occurrence: Occurrence) -> tuple[Post, ...]:
    """Lock players' orders ahead of the closing, unless they are."""
    resolver, campaign = occurrence.resolver, occurrence.campaign
    locking.change(tx, resolver, campaign, SCHEDULE, lock=True)
    return ()


CLOSING = Job(
    id="update",
    title="Closing updates",
    what="the closing of the update",
    does="closes its update",
    run=_close,
    reached=_reached,
    ahead=Ahead("Players' orders lock", _lock),
)
