"""The weather's next step, and the week that is due."""

from collections.abc import Iterable, Iterator

import discord
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.weather import queries
from bot.cogs.weather.panel import (
    FIRST,
    REASON,
    WEEK,
    ask_categories,
    read_zones,
    roll_button,
    send_categories,
    show_change,
)
from bot.cogs.weather.rollover import ROLLOVER_JOB, CategoryOrder, next_week
from bot.core.campaigns import Campaign, find_update_entry
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.rolls.options import MAX_WEEK
from bot.schedules import store as schedules
from bot.ui import parsing
from bot.ui.receipt import NextStep, Todo
from bot.ui.reply import component, modal, read_submitted, redraw

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
    """Ask which week it is, and for its weather."""
    await ask_categories(interaction, campaign, CategoryOrder({}, None, ""))


@modal(FIRST)
async def set_first_week(interaction: Interaction, campaign: int) -> None:
    """Set the weather of the first known week."""
    fields = read_submitted(interaction)
    week = parsing.parse_whole(fields.get(WEEK), "week", 0, MAX_WEEK)
    wanted = CategoryOrder(read_zones(fields), week, fields.get(REASON) or OPENING, opening=True)
    change = await send_categories(interaction, campaign, wanted)
    for draw in (feature.draw_steps for feature in interaction.client.features if feature.draw_steps is not None):
        await redraw(interaction, await draw(interaction, campaign))
    await show_change(interaction, change)


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
