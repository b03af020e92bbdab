"""The weather's next step, and the week that is due."""

from collections.abc import Iterable, Iterator

import discord
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.weather import panel, queries
from bot.cogs.weather.rollover import ROLLOVER_JOB, CategoryOrder, next_week
from bot.core.campaigns import Campaign, find_update_entry
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.rolls.options import MAX_WEEK
from bot.schedules import store as schedules
from bot.ui import parsing
from bot.ui.commands import AGAIN, BEGIN
from bot.ui.receipt import NextStep, Todo
from bot.ui.reply import component, modal, press, read_submitted

OPENING = "Weather at the start"


def next_steps(tx: Connection, library: Library, campaign: Campaign) -> Iterable[NextStep]:
    """Yield the step that says which week it is."""
    if any(map(queries.has_weather, library.list_books(tx, campaign))):
        span = queries.find_span(tx, campaign.id)
        why = "new game? Use /weather rollover. Already running? Set the week here"
        known = f"it is week {span.last}" if span else why
        yield NextStep("Which week is it", panel.FIRST.fill(campaign=campaign.id), known, span is not None)


@component(panel.FIRST)
async def ask_first(interaction: Interaction, campaign: int) -> None:
    """Ask which week it is, and for its weather."""
    await panel.ask_categories(interaction, campaign, CategoryOrder({}, None, ""))


@modal(panel.FIRST)
async def set_first_week(interaction: Interaction, campaign: int) -> None:
    """Set the first known week's weather."""
    fields = read_submitted(interaction)
    week = parsing.parse_whole(fields.get(panel.WEEK), "week", 0, MAX_WEEK)
    wanted = CategoryOrder(panel.read_zones(fields), week, fields.get(panel.REASON) or OPENING, opening=True)
    change = await panel.send_categories(interaction, campaign, wanted)
    await press(interaction, BEGIN.fill(campaign=campaign, what=AGAIN))
    await panel.show_change(interaction, change)


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
    yield Todo("Weather", [f"\N{BULLET} Week {coming.number} is due{at}."], [[panel.roll_button(coming)]], offered=True)
