"""The closing of updates by schedule."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.update.embed import closed_embed
from bot.cogs.update.service import close
from bot.core.campaigns import Campaign, current_update
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.schedules.jobs import Job
from bot.schedules.occurrence import Occurrence
from bot.schedules.store import SCHEDULE


def _close(tx: Connection, occurrence: Occurrence) -> tuple[Post, ...]:
    """Close the update: told in the results channel, and what ended with it in the staff channel."""
    campaign, resolver = occurrence.campaign, occurrence.resolver
    closed = close(tx, resolver.ledger, campaign, SCHEDULE, "", occurrence.features)
    messages = [OutgoingMessage("results", campaign.results_channel_id, [closed_embed(closed, ())])]
    if closed.ended:
        whole = closed_embed(closed, closed.ended)
        messages.append(OutgoingMessage("whole", campaign.staff_channel_id, [whole]))
    return tuple(resolver.outbox.queue(tx, campaign.id, closed.entry, messages))


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
