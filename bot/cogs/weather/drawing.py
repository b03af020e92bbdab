"""The pictures of the weather as Pillow draws them: what stands on the map of a week and on the heat map of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.cogs.weather.embed import regions_of
from bot.cogs.weather.entry_body import WeekAccount
from bot.cogs.weather.weather_map import Tile, ZoneHead, weather_map
from bot.ui.pictures.heat_map import Heat, heat_map
from bot.ui.pictures.tiles import FLOOD_MARK
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.weather import Week
from rules.climate import FLOOD, category_label


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
    """Return the heat map of weeks as a PNG: a row for each zone with its categories, or for each region of a place with the mark of its worst condition."""
    ordered = sorted(weeks, key=lambda week: week.number)
    rows: list[tuple[str, list[Heat]]] = (
        [(zone.label, [_zone_heat(zone, week, book) for week in ordered]) for zone in book.zones.values()]
        if place is None
        else [(region.label, [_region_heat(region, week, book) for week in ordered]) for region in regions_of(place)]
    )
    about = f"Weather of {place.label}" if place else "Weather"
    return heat_map(f"{about}, week by week", [str(week.number) for week in ordered], rows)


def _zone_heat(zone: Zone, week: Week, book: Book) -> Heat:
    outcome, worst = week.zones.get(zone.id), _worst(week, zone.regions, book)
    return Heat(_short(outcome) if outcome else "", worst.severity if worst else None)


def _region_heat(region: Region, week: Week, book: Book) -> Heat:
    worst = _worst(week, (region,), book)
    return Heat(worst.mark if worst else "", worst.severity if worst else None)


def _worst(week: Week, regions: Iterable[Region], book: Book) -> Condition | None:
    """Return the most severe condition that any of the regions had, of those that the book knows."""
    traits = (trait for region in regions for trait in week.conditions(region.id))
    known = [book.conditions[trait] for trait in traits if trait in book.conditions]
    return max(known, key=lambda condition: condition.severity, default=None)


def _short(outcome: str) -> str:
    """Return a category in two or three letters: G, 3, 6W."""
    return "".join(word[0] if word.isalpha() else word for word in category_label(outcome).split())
