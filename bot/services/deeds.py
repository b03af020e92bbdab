"""What can happen by schedule: the rollover of the weather and the closing of an update."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from bot.embeds.settings import closed_embed
from bot.posts import Letter, Outbox
from bot.resolver import current_update
from bot.services.schedule import Deed
from bot.services.updates import Updates
from bot.services.weather import Weather
from bot.store.campaigns import Campaign
from bot.store.jobs import SCHEDULE
from bot.store.posts import Post


def weather_deed(weather: Weather) -> Deed:
    """The rollover of the weather: the week that comes next, whichever occurrence it is for."""

    def run(tx: Connection, campaign: Campaign, at: datetime) -> tuple[Post, ...]:  # noqa: ARG001 - weeks are numbered
        return weather.roll_next(tx, campaign, SCHEDULE).posts

    return Deed(run, weather.reached, title="Weekly weather", what="the weather rollover")


def update_deed(updates: Updates, outbox: Outbox) -> Deed:
    """The closing of an update: told in the results channel, and what ended with it in the staff channel."""

    def run(tx: Connection, campaign: Campaign, at: datetime) -> tuple[Post, ...]:  # noqa: ARG001 - so are updates
        closed = updates.close_in(tx, campaign, SCHEDULE)
        number = closed.entry.number
        public = closed_embed(closed.before, closed.after, (), number)
        letters = [Letter("results", campaign.results_channel_id, [public])]
        if closed.ended:
            whole = closed_embed(closed.before, closed.after, closed.ended, number)
            letters.append(Letter("whole", campaign.staff_channel_id, [whole]))
        return tuple(outbox.queue(tx, campaign.id, number, letters))

    def reached(tx: Connection, campaign: Campaign) -> int:
        return int(current_update(tx, campaign.id)["number"])

    return Deed(run, reached, title="Closing of updates", what="the closing of the update")
