"""Looking the weather up: a picture with the few lines that matter, and what the buttons and lists below it show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.actions import pressed_campaign
from bot.client import Interaction
from bot.cogs.weather import queries
from bot.cogs.weather.category_embed import category_embeds, chance_of
from bot.cogs.weather.embed import (
    NEWEST,
    history_details,
    history_embeds,
    week_details,
    week_embeds,
    week_footer,
)
from bot.cogs.weather.forecast_embed import forecast_details, forecast_embeds
from bot.cogs.weather.pictures import categories_picture, forecast_picture, history_picture, week_picture
from bot.cogs.weather.queries import Meanings, find_place, find_region, find_zone
from bot.core.campaigns import Campaign
from bot.rolls.buttons import details_button
from bot.ui import paging
from bot.ui.components import IdTemplate, component, picked, with_buttons
from bot.ui.picture import Picture, fitting
from bot.ui.reply import rewrite, say
from bot.ui.text import shorten
from rules.book import Zone
from rules.climate import category_phrase, place_labels

WEEK = IdTemplate("weather:{campaign:int}:week:{week:int}")
HISTORY = IdTemplate("weather:{campaign:int}:history:{weeks:int}:{place:rest}")
FORECAST = IdTemplate("weather:{campaign:int}:forecast")
ZONES = IdTemplate("weather:{campaign:int}:zones")
CATEGORIES = IdTemplate("weather:{campaign:int}:zone:{zone:word}")
MAX_OPTIONS, MAX_LABEL = 25, 100


async def show_week(interaction: Interaction, campaign: Campaign, number: int | None, region: str | None) -> None:
    """Show a week, or one region's."""
    bot = interaction.client
    report = await bot.database.read(queries.week_report, bot.library, campaign, number)
    place = find_region(report.book, region)[1].id if region else None
    footer = week_footer(campaign.name, report.stored.entry, report.stored.changed)
    embeds = week_embeds(report.account, footer=footer, region=place)
    key = None if place else WEEK.fill(campaign=campaign.id, week=report.account["week"])
    await _show(interaction, embeds, await week_picture(report.account, report.book), key)


@component(WEEK)
async def tell_week(interaction: Interaction, campaign: int, week: int) -> None:
    """Tell all of a week in words."""
    bot, here = interaction.client, await pressed_campaign(interaction, campaign)
    report = await bot.database.read(queries.week_report, bot.library, here, week)
    footer = week_footer(here.name, report.stored.entry, report.stored.changed)
    await _tell(interaction, week_details(report.account, footer=footer))


async def show_history(interaction: Interaction, campaign: Campaign, count: int, place: str | None) -> None:
    """Show the weeks before, of all zones or of one place."""
    bot = interaction.client
    past = await bot.database.read(queries.history, bot.library, campaign, count)
    about = find_place(past.book, place) if place else None
    named = next((label for label, item in place_labels(past.book).items() if item is about), "")
    embeds = history_embeds(past.weeks, past.book, campaign=campaign.name, place=about)
    key = HISTORY.fill(campaign=campaign.id, weeks=count, place=named) if len(past.weeks) > NEWEST else None
    await _show(interaction, embeds, await history_picture(past.weeks, past.book, about), key)


@component(HISTORY)
async def tell_history(interaction: Interaction, campaign: int, weeks: int, place: str) -> None:
    """Tell the weeks before in words."""
    bot, here = interaction.client, await pressed_campaign(interaction, campaign)
    past = await bot.database.read(queries.history, bot.library, here, min(weeks, queries.MAX_WEEKS))
    about = find_place(past.book, place) if place else None
    await _tell(interaction, history_details(past.weeks, past.book, campaign=here.name, place=about))


async def show_forecast(interaction: Interaction, campaign: Campaign) -> None:
    """Show what may come next week."""
    bot = interaction.client
    forecast, book = await bot.database.read(queries.next_forecast, bot.library, campaign)
    embeds = forecast_embeds(forecast, book, campaign=campaign.name)
    await _show(interaction, embeds, await forecast_picture(forecast, book), FORECAST.fill(campaign=campaign.id))


@component(FORECAST)
async def tell_forecast(interaction: Interaction, campaign: int) -> None:
    """Tell what may come next week in words."""
    bot, here = interaction.client, await pressed_campaign(interaction, campaign)
    forecast, book = await bot.database.read(queries.next_forecast, bot.library, here)
    for page in forecast_details(forecast, book, campaign=here.name):
        await say(interaction, embeds=page)


async def show_categories(interaction: Interaction, campaign: Campaign, zone: str | None) -> None:
    """Show what the categories of a zone mean, of the first one unless it is named."""
    bot = interaction.client
    meanings = await bot.database.read(queries.meanings, bot.library, campaign)
    wanted = find_zone(meanings.book, zone) if zone else next(iter(meanings.book.zones.values()))
    embeds = category_embeds(meanings.book, wanted, meanings.climate)
    picture = await categories_picture(wanted, meanings.book)
    files = {} if picture is None else {"file": picture.file()}
    await say(interaction, embeds=fitting(embeds, picture), view=_pickers(campaign, meanings, wanted), **files)


@component(ZONES)
async def pick_zone(interaction: Interaction, campaign: int) -> None:
    """Show what the categories of another zone mean."""
    await _redraw_categories(interaction, campaign, "".join(picked(interaction)[:1]), None)


@component(CATEGORIES)
async def pick_category(interaction: Interaction, campaign: int, zone: str) -> None:
    """Show all that a category means."""
    await _redraw_categories(interaction, campaign, zone, "".join(picked(interaction)[:1]))


COMPONENTS = (tell_week, tell_history, tell_forecast, pick_zone, pick_category)


async def _redraw_categories(interaction: Interaction, campaign: int, zone: str, outcome: str | None) -> None:
    bot, here = interaction.client, await pressed_campaign(interaction, campaign)
    meanings = await bot.database.read(queries.meanings, bot.library, here)
    wanted = find_zone(meanings.book, zone)
    embeds = category_embeds(meanings.book, wanted, meanings.climate, outcome)
    picture = await categories_picture(wanted, meanings.book)
    files = [] if picture is None else [picture.file()]
    view = _pickers(here, meanings, wanted, outcome)
    await rewrite(interaction, view=view, embeds=fitting(embeds, picture), attachments=files)


def _pickers(campaign: Campaign, meanings: Meanings, zone: Zone, outcome: str | None = None) -> ui.View:
    """Return the lists below a zone's categories: the zones, and what each of its categories is."""
    table = meanings.book.table(zone.table)
    zones = [
        discord.SelectOption(label=shorten(item.label, MAX_LABEL), value=item.id, default=item.id == zone.id)
        for item in meanings.book.zones.values()
    ]
    categories = [
        discord.SelectOption(
            label=shorten(category_phrase(row.outcome), MAX_LABEL),
            description=shorten(chance_of(row, table), MAX_LABEL),
            value=row.outcome,
            default=row.outcome == outcome,
        )
        for row in table.rows
    ]
    view = ui.View(timeout=None)
    view.add_item(ui.Select(custom_id=ZONES.fill(campaign=campaign.id), options=zones[:MAX_OPTIONS]))
    key = CATEGORIES.fill(campaign=campaign.id, zone=zone.id)
    return view.add_item(
        ui.Select(custom_id=key, options=categories[:MAX_OPTIONS], placeholder="What does a category mean?")
    )


async def _show(
    interaction: Interaction, embeds: Sequence[discord.Embed], picture: Picture | None, details: str | None
) -> None:
    """Answer privately with a picture and the lines below it; `details` is the id of the button for the rest."""
    extras: dict[str, Any] = {} if picture is None else {"file": picture.file()}
    if details is not None:
        extras["view"] = with_buttons(details_button(details))
    await say(interaction, embeds=fitting(list(embeds), picture), **extras)


async def _tell(interaction: Interaction, embeds: Sequence[discord.Embed]) -> None:
    for page in paging.pages(embeds):
        await say(interaction, embeds=page)
