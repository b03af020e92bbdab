"""The texts beside the pictures of the weather: the same facts in at most 1,000 characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.cogs.weather.entry_body import shared
from bot.cogs.weather.words import UNKNOWN, category, flooded, regions_of, rough, sky_of
from bot.ui.picture import MAX_ALT
from bot.ui.text import listing
from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import WeekAccount, places
from rules.books.campaign.severity import worst
from rules.books.campaign.weather import Forecast, Week
from rules.climate import category_label
from rules.phrases import percent

_CUT = " And {count} more."


def alt(account: WeekAccount) -> str:
    """Return the map in words, at most 1,000 characters: categories, Mud/Flood, then all that is not good weather."""
    zones = [f"{zone['label']} {category(zone['outcome'])}" for zone in account["zones"]]
    weather = shared((words, place["label"]) for _, place in places(account) if (words := rough(place)))
    lists = {"Categories": zones, "Mud/Flood": flooded(account), **weather}
    return _cut(f"Map of the weather of week {account['week']}.", lists)


def history_alt(weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> str:
    """Return the heat map in words, at most 1,000 characters: in how many weeks each row of it had what."""
    if not weeks:
        return "Heat map of the weather. No week is known yet."
    numbers = [week.number for week in weeks]
    opening = f"Heat map of the weather of weeks {min(numbers)} to {max(numbers)}: in how many of them each"
    if place is None:
        zones = {zone.label: _counts(weeks, zone, book) for zone in book.zones.values()}
        return _cut(f"{opening} zone had each category.", zones)
    skies = {region.label: _skies(weeks, region, book) for region in regions_of(place)}
    return _cut(f"{opening} region had which conditions.", skies)


def forecast_alt(forecast: Forecast) -> str:
    """Return the chart of a forecast in words: in each zone every category that may come, with its chance."""
    zones = {
        item.zone.label: [
            f"{category_label(outcome)} {percent(chance)}" for outcome, chance in item.odds.items() if chance
        ]
        for item in forecast.zones
    }
    return _cut(f"Chart of the forecast for week {forecast.number}.", zones)


def categories_alt(zone: Zone, book: Book) -> str:
    """Return the picture of a zone's categories in words: the worst weather of each region in each of them."""
    named = {}
    for outcome in (row.outcome for row in book.table(zone.table).rows):
        found = ((worst(zone.climate[outcome][region.id], book), region.label) for region in zone.regions)
        there = shared((condition.label if condition else UNKNOWN, label) for condition, label in found)
        named[category_label(outcome)] = [f"{words} in {listing(labels)}" for words, labels in there.items()]
    return _cut(f"What the categories of {zone.label} mean, the worst weather of each region.", named)


def _skies(weeks: Sequence[Week], region: Region, book: Book) -> list[str]:
    """Return how often a region had which conditions, the most frequent first."""
    counts = Counter(listing(sky_of(week, (region,), book)) or UNKNOWN for week in weeks)
    return [f"{sky} in {count}" for sky, count in counts.most_common()]


def _counts(weeks: Sequence[Week], zone: Zone, book: Book) -> list[str]:
    """Return how often a zone had each outcome, in the table's order, then what that table has no more."""
    counts = Counter(week.zones.get(zone.id) for week in weeks)
    order = [row.outcome for row in book.table(zone.table).rows]
    known = sorted(counts, key=lambda outcome: order.index(outcome) if outcome in order else len(order))
    return [f"{category(outcome)} in {counts[outcome]}" for outcome in known]


def _cut(opening: str, lists: Mapping[str, Sequence[str]]) -> str:
    """Return headed lists after an opening, as far as an alt text has room, then how many of their items are left out."""
    items = [
        (f" {head}: " if place == 0 else ", ", name, place == len(names) - 1)
        for head, names in lists.items()
        for place, name in enumerate(names)
    ]
    text = opening
    for count, (before, name, last) in enumerate(items):
        added = f"{before}{name}{'.' if last else ''}"
        if len(text) + len(added) + len(_CUT) > MAX_ALT:
            return text.removesuffix(".") + "." + _CUT.format(count=len(items) - count)
        text += added
    return text
