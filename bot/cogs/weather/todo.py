"""The weather on the desk of the week: which week it is, and the next one to be rolled."""

from __future__ import annotations

from collections.abc import Iterator

import discord
from discord import ui
from sqlalchemy import Connection

from bot.cogs.weather.panel import roll_button
from bot.cogs.weather.rollover import ROLLOVER_JOB, next_week
from bot.core.campaigns import Campaign, update_entry
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.errors import BadInput
from bot.schedules import store as schedules
from bot.ui.todo import Todo


def next_weather(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the week that comes next, for game masters, unless one was rolled or set in this update already."""
    campaign = viewer.campaign
    if not viewer.person.leads(campaign):
        return
    try:
        coming = next_week(tx, library, campaign)
    except BadInput:  # the campaign has no weather
        return
    if coming.newest is not None and coming.newest.entry > update_entry(tx, campaign.id):
        return
    button: ui.Button[ui.LayoutView] = roll_button(coming)
    yield Todo(
        "Weather", [f"\N{BULLET} Week {coming.number} is due{_by_itself(tx, campaign)}."], [[button]], offered=True
    )


def _by_itself(tx: Connection, campaign: Campaign) -> str:
    """Return when the schedule rolls it, where there is one."""
    planned = schedules.get(tx, campaign.id, ROLLOVER_JOB.id)
    return "" if planned is None else f"; it rolls by itself {discord.utils.format_dt(planned.next_at, 'R')}"
