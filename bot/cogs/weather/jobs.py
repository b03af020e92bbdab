"""The rollover of the weather by schedule."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.weather import store
from bot.cogs.weather.queries import Almanac
from bot.cogs.weather.rollover import Weather
from bot.core.campaigns import Campaign
from bot.outbox.store import Post
from bot.schedules.jobs import Job, Occurrence
from bot.schedules.store import SCHEDULE


def _roll(tx: Connection, occurrence: Occurrence) -> tuple[Post, ...]:
    """Roll the week that comes next, whichever moment it is for."""
    resolver = occurrence.resolver
    database = resolver.outbox._database  # noqa: SLF001 - the service asks for one that it does not use here
    weather = Weather(database, resolver, Almanac(database, resolver.library), resolver.outbox, resolver.ledger)
    return weather.roll_next(tx, occurrence.campaign, SCHEDULE).posts


def _reached(tx: Connection, campaign: Campaign) -> int:
    """Return how many weeks were rolled, without those that were taken back and those that were set at the start."""
    span = store.span(tx, campaign.id)
    return span.rolled if span else 0


ROLLOVER_JOB = Job(
    id="weather",
    title="Weekly weather",
    what="the weather rollover",
    does="rolls its weather",
    run=_roll,
    reached=_reached,
)
