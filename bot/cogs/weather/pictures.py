"""Pictures of the weather."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection

from bot.cogs.weather.alts import alt, categories_alt, forecast_alt, history_alt
from bot.cogs.weather.category_embed import CATEGORIES_PICTURE
from bot.cogs.weather.embed import HISTORY_PICTURE, PICTURE
from bot.cogs.weather.forecast_embed import FORECAST_PICTURE
from bot.cogs.weather.queries import weather_book
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body
from bot.core.library import Library
from bot.outbox.pictures import Drawing, drawn
from bot.ui.picture import Picture
from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import WeekAccount
from rules.books.campaign.weather import Forecast, Week


async def week_picture(account: WeekAccount, book: Book) -> Picture | None:
    """Draw the map of a week; None when it cannot be drawn."""
    return await drawn(PICTURE, partial(_week_picture, account, book))


async def history_picture(weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> Picture | None:
    """Draw the heat map of weeks, the oldest first: of all zones, the regions of one, or one region; None when it cannot be drawn."""
    return await drawn(HISTORY_PICTURE, partial(_history_picture, weeks, book, place))


async def forecast_picture(forecast: Forecast, book: Book) -> Picture | None:
    """Draw the chart of a forecast; None when it cannot be drawn."""
    return await drawn(FORECAST_PICTURE, partial(_forecast_picture, forecast, book))


async def categories_picture(zone: Zone, book: Book) -> Picture | None:
    """Draw what the categories of a zone mean; None when it cannot be drawn."""
    return await drawn(CATEGORIES_PICTURE, partial(_categories_picture, zone, book))


def posted_picture(tx: Connection, library: Library, campaign: Campaign, body: Body) -> Drawing | None:
    """Return what draws the week that an entry tells of; None where it tells of none, as a digest may."""
    if "weather" not in body:
        return None
    return partial(_week_picture, body["weather"], weather_book(tx, library, campaign))


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
