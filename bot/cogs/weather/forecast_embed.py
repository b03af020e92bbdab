"""What weather may come, in words: the exact odds of the next week, and what a rollover will throw."""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.cogs.weather.entry_body import shared
from bot.cogs.weather.store import StoredWeek
from bot.cogs.weather.words import forecast_gist, pictured
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, listing, plain, within
from rules.book import Book
from rules.books.campaign.weather import SEVERE_STORMS, STORMS, Forecast, RegionForecast, Watch, ZoneForecast
from rules.climate import FLOOD, category_label, condition_label
from rules.phrases import percent, signed

FORECAST_PICTURE = "forecast.png"
PREVIEW_ROOM = 3260
"""Characters for the text before a rollover, so that what the card says besides has room within Discord's 4,000."""


def forecast_embeds(forecast: Forecast, book: Book, *, campaign: str) -> list[discord.Embed]:
    """Return the chart of what may come next week, and the few lines that matter."""
    return pictured(_title(forecast), forecast_gist(forecast, book), campaign, FORECAST_PICTURE)


def forecast_details(forecast: Forecast, book: Book, *, campaign: str) -> list[list[discord.Embed]]:
    """Return the exact odds of the next week: by zone each category, by region storms and Mud/Flood, and the watches due."""
    footer = f"{campaign}{DOT}Exact odds"
    return paging.pages(
        paging.fit(_title(forecast), _forecast(forecast, book), colour=COLOURS["neutral"], footer=footer)
    )


def preview_lines(forecast: Forecast, book: Book) -> list[str]:
    """Return what a rollover will throw, in its order: each zone's carry-over and odds, then the Flood Watches; under 3,300 characters."""
    lines = [line for item in forecast.zones for line in _zone(item)]
    return list(within(PREVIEW_ROOM, [*lines, *_watches(forecast, book)]))


def standing(newest: StoredWeek | None) -> str:
    """Return how the newest week that is known came about, and when."""
    if newest is None:
        return "no week is known yet"
    at = newest.rolled_at
    made = "set by hand" if at is None else f"rolled {discord.utils.format_dt(at, 'R')}"
    return f"week {newest.week.number} was {made}"


def _title(forecast: Forecast) -> str:
    return f"Forecast for week {forecast.number}"


def _forecast(forecast: Forecast, book: Book) -> Iterator[str]:
    for item in forecast.zones:
        yield from _zone(item)
        regions = [region for region in forecast.regions if region.zone.id == item.zone.id]
        alike = shared((words, plain(region.region.label)) for region in regions if (words := _chances(region, book)))
        yield from (f"{', '.join(names)}: {words}" for words, names in alike.items())
        yield ""
    yield from _watches(forecast, book)


def _zone(item: ZoneForecast) -> Iterator[str]:
    counted = [line for line in item.weighed.modifiers if line.counted]
    why = ", ".join(f"{signed(line.amount)} {plain(line.modifier.label)}" for line in counted)
    yield f"**{plain(item.zone.label)}**{DOT}{why or 'no carry-over'}"
    yield DOT.join(
        f"**{category_label(outcome)}** {percent(chance)}" for outcome, chance in item.odds.items() if chance
    )


def _chances(item: RegionForecast, book: Book) -> str:
    odds = {STORMS: item.odds.get(STORMS), SEVERE_STORMS: item.odds.get(SEVERE_STORMS), FLOOD: item.flood}
    return ", ".join(f"{plain(condition_label(book, trait))} {percent(odd)}" for trait, odd in odds.items() if odd)


def _watches(forecast: Forecast, book: Book) -> Iterator[str]:
    if not forecast.watches:
        yield "No Flood Watch is due."
        return
    yield "**Flood Watch**"
    for watch in forecast.watches:
        yield f"\N{BULLET} {plain(watch.region.label)}: {_due_for(watch, book)}"


def _due_for(watch: Watch, book: Book) -> str:
    weeks = listing([str(number) for number in sorted(watch.weeks)])
    return f"{plain(condition_label(book, watch.trait))} in {'week' if len(watch.weeks) == 1 else 'weeks'} {weeks}"
