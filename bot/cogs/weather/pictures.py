"""Pictures of the weather: drawn in a thread, and left out when drawing fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Sequence

from sqlalchemy import Connection

from bot.cogs.weather.alts import alt, categories_alt, forecast_alt, history_alt
from bot.cogs.weather.category_embed import CATEGORIES_PICTURE
from bot.cogs.weather.embed import HISTORY_PICTURE, PICTURE
from bot.cogs.weather.entry_body import WeekAccount
from bot.cogs.weather.forecast_embed import FORECAST_PICTURE
from bot.cogs.weather.queries import weather_book
from bot.core import campaigns, entries
from bot.core.database import Database
from bot.core.library import Library
from bot.outbox.store import Post
from bot.ui.picture import Picture
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import Forecast, Week

log = logging.getLogger(__name__)


async def week_picture(account: WeekAccount, book: Book) -> Picture | None:
    """Draw the map of a week; None when it cannot be drawn."""
    return await _spared(PICTURE, asyncio.to_thread(_week_picture, account, book))


async def history_picture(weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> Picture | None:
    """Draw the heat map of weeks, the oldest first: of all zones, the regions of one, or one region; None when it cannot be drawn."""
    return await _spared(HISTORY_PICTURE, asyncio.to_thread(_history_picture, weeks, book, place))


async def forecast_picture(forecast: Forecast, book: Book) -> Picture | None:
    """Draw the chart of a forecast; None when it cannot be drawn."""
    return await _spared(FORECAST_PICTURE, asyncio.to_thread(_forecast_picture, forecast, book))


async def categories_picture(zone: Zone, book: Book) -> Picture | None:
    """Draw what the categories of a zone mean; None when it cannot be drawn."""
    return await _spared(CATEGORIES_PICTURE, asyncio.to_thread(_categories_picture, zone, book))


async def illustrate(database: Database, library: Library, post: Post) -> Picture | None:
    """Draw what a queued post has a place for; None when it is no rollover's, or cannot be drawn."""
    return await _spared(PICTURE, _posted_picture(database, library, post))


async def _posted_picture(database: Database, library: Library, post: Post) -> Picture | None:
    known = await database.read(_posted_week, library, post)
    return None if known is None else await week_picture(*known)


def _posted_week(tx: Connection, library: Library, post: Post) -> tuple[WeekAccount, Book] | None:
    """Return the week that a post tells of, as its entry has it; None when it tells of none."""
    campaign = campaigns.get(tx, post.campaign_id)
    entry = None if post.entry_number is None else entries.get(tx, post.campaign_id, post.entry_number)
    account = entry.content().get("weather") if entry is not None else None
    return (account, weather_book(tx, library, campaign)) if campaign is not None and account else None


async def _spared(name: str, work: Awaitable[Picture | None]) -> Picture | None:
    """Return a picture; whatever goes wrong on the way to it is logged and costs the picture alone."""
    (drawn,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(drawn, BaseException):
        log.error("picture.failed", extra={"picture": name}, exc_info=drawn)
        return None
    return drawn


def _week_picture(account: WeekAccount, book: Book) -> Picture:
    from bot.cogs.weather.drawing import draw_week  # noqa: PLC0415 - Pillow loads with the first picture

    return Picture(PICTURE, draw_week(account, book), alt(account))


def _history_picture(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> Picture:
    from bot.cogs.weather.drawing import draw_history  # noqa: PLC0415 - as above

    return Picture(HISTORY_PICTURE, draw_history(weeks, book, place), history_alt(weeks, book, place))


def _forecast_picture(forecast: Forecast, book: Book) -> Picture:
    from bot.cogs.weather.drawing import draw_forecast  # noqa: PLC0415 - as above

    return Picture(FORECAST_PICTURE, draw_forecast(forecast, book), forecast_alt(forecast))


def _categories_picture(zone: Zone, book: Book) -> Picture:
    from bot.cogs.weather.drawing import draw_categories  # noqa: PLC0415 - as above

    return Picture(CATEGORIES_PICTURE, draw_categories(zone, book), categories_alt(zone, book))
