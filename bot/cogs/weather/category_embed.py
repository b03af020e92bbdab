"""What weather may come and what it means: odds of the next week, the categories of each zone, and what was changed by hand."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction

import discord

from bot.cogs.weather.embed import ARROW, grouped, shared
from bot.cogs.weather.entry_body import CategoryChanged, CellDefault, WeatherChange, WeekSet
from bot.cogs.weather.store import StoredWeek
from bot.core.entry_kinds import EntryView
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import DOT, listing, percent, plain, signed, within
from rules.book import Book, Zone
from rules.books.campaign.weather import SEVERE_STORMS, STORMS, Forecast, RegionForecast, Watch, ZoneForecast
from rules.climate import FLOOD, Cell, category_label, category_phrase, condition_label
from rules.odds import table_odds
from rules.tables import RollTable, TableRow

PREVIEW_ROOM = 3260
"""Characters for the text before a rollover, so that what the card says besides has room within Discord's 4,000."""

EDITED = "\N{PENCIL}"
HOUSE_DEFAULT = (
    "*The page does not print what a category means. This is a house default: change a cell with `/weather edit`.*"
)
NOTHING = "nothing"


def forecast_pages(forecast: Forecast, book: Book, *, campaign: str) -> list[list[discord.Embed]]:
    """Return the exact odds of the next week: by zone each category, by region storms and Mud/Flood, and the watches due."""
    title = f"Forecast for week {forecast.number}"
    footer = f"{campaign}{DOT}Exact odds; what cannot happen is left out"
    return paging.pages(paging.fit(title, _forecast(forecast, book), colour=COLOURS["neutral"], footer=footer))


def preview_lines(forecast: Forecast, book: Book) -> list[str]:
    """Return what a rollover will throw, in its order: each zone's carry-over and odds, then the Flood Watches; under 3,300 characters."""
    lines = [line for item in forecast.zones for line in _zone(item)]
    return list(within(PREVIEW_ROOM, [*lines, *_watches(forecast, book)]))


def standing(newest: StoredWeek | None) -> str:
    """Return how the newest week that is known came about, and when."""
    if newest is None:
        return "no week is known yet"
    at = newest.rolled_at
    made = "set by hand" if at is None else f"rolled {discord.utils.format_dt(at, 'R')}"
    return f"week {newest.week.number} was {made}"


def category_pages(
    book: Book, zones: Sequence[Zone], edited: Collection[Cell], moved: Collection[str] = ()
) -> list[list[discord.Embed]]:
    """Return what each category of these zones means.

    The cells in `edited`, and land or sea of the regions in `moved`, are marked as the campaign's own.
    """
    return paging.pages(embed for zone in zones for embed in _categories(book, zone, edited, moved))


def notice(body: WeatherChange, shown: EntryView) -> list[discord.Embed]:
    """Return the notice that the weather was set, or that a category was given another meaning."""
    lines = [sentence(body), *asides(body)]
    if body["deed"] == "set" and body["regions"]:
        lines += ["", grouped((_words(region["labels"]), plain(region["label"])) for region in body["regions"])]
    return paging.fit(_title(body), lines, colour=COLOURS["neutral"], footer=entry_footer(shown))


def asides(body: WeatherChange) -> Iterator[str]:
    """Return what a change by hand leaves as it was, what it takes along, and the default that it leaves behind."""
    if body["deed"] == "set":
        if weeks := body.get("newer"):
            first, last = weeks
            yield f"Week {first} stays as rolled." if first == last else f"Weeks {first} to {last} stay as rolled."
    elif default := body.get("default"):
        yield f"The house default is: {_default(default)}. Pick that again to go back to it."


def sentence(body: WeatherChange) -> str:
    """Return the same in one line."""
    return _set(body) if body["deed"] == "set" else _edit(body)


def _title(body: WeatherChange) -> str:
    return "Weather set by hand" if body["deed"] == "set" else "Weather category changed"


def _forecast(forecast: Forecast, book: Book) -> Iterator[str]:
    for item in forecast.zones:
        yield from _zone(item)
        regions = [region for region in forecast.regions if region.zone.id == item.zone.id]
        alike = shared((words, plain(region.region.label)) for region in regions if (words := _chances(region, book)))
        yield from (f"{', '.join(names)}: {words}" for words, names in alike.items())
        yield ""
    yield from _watches(forecast, book)


def _zone(item: ZoneForecast) -> Iterator[str]:
    counted = [line for line in item.weighed.modifiers if line.counted]
    why = ", ".join(f"{signed(line.amount)} {plain(line.modifier.label)}" for line in counted)
    yield f"**{plain(item.zone.label)}**{DOT}{why or 'no carry-over'}"
    yield DOT.join(
        f"**{category_label(outcome)}** {percent(chance)}" for outcome, chance in item.odds.items() if chance
    )


def _chances(item: RegionForecast, book: Book) -> str:
    odds = {STORMS: item.odds.get(STORMS), SEVERE_STORMS: item.odds.get(SEVERE_STORMS), FLOOD: item.flood}
    return ", ".join(f"{plain(condition_label(book, trait))} {percent(odd)}" for trait, odd in odds.items() if odd)


def _watches(forecast: Forecast, book: Book) -> Iterator[str]:
    if not forecast.watches:
        yield "No Flood Watch is due."
        return
    yield "**Flood Watch**"
    for watch in forecast.watches:
        yield f"\N{BULLET} {plain(watch.region.label)}: {_due_for(watch, book)}"


def _due_for(watch: Watch, book: Book) -> str:
    weeks = listing([str(number) for number in sorted(watch.weeks)])
    return f"{plain(condition_label(book, watch.trait))} in {'week' if len(watch.weeks) == 1 else 'weeks'} {weeks}"


def _categories(book: Book, zone: Zone, edited: Collection[Cell], moved: Collection[str]) -> list[discord.Embed]:
    table = book.table(zone.table)
    footer = f"{table.source.book}, {table.source.section}"
    lines = [*_zone_lines(zone, edited, moved), *_category_lines(book, zone, table, edited)]
    return paging.fit(plain(zone.label), lines, colour=COLOURS["neutral"], footer=footer)


def _zone_lines(zone: Zone, edited: Collection[Cell], moved: Collection[str]) -> Iterator[str]:
    yield HOUSE_DEFAULT
    cells = ((outcome, region.id) in edited for outcome in zone.climate for region in zone.regions)
    if any(cells) or any(region.id in moved for region in zone.regions):
        yield f"{EDITED} changed in this campaign"
    for name, land in (("Land", True), ("Sea", False)):
        regions = [plain(region.label) + _mark(region.id in moved) for region in zone.regions if region.land is land]
        if regions:
            yield f"{name}: {', '.join(regions)}"
    yield "Chances are those of a week without carry-over."


def _mark(changed: bool) -> str:  # noqa: FBT001 - it marks whether it is so
    return f" {EDITED}" if changed else ""


def _category_lines(book: Book, zone: Zone, table: RollTable, edited: Collection[Cell]) -> Iterator[str]:
    odds = table_odds(table, 0)
    for row in table.rows:
        yield ""
        head = category_phrase(row.outcome)
        yield f"**{head[:1].upper()}{head[1:]}**{DOT}a total of {_totals(row, table)}{DOT}{_odd(row, odds[row.outcome])}"
        yield _meaning(book, zone, row.outcome, edited)


def _meaning(book: Book, zone: Zone, outcome: str, edited: Collection[Cell]) -> str:
    cells = zone.climate.get(outcome, {})
    marks = {region.id: _mark((outcome, region.id) in edited) for region in zone.regions}
    return grouped(
        (
            _words(condition_label(book, trait) for trait in cells.get(region.id, ())),
            plain(region.label) + marks[region.id],
        )
        for region in zone.regions
    )


def _totals(row: TableRow, table: RollTable) -> str:
    """Return the totals of a row on a plain die, an open end being the die's own."""
    ends = [end for end in (row.min, row.max) if end is not None]
    low = min([table.die.low, *ends]) if row.min is None else row.min
    high = max([table.die.high, *ends]) if row.max is None else row.max
    return str(low) if low == high else f"{low}-{high}"


def _odd(row: TableRow, chance: Fraction) -> str:
    printed = row.percent is not None and Fraction(row.percent, 100) != chance
    return percent(chance) + (f" (printed {row.percent}%)" if printed else "")


def _set(body: WeekSet) -> str:
    zone, after = plain(body["zone"]), category_phrase(body["after"])
    if body["opening"]:
        return f"Week {body['week']} opens in {zone} with {after}"
    before = f"{category_phrase(body['before'])}{ARROW}" if body["before"] else ""
    return f"Week {body['week']}, {zone}: {before}{after}"


def _edit(body: CategoryChanged) -> str:
    region = plain(body["region"])
    sentences: list[str] = []
    if body["before"] != body["after"]:
        change = f"{_words(body['before'])}{ARROW}{_words(body['after'])}"
        sentences.append(f"In {region} ({plain(body['zone'])}), {category_phrase(body['outcome'])} means {change}")
    if body["land"]:
        sentences.append(f"{region} is {'land' if body['land']['after'] else 'sea'} from now on")
    return "; ".join(sentences) or f"{region} stays as it is"


def _default(default: CellDefault) -> str:
    words = [_words(default["conditions"])] if "conditions" in default else []
    words += ["land" if default["land"] else "sea"] if "land" in default else []
    return "; ".join(words)


def _words(labels: Iterable[str]) -> str:
    return ", ".join(map(plain, labels)) or NOTHING
