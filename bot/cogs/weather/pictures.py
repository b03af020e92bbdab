"""Pictures of the weather: drawn in a thread, and left out when drawing fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.weather.embed import HISTORY_PICTURE, PICTURE, alt, history_alt, regions_of
from bot.cogs.weather.queries import Almanac
from bot.core import campaigns, entries
from bot.core.database import Database
from bot.outbox.store import Post
from bot.ui.picture import Picture
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.weather import Week
from rules.climate import FLOOD, category_label

Told = Mapping[str, Any]

log = logging.getLogger(__name__)


class Drawings:
    """Draws for messages and for queued posts."""

    def __init__(self, database: Database, almanac: Almanac) -> None:
        self._database = database
        self._almanac = almanac

    async def week(self, told: Told, book: Book) -> Picture | None:
        """The map of a week as it is told; None when it cannot be drawn."""
        return await _spared(PICTURE, _drawn(PICTURE, lambda: _map(told, book), lambda: alt(told)))

    async def history(self, weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> Picture | None:
        """The heat map of weeks, the oldest first: of all zones, the regions of one, or one region; None when it cannot be drawn."""
        drawn = _drawn(HISTORY_PICTURE, lambda: _heat(weeks, book, place), lambda: history_alt(weeks, book, place))
        return await _spared(HISTORY_PICTURE, drawn)

    async def post(self, item: Post) -> Picture | None:
        """What a queued post has a place for; None when it cannot be drawn."""
        return await _spared(PICTURE, self._post(item))

    async def _post(self, item: Post) -> Picture | None:
        found = await self._database.read(lambda tx: self._told(tx, item))
        return None if found is None else await self.week(*found)

    def _told(self, tx: Connection, item: Post) -> tuple[Told, Book] | None:
        campaign = campaigns.get(tx, item.campaign_id)
        entry = None if item.entry_number is None else entries.get(tx, item.campaign_id, item.entry_number)
        told = entry.content().get("weather") if entry is not None else None
        return (told, self._almanac.book(tx, campaign)) if campaign is not None and told else None


async def _drawn(name: str, draw: Callable[[], bytes], words: Callable[[], str]) -> Picture:
    return Picture(name, await asyncio.to_thread(draw), words())


async def _spared(name: str, work: Awaitable[Picture | None]) -> Picture | None:
    """Whatever goes wrong on the way to a picture is logged and costs the picture alone."""
    (found,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(found, BaseException):
        log.error("picture.failed", extra={"picture": name}, exc_info=found)
        return None
    return found


def _map(told: Told, book: Book) -> bytes:
    from bot.cogs.weather.weather_map import Tile, ZoneHead, weather_map  # noqa: PLC0415 - as above
    from bot.ui.pictures.tiles import FLOOD_MARK  # noqa: PLC0415 - Pillow loads with the first picture

    heads = [
        ZoneHead(zone["label"], category_label(zone["outcome"]) if zone["outcome"] else "?") for zone in told["zones"]
    ]
    spare = 1 + max((region.at[1] for _, region in book.places.values() if region.at), default=-1)
    tiles: list[Tile] = []
    marks: dict[str, str] = {}
    for row, zone in enumerate(told["zones"]):
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
    return weather_map(f"Weather of week {told['week']}", heads, tiles, list(marks.items()))


def _heat(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> bytes:
    """A row for each zone with its categories, or for each region of a place with the mark of its worst condition."""
    from bot.ui.pictures.heat_map import Heat, heat_map  # noqa: PLC0415 - as above

    ordered = sorted(weeks, key=lambda week: week.number)

    def zone_heat(zone: Zone, week: Week) -> Heat:
        outcome, worst = week.zones.get(zone.id), _worst(week, zone.regions, book)
        return Heat(_short(outcome) if outcome else "", worst.severity if worst else None)

    def region_heat(region: Region, week: Week) -> Heat:
        worst = _worst(week, (region,), book)
        return Heat(worst.mark if worst else "", worst.severity if worst else None)

    rows = (
        [(zone.label, [zone_heat(zone, week) for week in ordered]) for zone in book.zones.values()]
        if place is None
        else [(region.label, [region_heat(region, week) for week in ordered]) for region in regions_of(place)]
    )
    about = f"Weather of {place.label}" if place else "Weather"
    return heat_map(f"{about}, week by week", [str(week.number) for week in ordered], rows)


def _worst(week: Week, regions: Iterable[Region], book: Book) -> Condition | None:
    """The most severe condition that any of the regions had, of those that the book knows."""
    held = (trait for region in regions for trait in week.conditions(region.id))
    known = [book.conditions[trait] for trait in held if trait in book.conditions]
    return max(known, key=lambda condition: condition.severity, default=None)


def _short(outcome: str) -> str:
    """A category in two or three letters: G, 3, 6W."""
    return "".join(word[0] if word.isalpha() else word for word in category_label(outcome).split())
