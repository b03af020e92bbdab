"""What can happen by schedule: the closing of an update."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from bot.cogs.campaign.embed import closed_embed
from bot.cogs.update.service import Updates
from bot.core.campaigns import Campaign, current_update
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.schedules.service import Deed
from bot.schedules.store import SCHEDULE


def update_deed(updates: Updates, outbox: Outbox) -> Deed:
    """The closing of an update: told in the results channel, and what ended with it in the staff channel."""

    def run(tx: Connection, campaign: Campaign, at: datetime) -> tuple[Post, ...]:  # noqa: ARG001 - so are updates
        closed = updates.close_in(tx, campaign, SCHEDULE)
        number = closed.entry.number
        public = closed_embed(closed.before, closed.after, (), number)
        letters = [OutgoingMessage("results", campaign.results_channel_id, [public])]
        if closed.ended:
            whole = closed_embed(closed.before, closed.after, closed.ended, number)
            letters.append(OutgoingMessage("whole", campaign.staff_channel_id, [whole]))
        return tuple(outbox.queue(tx, campaign.id, number, letters))

    def reached(tx: Connection, campaign: Campaign) -> int:
        return int(current_update(tx, campaign.id)["number"])

    return Deed(run, reached, title="Closing of updates", what="the closing of the update")
