"""The week's weather under the digest of an update: its map, and at a glance in words."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.weather import store
from bot.cogs.weather.embed import PICTURE
from bot.cogs.weather.queries import week_report
from bot.cogs.weather.words import gist
from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.errors import BadInput
from bot.orders.illustration import Illustration


def newest_weather(tx: Connection, library: Library, campaign: Campaign) -> Illustration | None:
    """Return the weather that counts now, that of the newest week; None where there is none or not everybody was told of it."""
    if store.span(tx, campaign.id) is None:
        return None
    try:
        report = week_report(tx, library, campaign, None)
    except BadInput:  # the book of the weather is off
        return None
    number = report.stored.entry
    made = entries.without_texts(tx, campaign.id, {number})
    if number not in made or made[number].audience != "results":
        return None
    account = report.account
    return Illustration(f"Weather of week {account['week']}", [*gist(account)], PICTURE, {"weather": account})
