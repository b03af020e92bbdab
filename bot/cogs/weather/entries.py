"""Entries about the weather: rolled and set by hand."""

from __future__ import annotations

import discord

from bot.cogs.weather.category_embed import notice, sentence
from bot.cogs.weather.embed import digest_details, digest_pages
from bot.cogs.weather.entry_body import weather_change
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.rolls.entries import MAX_LINE, ROLL, about
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain, shorten
from rules.books.campaign.weather import FAMILY
from rules.climate import category_label


def _sentence(body: Body, _view: View) -> str:
    return sentence(weather_change(body))


def _pages(shown: EntryView, view: View) -> Pages:
    """Return what was set or taken back, and to the staff why."""
    embeds = notice(weather_change(shown.entry.content()), shown)
    reason = shown.entry.text("reason") if view == "staff" else None
    if reason:
        embeds.append(discord.Embed(description=f"**Reason:** {plain(reason)}", colour=COLOURS["neutral"]))
    return paging.pages(embeds)


def _rolled(body: Body, _view: View) -> str:
    zones = [f"{plain(zone['label'])} {category_label(zone['outcome'])}" for zone in body["weather"]["zones"]]
    return shorten(f"Weather of week {body['weather']['week']}{DOT}{', '.join(zones)}", MAX_LINE)


def _is_rollover(body: Body) -> bool:
    return bool(body["family"] == FAMILY)


WEATHER_CHANGED = EntryKind("weather", "results", _sentence, _pages)
ROLLOVER = EntryKind("roll", ROLL.audience, _rolled, digest_pages, _is_rollover, whole=digest_details, about=about)
