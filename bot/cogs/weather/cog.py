"""`/forecast`: the weather as pictures; `/weather`: rolled and corrected by game masters."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands, ui

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.weather import embed, panel, queries, rollover
from bot.cogs.weather.pictures import categories_picture, forecast_picture, history_picture, week_picture
from bot.cogs.weather.queries import MAX_WEEKS, CategoryMeanings, find_place
from bot.cogs.weather.rollover import ROLLOVER_JOB, CategoryOrder
from bot.cogs.weather.words import category_embeds, chance_of
from bot.core.campaigns import Campaign
from bot.outbox.sending import Drawing, draw_picture
from bot.rolls.desk import desk_of
from bot.rolls.entries import details_button
from bot.rolls.options import Completed, Completion, Completions, Week, filter_labels
from bot.schedules import store
from bot.ui import text
from bot.ui.parsing import GAME_MASTERS, Form, Text, describe, fill_form, option
from bot.ui.reply import IdTemplate, component, person, read_picked, rewrite, say
from bot.ui.text import Controls, Picture, drop_missing_images, shorten
from rules.book import Book, Zone
from rules.climate import category_label, category_phrase, place_labels
from rules.subjects import name_key

WEEK = IdTemplate("weather:{campaign:int}:week:{week:int}")
HISTORY = IdTemplate("weather:{campaign:int}:history:{weeks:int}:{place:rest}")
FORECAST = IdTemplate("weather:{campaign:int}:forecast")
ZONES = IdTemplate("weather:{campaign:int}:zones")
CATEGORIES = IdTemplate("weather:{campaign:int}:zone:{zone:word}")
MAX_OPTIONS, MAX_LABEL = 25, 100


@component(WEEK)
async def show_week_details(interaction: Interaction, campaign: int, week: int) -> None:
    """Show a week in words."""
    bot, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    report = await bot.database.read(queries.week_report, bot.library, here, week)
    footer = embed.week_footer(here.name, report.stored.entry, report.stored.changed)
    await _show_details(interaction, embed.week_details(report.account, footer=footer))


@component(HISTORY)
async def show_history_details(interaction: Interaction, campaign: int, weeks: int, place: str) -> None:
    """Show past weeks in words."""
    bot, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    past = await bot.database.read(queries.read_history, bot.library, here, min(weeks, queries.MAX_WEEKS))
    about = find_place(past.book, place) if place else None
    await _show_details(interaction, embed.history_details(past.weeks, past.book, campaign=here.name, place=about))


@component(FORECAST)
async def show_forecast_details(interaction: Interaction, campaign: int) -> None:
    """Show next week's odds in words."""
    bot, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    forecast, book = await bot.database.read(queries.next_forecast, bot.library, here)
    await _show_details(interaction, embed.forecast_details(forecast, book, campaign=here.name))


@component(ZONES)
async def pick_zone(interaction: Interaction, campaign: int) -> None:
    """Show the categories of another zone."""
    await _redraw_categories(interaction, campaign, "".join(read_picked(interaction)[:1]), None)


@component(CATEGORIES)
async def pick_category(interaction: Interaction, campaign: int, zone: str) -> None:
    """Show all that a category means."""
    await _redraw_categories(interaction, campaign, zone, "".join(read_picked(interaction)[:1]))


COMPONENTS = (show_week_details, show_history_details, show_forecast_details, pick_zone, pick_category)


async def _redraw_categories(interaction: Interaction, campaign: int, zone: str, outcome: str | None) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    embeds, picture, view = await _draw_categories(interaction, here, zone, outcome)
    await rewrite(interaction, view=view, embeds=embeds, attachments=[] if picture is None else [picture.file()])


async def _draw_categories(
    interaction: Interaction, campaign: Campaign, zone: str | None, outcome: str | None = None
) -> tuple[list[discord.Embed], Picture | None, ui.View]:
    bot = interaction.client
    meanings = await bot.database.read(queries.read_meanings, bot.library, campaign)
    wanted = next(iter(meanings.book.zones.values())) if zone is None else _find_zone_of(meanings.book, zone)
    picture = await draw_picture("weather", partial(categories_picture, wanted, meanings.book))
    embeds = category_embeds(meanings.book, wanted, meanings.climate, outcome)
    return drop_missing_images(embeds, picture), picture, _pickers(campaign, meanings, wanted, outcome)


def _find_zone_of(book: Book, typed: str) -> Zone:
    place = find_place(book, typed)
    return place if isinstance(place, Zone) else next(zone for zone, there in book.places.values() if there is place)


def _pickers(campaign: Campaign, meanings: CategoryMeanings, zone: Zone, outcome: str | None = None) -> ui.View:
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
    key = CATEGORIES.fill(campaign=campaign.id, zone=zone.id)
    return Controls(
        ui.Select(custom_id=ZONES.fill(campaign=campaign.id), options=zones[:MAX_OPTIONS]),
        ui.Select(custom_id=key, options=categories[:MAX_OPTIONS], placeholder="What does a category mean?"),
    )


async def _show(interaction: Interaction, embeds: Sequence[discord.Embed], draw: Drawing, details: str | None) -> None:
    picture = await draw_picture("weather", draw)
    extras: dict[str, object] = {} if picture is None else {"file": picture.file()}
    if details is not None:
        extras["view"] = Controls(details_button(details))
    await say(interaction, embeds=drop_missing_images(list(embeds), picture), **extras)


async def _show_details(interaction: Interaction, embeds: Sequence[discord.Embed]) -> None:
    for page in text.paginate(embeds):
        await say(interaction, embeds=page)


async def _complete_zone(at: Completion, current: str) -> Completions:
    return filter_labels(
        current, [zone.label for book in await at.books() if queries.has_weather(book) for zone in book.zones.values()]
    )


async def _complete_place(at: Completion, current: str) -> Completions:
    return filter_labels(current, [label for book in await at.books() for label in place_labels(book)])


async def _complete_category(at: Completion, current: str) -> Completions:
    wanted = name_key(at.read_option("zone") or at.read_option("place"))
    labels: dict[str, None] = {}
    for book in filter(queries.has_weather, await at.books()):
        known = [zone for zone in book.zones.values() if wanted in {name_key(zone.label), zone.id}]
        known = known or [zone for name, (zone, _) in book.places.items() if name == wanted]
        rows = (row for zone in known or book.zones.values() for row in book.table(zone.table).rows)
        labels |= dict.fromkeys(category_label(row.outcome) for row in rows)
    return filter_labels(current, labels)


ZoneName = Annotated[str, Completed(_complete_zone)]
Place = Annotated[str, Completed(_complete_place)]
Category = Annotated[str, Completed(_complete_category)]


WEEKS = 12
VIEWS = {"week": "this week", "past": "past weeks", "odds": "odds of next week", "categories": "categories"}


class ForecastForm(Form):
    """Options of `/forecast`."""

    view: str | None = option("What to show. Default: this week", default=None, choices=VIEWS)
    place: Place | None = option("A region, or a zone for all its regions. Default: all", default=None)
    week: Week | None = option("For this week: another week", default=None)
    weeks: app_commands.Range[int, 1, MAX_WEEKS] | None = option("For past weeks: how many. Default: 12", default=None)


@app_commands.command(name="forecast")
@fill_form
async def show_forecast(interaction: Interaction, form: ForecastForm) -> None:
    """Show the weather: this week, past weeks, or what comes."""
    campaign = await desk_of(interaction).campaign(interaction)
    view = form.view or ("past" if form.weeks else "week")
    await {"week": _show_week, "past": _show_past, "odds": _show_odds, "categories": _show_categories}[view](
        interaction, campaign, form
    )


async def _show_week(interaction: Interaction, campaign: Campaign, form: ForecastForm) -> None:
    report = await interaction.client.database.read(
        queries.week_report, interaction.client.library, campaign, form.week
    )
    place = find_place(report.book, form.place) if form.place else None
    footer = embed.week_footer(campaign.name, report.stored.entry, report.stored.changed)
    embeds = embed.week_embeds(report.account, footer=footer, place=place)
    key = None if place else WEEK.fill(campaign=campaign.id, week=report.account["week"])
    await _show(interaction, embeds, partial(week_picture, report.account, report.book), key)


async def _show_past(interaction: Interaction, campaign: Campaign, form: ForecastForm) -> None:
    bot, weeks = interaction.client, form.weeks or WEEKS
    past = await bot.database.read(queries.read_history, bot.library, campaign, weeks)
    about = find_place(past.book, form.place) if form.place else None
    label = next((label for label, item in place_labels(past.book).items() if item is about), "")
    embeds = embed.history_embeds(past.weeks, past.book, campaign=campaign.name, place=about)
    key = HISTORY.fill(campaign=campaign.id, weeks=weeks, place=label) if len(past.weeks) > embed.NEWEST else None
    await _show(interaction, embeds, partial(history_picture, past.weeks, past.book, about), key)


async def _show_odds(interaction: Interaction, campaign: Campaign, _form: ForecastForm) -> None:
    bot = interaction.client
    forecast, book = await bot.database.read(queries.next_forecast, bot.library, campaign)
    planned = await bot.database.read(store.find_settled, ROLLOVER_JOB, campaign.id)
    embeds = embed.forecast_embeds(forecast, book, campaign=campaign.name, at=planned.next_at if planned else None)
    await _show(interaction, embeds, partial(forecast_picture, forecast, book), FORECAST.fill(campaign=campaign.id))


async def _show_categories(interaction: Interaction, campaign: Campaign, form: ForecastForm) -> None:
    embeds, picture, view = await _draw_categories(interaction, campaign, form.place or None)
    files = {} if picture is None else {"file": picture.file()}
    await say(interaction, embeds=embeds, view=view, **files)


class EditCategoryForm(Form):
    """Options of `/weather edit`."""

    place: Place = option("A region, or a zone for all its regions")
    category: Category = option("The category, such as 3, 6 West or good")


class SetCategoryForm(Form):
    """Options of `/weather set`."""

    zone: ZoneName | None = option("The weather zone. Default: all, in a window", default=None)
    category: Category | None = option("The category, such as 3, 6 West or good", default=None)
    reason: Text | None = option("Your reason, kept in the ledger", default=None)
    week: Week | None = option("The week. Default: the newest. In a new campaign, any week", default=None)


class WeatherCog(app_commands.Group, name="weather", description="Roll and correct the weather"):
    """Weather."""

    @app_commands.command(extras=GAME_MASTERS)
    @describe(week="The week to roll. Default: the next one")
    async def rollover(self, interaction: Interaction, week: Week | None = None) -> None:
        """Preview next week's weather, then roll it."""
        bot = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        coming = await bot.database.read(rollover.preview, bot.library, person(interaction), campaign, week)
        await panel.show_preview(interaction, coming)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def edit(self, interaction: Interaction, form: EditCategoryForm) -> None:
        """Change what a category means for a region or zone."""
        campaign = await desk_of(interaction).campaign(interaction)
        await panel.ask_meanings(interaction, campaign, form.category, form.place)

    @app_commands.command(name="set", extras=GAME_MASTERS)
    @fill_form
    async def set_category(self, interaction: Interaction, form: SetCategoryForm) -> None:
        """Set the weather of a week by hand, for one zone or all."""
        bot, who = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        categories = {form.zone: form.category or ""} if form.zone else {}
        wanted = CategoryOrder(categories, form.week, form.reason or "", "" if form.zone else form.category or "")
        if not (form.zone and form.category and form.reason):
            await panel.ask_categories(interaction, campaign.id, wanted)
            return
        change = await bot.database.write(rollover.set_categories, bot.resolver, who, campaign.id, wanted)
        await panel.show_change(interaction, change)
