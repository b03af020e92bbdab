"""The closing of updates by schedule."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.update.service import close
from bot.core.campaigns import Campaign, current_update
from bot.outbox.store import Post
from bot.schedules.jobs import Job
from bot.schedules.occurrence import Occurrence
from bot.schedules.store import SCHEDULE


def _close(tx: Connection, occurrence: Occurrence) -> tuple[Post, ...]:
    """Close the update: told in the results channel, and what ended with it in the staff channel."""
    return close(tx, occurrence.resolver, occurrence.campaign, SCHEDULE, "", occurrence.features).posts


def _reached(tx: Connection, campaign: Campaign) -> int:
    return int(current_update(tx, campaign.id)["number"])


CLOSING = Job(
    id="update",
    title="Closing of updates",
    what="the closing of the update",
    does="closes its update",
    run=_close,
    reached=_reached,
)
