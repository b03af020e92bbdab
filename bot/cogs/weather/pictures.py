"""Pictures of the weather, and their alt texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from sqlalchemy import Connection

from bot.cogs.weather import queries, words
from bot.cogs.weather.embed import FORECAST_PICTURE, HISTORY_PICTURE, PICTURE
from bot.cogs.weather.queries import weather_book, week_report
from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.core.ledger import Body
from bot.core.library import Library
from bot.orders.kinds import Illustration
from bot.outbox.sending import Drawing
from bot.ui.text import MAX_ALT, Picture, join_words
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import Forecast, Week
from rules.climate import WeekAccount, category_label, list_places, worst_condition
from rules.phrases import percent

_CUT = " And {count} more."


def alt(account: WeekAccount) -> str:
    """Describe the map: categories, Mud/Flood, rough weather."""
    zones = [f"{zone['label']} {words.category(zone['outcome'])}" for zone in account["zones"]]
    weather = words.group_names(
        (found, place["label"]) for _, place in list_places(account) if (found := words.describe_rough_weather(place))
    )
    lists = {"Categories": zones, "Mud/Flood": words.list_flooded(account), **weather}
    return _cut(f"Map of the weather of week {account['week']}.", lists)


def history_alt(weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> str:
    """Describe the heat map: weeks with each weather."""
    if not weeks:
        return "Heat map of the weather. No week is known yet."
    numbers = [week.number for week in weeks]
    opening = f"Heat map of the weather of weeks {min(numbers)} to {max(numbers)}: in how many of them each"
    if place is None:
        zones = {zone.label: _counts(weeks, zone, book) for zone in book.zones.values()}
        return _cut(f"{opening} zone had each category.", zones)
    skies = {region.label: _skies(weeks, region, book) for region in words.regions_of(place)}
    return _cut(f"{opening} region had which conditions.", skies)


def _describe_forecast(forecast: Forecast) -> str:
    zones = {
        item.zone.label: [
            f"{category_label(outcome)} {percent(chance)}" for outcome, chance in item.odds.items() if chance
        ]
        for item in forecast.zones
    }
    return _cut(f"Chart of the forecast for week {forecast.number}.", zones)


def _describe_categories(zone: Zone, book: Book) -> str:
    named = {}
    for outcome in (row.outcome for row in book.table(zone.table).rows):
        found = ((worst_condition(zone.climate[outcome][region.id], book), region.label) for region in zone.regions)
        there = words.group_names(
            (condition.label if condition else words.UNKNOWN, label) for condition, label in found
        )
        named[category_label(outcome)] = [f"{worst} in {join_words(labels)}" for worst, labels in there.items()]
    return _cut(f"What the categories of {zone.label} mean, the worst weather of each region.", named)


def _skies(weeks: Sequence[Week], region: Region, book: Book) -> list[str]:
    counts = Counter(join_words(words.sky_of(week, (region,), book)) or words.UNKNOWN for week in weeks)
    return [f"{sky} in {count}" for sky, count in counts.most_common()]


def _counts(weeks: Sequence[Week], zone: Zone, book: Book) -> list[str]:
    counts = Counter(week.zones.get(zone.id) for week in weeks)
    order = [row.outcome for row in book.table(zone.table).rows]
    known = sorted(counts, key=lambda outcome: order.index(outcome) if outcome in order else len(order))
    return [f"{words.category(outcome)} in {counts[outcome]}" for outcome in known]


def _cut(opening: str, lists: Mapping[str, Sequence[str]]) -> str:
    # Return an alt text of opening and lists, shortened to Discord's limit.
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


def entry_picture(tx: Connection, library: Library, campaign: Campaign, body: Body) -> Drawing | None:
    """Return what draws an entry's week, if any."""
    if "weather" not in body:
        return None
    return partial(week_picture, body["weather"], weather_book(tx, library, campaign))


def week_picture(account: WeekAccount, book: Book) -> Picture:
    """Draw a week's map."""
    from bot.cogs.weather.drawing import draw_week  # noqa: PLC0415 - Pillow loads with the first picture

    return Picture(PICTURE, draw_week(account, book), alt(account))


def history_picture(weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> Picture:
    """Draw the heat map."""
    from bot.cogs.weather.drawing import draw_history  # noqa: PLC0415 - as above

    return Picture(HISTORY_PICTURE, draw_history(weeks, book, place), history_alt(weeks, book, place))


def forecast_picture(forecast: Forecast, book: Book) -> Picture:
    """Draw the forecast chart."""
    from bot.cogs.weather.drawing import draw_forecast  # noqa: PLC0415 - as above

    return Picture(FORECAST_PICTURE, draw_forecast(forecast, book), _describe_forecast(forecast))


def categories_picture(zone: Zone, book: Book) -> Picture:
    """Draw a zone's categories."""
    from bot.cogs.weather.drawing import draw_categories  # noqa: PLC0415 - as above

    return Picture(words.CATEGORIES_PICTURE, draw_categories(zone, book), _describe_categories(zone, book))


def newest_weather(tx: Connection, library: Library, campaign: Campaign) -> Illustration | None:
    """Return the newest week's weather, if it's public."""
    if queries.find_span(tx, campaign.id) is None:
        return None
    try:
        report = week_report(tx, library, campaign, None)
    except BadInput:  # the book of the weather is off
        return None
    number = report.stored.entry
    made = entries.get_entries_bare(tx, campaign.id, {number})
    if number not in made or made[number].audience != "results":
        return None
    account = report.account
    return Illustration(f"Weather of week {account['week']}", [*words.gist(account)], PICTURE, {"weather": account})
