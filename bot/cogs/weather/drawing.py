"""The pictures of the weather as Pillow draws them: the map of a week, weeks and categories as heat maps, the forecast as bars.

The key of each says in the weather's own words what its letters and colours mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec.structs import replace

from bot.cogs.weather.forecast_chart import Share, ZoneOdds, forecast_chart
from bot.cogs.weather.weather_map import Tile, ZoneHead, weather_map
from bot.cogs.weather.words import regions_of
from bot.ui.pictures.heat_map import heat_map
from bot.ui.pictures.key import Cell, KeyLine
from bot.ui.pictures.tiles import FLOOD_MARK
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.accounts import WeekAccount
from rules.books.campaign.severity import worst
from rules.books.campaign.weather import Forecast, Week, ZoneForecast
from rules.climate import FLOOD, category_label, condition_label
from rules.phrases import signed


def draw_week(account: WeekAccount, book: Book) -> bytes:
    """Return the map of a week as a PNG."""
    heads = [
        ZoneHead(zone["label"], category_label(zone["outcome"]) if zone["outcome"] else "?")
        for zone in account["zones"]
    ]
    spare = 1 + max((region.at[1] for _, region in book.places.values() if region.at), default=-1)
    tiles: list[Tile] = []
    marks: dict[str, str] = {}
    for row, zone in enumerate(account["zones"]):
        for column, region in enumerate(zone["regions"]):
            _, place = book.places.get(region["id"], (None, None))
            known = [book.conditions[trait] for trait in region["conditions"] if trait in book.conditions]
            rough = [item for item in known if item.severity]
            marks |= {FLOOD_MARK if item.trait == FLOOD else item.mark: item.label for item in rough}
            tiles.append(
                Tile(
                    label=region["label"],
                    at=(place and place.at) or (column, spare + row),
                    zone=zone["label"],
                    land=region["land"],
                    severity=region["severity"],
                    marks=tuple(item.mark for item in rough if item.trait != FLOOD),
                    flood=FLOOD in region["conditions"],
                )
            )
    return weather_map(f"Weather of week {account['week']}", heads, tiles, list(marks.items()))


def draw_history(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> bytes:
    """Return the heat map of weeks as a PNG: a row for each zone with its categories, or for each region of a place with the mark of its worst weather."""
    ordered = sorted(weeks, key=attrgetter("number"))
    columns = [str(week.number) for week in ordered]
    if place is None:
        rows = [(zone.label, [_zone_cell(zone, week, book) for week in ordered]) for zone in book.zones.values()]
        seen = {trait for week in ordered for traits in week.regions.values() for trait in traits}
        key = [KeyLine(None, _LETTERS), *_colours(seen, book)]
        return heat_map("Weather, week by week", columns, rows, [*key, *_water(rows, book)])
    regions = regions_of(place)
    rows = [(region.label, [_region_cell(region, week, book) for week in ordered]) for region in regions]
    seen_there = [worst(week.regions.get(region.id, ()), book) for region in regions for week in ordered]
    key = [*_marks(seen_there), *_water(rows, book)]
    return heat_map(f"Weather of {place.label}, week by week", columns, rows, key)


def draw_categories(zone: Zone, book: Book) -> bytes:
    """Return what the categories of a zone mean as a PNG: a row for each region, a column for each category, the worst weather in each cell."""
    outcomes = [row.outcome for row in book.table(zone.table).rows]
    cells = {
        (region.id, outcome): worst(zone.climate[outcome][region.id], book)
        for region in zone.regions
        for outcome in outcomes
    }
    rows = [
        (region.label, [_weather_cell(cells[region.id, outcome]) for outcome in outcomes]) for region in zone.regions
    ]
    return heat_map(zone.label, [_short(outcome) for outcome in outcomes], rows, list(_marks(cells.values())))


def draw_forecast(forecast: Forecast, book: Book) -> bytes:
    """Return the odds of the next week as a PNG: each zone's categories, calm first."""
    zones = [
        ZoneOdds(item.zone.label, _carried(item), [share for share in _shares(item, book) if share.chance])
        for item in forecast.zones
    ]
    seen = {
        trait
        for item in forecast.zones
        for outcome, chance in item.odds.items()
        if chance
        for traits in item.zone.climate[outcome].values()
        for trait in traits
    }
    letters = KeyLine(None, f"{_LETTERS} Numbers below: chance in percent.")
    return forecast_chart(f"Forecast for week {forecast.number}", zones, [letters, *_colours(seen, book)])


_LETTERS = "G: good weather, W: West, E: East. Colour: the worst weather of the zone's regions."


def _carried(item: ZoneForecast) -> str:
    """Return by how much last week's weather changes a zone's roll."""
    return f"{signed(item.weighed.sum)} from last week" if item.weighed.sum else ""


def _shares(item: ZoneForecast, book: Book) -> list[Share]:
    """Return the categories of a zone with their chances, calm first."""
    shares = [
        Share(Cell(_short(outcome), _severity(worst(_everywhere(item.zone, outcome), book))), chance)
        for outcome, chance in item.odds.items()
    ]
    return sorted(shares, key=lambda share: share.cell.severity or 0)


def _everywhere(zone: Zone, outcome: str) -> Iterator[str]:
    return (trait for traits in zone.climate[outcome].values() for trait in traits)


def _zone_cell(zone: Zone, week: Week, book: Book) -> Cell:
    outcome = week.zones.get(zone.id)
    found = worst((trait for region in zone.regions for trait in week.regions.get(region.id, ())), book)
    flood = any(week.flooded(region.id) for region in zone.regions)
    return Cell(_short(outcome) if outcome else "", _severity(found), flood)


def _region_cell(region: Region, week: Week, book: Book) -> Cell:
    return replace(_weather_cell(worst(week.regions.get(region.id, ()), book)), flood=week.flooded(region.id))


def _weather_cell(found: Condition | None) -> Cell:
    return Cell(found.mark if found else "", _severity(found))


def _severity(condition: Condition | None) -> int | None:
    return None if condition is None else condition.severity


def _colours(traits: Iterable[str], book: Book) -> Iterator[KeyLine]:
    """Return a line for each colour that occurs, calm first: the weather that it stands for."""
    labels: dict[int, list[str]] = {}
    known = set(traits)
    for condition in sorted(book.conditions.values(), key=attrgetter("severity")):
        if condition.trait in known:
            labels.setdefault(condition.severity, []).append(condition.label)
    return (KeyLine(Cell("", severity), ", ".join(names)) for severity, names in labels.items())


def _marks(found: Iterable[Condition | None]) -> Iterator[KeyLine]:
    """Return a line for each mark that occurs, calm first: the weather that it stands for."""
    known = {condition.trait: condition for condition in found if condition is not None}
    ordered = sorted(known.values(), key=attrgetter("severity"))
    return (KeyLine(_weather_cell(condition), condition.label) for condition in ordered)


def _water(rows: Iterable[tuple[str, Sequence[Cell]]], book: Book) -> Iterator[KeyLine]:
    """Return the line for water in a cell, where there is any."""
    if any(cell.flood for _, cells in rows for cell in cells):
        yield KeyLine(Cell("", 0, flood=True), f"{condition_label(book, FLOOD)}, in any weather")


def _short(outcome: str) -> str:
    """Return a category in two or three letters: G, 3, 6W."""
    return "".join(word[0] if word.isalpha() else word for word in category_label(outcome).split())
