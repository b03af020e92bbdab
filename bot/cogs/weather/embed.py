"""A week's weather as people see it: its map and the gist of it, and all of it in words; the same for many weeks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import discord

from bot.cogs.weather.digest import digest
from bot.cogs.weather.words import (
    UNKNOWN,
    category,
    conditions,
    flooded,
    gist,
    phrase,
    pictured,
    regions_of,
    sky_of,
    worded,
)
from bot.core.entry_kinds import Body, EntryView, Pages, View
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import DOT, plain
from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import RegionAccount, WeekAccount, ZoneAccount, had, places
from rules.books.campaign.weather import Week
from rules.climate import category_phrase, spoken_conditions

PICTURE = "weather.png"
HISTORY_PICTURE = "history.png"
NEWEST = 2
"""How many weeks stand below the heat map; Details has all of them."""


def digest_pages(shown: EntryView, view: View) -> Pages:
    """Return the message that shows a rollover, the map first; none when any part of it is not for the public that looks on."""
    body = shown.entry.content()
    if _hidden(shown, body, view):
        return []
    footer = entry_footer(shown, body["update"]["name"])
    return paging.pages(pictured(_title(body["weather"]), gist(body["weather"]), footer, PICTURE))


def digest_details(shown: EntryView, view: View) -> Pages:
    """Return the messages that tell a rollover whole; none where `digest_pages` has none."""
    body = shown.entry.content()
    if _hidden(shown, body, view):
        return []
    footer = entry_footer(shown, body["update"]["name"])
    return paging.pages(
        paging.fit(_title(body["weather"]), digest(shown, body, view), colour=COLOURS["neutral"], footer=footer)
    )


def week_embeds(account: WeekAccount, *, footer: str, region: str | None) -> list[discord.Embed]:
    """Return a week's weather, the map first: the gist of it, or all that holds in the one region of this id or label."""
    about, lines = _title(account), list(gist(account))
    for zone, place in places(account):
        if region in {place["id"], place["label"]}:
            about, lines = f"{plain(place['label'])}, week {account['week']}", list(_single(zone, place))
    return pictured(about, lines, footer, PICTURE)


def week_details(account: WeekAccount, *, footer: str) -> list[discord.Embed]:
    """Return all of a week's weather in words."""
    return paging.fit(_title(account), _whole(account), colour=COLOURS["neutral"], footer=footer)


def week_footer(campaign: str, entry: int, changed: int | None) -> str:
    """Return by which entry a week was made, and by which something in it was set last."""
    by_hand = "" if changed is None else f", set by hand in entry #{changed}"
    return f"Entry #{entry}{by_hand}{DOT}{campaign}"


def history_embeds(
    weeks: Sequence[Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Return the heat map of weeks, with the newest of them in words: every zone's category, or one zone's or one region's weather."""
    lines = _weeks(weeks, book, place)
    return pictured(_history_title(place), lines[:NEWEST], campaign, HISTORY_PICTURE)


def history_details(
    weeks: Sequence[Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Return a line for each week, the newest first."""
    return paging.fit(_history_title(place), _weeks(weeks, book, place), colour=COLOURS["neutral"], footer=campaign)


def _hidden(shown: EntryView, body: Body, view: View) -> bool:
    return view == "public" and not shown.published and any(part["audience"] != "results" for part in body["parts"])


def _title(account: WeekAccount) -> str:
    return f"Weather of week {account['week']}"


def _history_title(place: Zone | Region | None) -> str:
    return f"Weather of {plain(place.label) if place else 'all zones'}, week by week"


def _whole(account: WeekAccount) -> Iterator[str]:
    for zone in account["zones"]:
        yield f"**{plain(zone['label'])}: {category(zone['outcome'])}**"
        yield conditions(zone)
        yield ""
    if not flooded(account):
        yield "No Mud/Flood."


def _single(zone: ZoneAccount, place: RegionAccount) -> Iterator[str]:
    yield f"**{worded(spoken_conditions(place['conditions'], place['labels']))}**"
    yield f"{'Land' if place['land'] else 'Sea'}, in the zone {plain(zone['label'])}: {phrase(zone['outcome'])}"
    if place["was"] is not None:
        yield f"Last week: {worded(spoken_conditions(had(place), place['was']))}"


def _weeks(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> list[str]:
    newest_first = sorted(weeks, key=lambda week: -week.number)
    return [f"**Week {week.number}**{DOT}{_week(week, book, place)}" for week in newest_first]


def _week(week: Week, book: Book, place: Zone | Region | None) -> str:
    if place is None:
        zones = book.zones.values()
        return DOT.join(f"{plain(zone.label)} {category(week.zones.get(zone.id))}" for zone in zones)
    sky = ", ".join(map(plain, sky_of(week, regions_of(place), book))) or UNKNOWN
    outcome = week.zones.get(place.id) if isinstance(place, Zone) else None
    return f"{category_phrase(outcome)}{DOT}{sky}" if outcome else sky
