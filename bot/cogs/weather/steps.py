"""The weather's next step, and the week that is due."""

from collections.abc import Iterable, Iterator, Sequence

import discord
from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.weather import queries, rollover
from bot.cogs.weather.panel import roll_button, show_change
from bot.cogs.weather.queries import weather_book
from bot.cogs.weather.rollover import ROLLOVER_JOB, CategoryOrder, next_week
from bot.core.campaigns import Campaign, find_update_entry, require_on_server, require_open
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.visibility import Viewer
from bot.rolls.options import MAX_WEEK
from bot.schedules import store as schedules
from bot.ui import parsing
from bot.ui.receipt import NextStep, Todo
from bot.ui.reply import IdTemplate, ask, component, modal, person, read_submitted, redraw, text_field
from rules.book import Zone

FIRST = IdTemplate("weather:{campaign:int}:first")
WEEK, ZONE, CATEGORY = "week", "zone", "category"
ABOUT = "New game? Use /weather rollover instead. Set more zones later with /weather set."
OPENING = "Weather at the start"


def next_steps(tx: Connection, library: Library, campaign: Campaign) -> Iterable[NextStep]:
    """Yield the step that says which week it is."""
    if any(book.zones for book in library.list_books(tx, campaign)):
        span = queries.find_span(tx, campaign.id)
        why = "new game? Use /weather rollover. Already running? Set the week here"
        known = f"it is week {span.last}" if span else why
        yield NextStep("Which week is it", FIRST.fill(campaign=campaign.id), known, span is not None)


@component(FIRST)
async def ask_first(interaction: Interaction, campaign: int) -> None:
    """Ask which week it is."""
    bot, who = interaction.client, person(interaction)
    zones = await bot.database.read(_zones, bot.library, who, campaign)
    await ask(interaction, _window(campaign, zones))


@modal(FIRST)
async def set_first_week(interaction: Interaction, campaign: int) -> None:
    """Set a zone's weather in the first week."""
    bot, who, fields = interaction.client, person(interaction), read_submitted(interaction)
    week = parsing.parse_whole(fields.get(WEEK), "week", 0, MAX_WEEK)
    zone = next(iter(fields.get(ZONE) or []), "")
    wanted = CategoryOrder(zone, fields.get(CATEGORY) or "", week, OPENING)
    change = await bot.database.write(rollover.set_category, bot.resolver, who, campaign, wanted)
    for draw in (feature.draw_steps for feature in bot.features if feature.draw_steps is not None):
        await redraw(interaction, await draw(interaction, campaign))
    await show_change(interaction, change)


def _zones(tx: Connection, library: Library, who: Person, campaign_id: int) -> Sequence[Zone]:
    campaign = require_on_server(tx, who.guild_id, campaign_id)
    require_open(campaign)
    require_game_master(who, campaign, "set the weather")
    return list(weather_book(tx, library, campaign).zones.values())


def _window(campaign: int, zones: Sequence[Zone]) -> ui.Modal:
    options = [
        discord.SelectOption(label=zone.label, value=zone.id, default=not place) for place, zone in enumerate(zones)
    ]
    form = ui.Modal(title="Which week is it?", custom_id=FIRST.fill(campaign=campaign))
    form.add_item(ui.TextDisplay(ABOUT))
    form.add_item(text_field(WEEK, "Week", placeholder="37", limit=len("9999")))
    form.add_item(ui.Label(text="Zone", component=ui.Select(custom_id=ZONE, options=options)))
    return form.add_item(text_field(CATEGORY, "Weather category, such as good, 3, 6 West", value="good", limit=40))


def next_weather(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the week that is due, for game masters."""
    campaign = viewer.campaign
    if not viewer.person.leads(campaign):
        return
    try:
        coming = next_week(tx, library, campaign)
    except BadInput:  # the campaign has no weather
        return
    if coming.newest is not None and coming.newest.entry > find_update_entry(tx, campaign.id):
        return
    planned = schedules.get_schedule(tx, campaign.id, ROLLOVER_JOB.id)
    at = f"; it rolls by itself {discord.utils.format_dt(planned.next_at, 'R')}" if planned else ""
    yield Todo("Weather", [f"\N{BULLET} Week {coming.number} is due{at}."], [[roll_button(coming)]], offered=True)
