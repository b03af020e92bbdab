"""Looking weather up: a week, the weeks before, what may come next, and what the categories mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from bot.cogs.weather import store
from bot.cogs.weather.store import StoredWeek
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.library import Library
from bot.errors import BadInput
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import WATCH, Forecast, Week, forecast
from rules.climate import Cell, Climate, category_label, place_labels
from rules.errors import nearest

MAX_WEEKS = 52

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Report:
    """A week's weather as it is told, in the terms of the ledger's account, and how it is kept."""

    told: Mapping[str, Any]
    kept: StoredWeek
    book: Book


@dataclass(frozen=True, slots=True)
class History:
    """Weeks of weather, newest first."""

    weeks: tuple[Week, ...]
    book: Book


@dataclass(frozen=True, slots=True)
class Meanings:
    """What the categories mean in a campaign, and which cells it has changed."""

    book: Book
    climate: Climate

    @property
    def edited(self) -> frozenset[Cell]:
        """The cells, by outcome and region, that the campaign has changed."""
        return frozenset(self.climate.cells)

    @property
    def moved(self) -> frozenset[str]:
        """The regions that are land or sea in the campaign's own way."""
        return frozenset(self.climate.land)


class Almanac:
    """Reads the weather of campaigns."""

    def __init__(self, database: Database, library: Library) -> None:
        self._database = database
        self._library = library

    async def week(self, campaign: Campaign, number: int | None) -> Report:
        """A week; the newest unless numbered.

        Raises:
            BadInput: it is not known, or the campaign has no weather.

        """
        return await self._database.read(lambda tx: self._week(tx, campaign, number))

    async def history(self, campaign: Campaign, count: int) -> History:
        """The newest weeks, at most `count`.

        Raises:
            BadInput: no week is known, or the campaign has no weather.

        """
        return await self._database.read(lambda tx: self._history(tx, campaign, count))

    async def forecast(self, campaign: Campaign) -> tuple[Forecast, Book]:
        """The exact odds of the week after the newest.

        Raises:
            BadInput: the campaign has no weather.

        """
        return await self._database.read(lambda tx: self.ahead(tx, campaign))

    async def meanings(self, campaign: Campaign) -> Meanings:
        """What the categories mean.

        Raises:
            BadInput: the campaign has no weather.

        """
        return await self._database.read(lambda tx: Meanings(self.book(tx, campaign), store.climate(tx, campaign.id)))

    def ahead(self, tx: Connection, campaign: Campaign) -> tuple[Forecast, Book]:
        """The forecast of the week after the newest, by the campaign's own climate."""
        book = self.book(tx, campaign)
        span = store.span(tx, campaign.id)
        number = 1 if span is None else span.last + 1
        reach = max(item.value for item in book.table(WATCH).numbers.values())
        return forecast(book, store.past(tx, campaign.id, number, reach), number), book

    def book(self, tx: Connection, campaign: Campaign) -> Book:
        """The book whose weather the campaign plays by, with the campaign's own climate.

        Raises:
            BadInput: none of its books has weather.

        """
        for name in campaign.books:
            book = self._library.book(tx, campaign, name)
            if book.zones:
                return self._library.local(book, store.climate(tx, campaign.id))
        raise BadInput(
            f"None of the books of {campaign.name} has weather.",
            "The book campaign has: a game master can switch it on with /campaign edit books.",
        )

    def _week(self, tx: Connection, campaign: Campaign, number: int | None) -> Report:
        book = self.book(tx, campaign)
        span = store.span(tx, campaign.id)
        if span is None:
            raise BadInput(
                f"{campaign.name} has no weather yet.",
                "A game master rolls the first week with /weather rollover, or sets how it stands with /weather set.",
            )
        wanted = span.last if number is None else number
        found = store.read(tx, campaign.id, [wanted, wanted - 1])
        if wanted not in found:
            raise BadInput(f"Week {wanted} has no weather.", f"Known are weeks {span.first} to {span.last}.")
        before = found.get(wanted - 1)
        return Report(told(found[wanted].week, before.week if before else None, book), found[wanted], book)

    def _history(self, tx: Connection, campaign: Campaign, count: int) -> History:
        report = self._week(tx, campaign, None)
        newest = report.told["week"]
        return History(tuple(store.past(tx, campaign.id, newest + 1, count)), report.book)


def told(week: Week, before: Week | None, book: Book) -> dict[str, Any]:
    """A week's weather for the ledger's account and for people: labels beside ids, and what changed since the week before."""
    zones = [_zone(zone, week, before, book) for zone in book.zones.values()]
    return {"week": week.number, "last": None if before is None else before.number, "zones": zones}


def find_zone(book: Book, typed: str) -> Zone:
    """The zone that is meant by a name.

    Raises:
        BadInput: there is none.

    """
    return _named(typed, _zones(book), [zone.label for zone in book.zones.values()], "weather zone")


def find_region(book: Book, typed: str) -> tuple[Zone, Region]:
    """The region that is meant by a name, with its zone.

    Raises:
        BadInput: there is none.

    """
    return _named(typed, book.places, [region.label for _, region in book.places.values()], "region")


def find_place(book: Book, typed: str) -> Zone | Region:
    """The zone or region that is meant by a name; the zone where both have it.

    Raises:
        BadInput: there is neither.

    """
    labels = place_labels(book)
    regions: dict[str, Zone | Region] = {name: region for name, (_, region) in book.places.items()}
    named = {label.casefold(): place for label, place in labels.items()}
    return _named(typed, regions | named | _zones(book), labels, "zone or region")


def find_outcome(zone: Zone, named: str, book: Book) -> str:
    """The outcome of a zone's table that is meant by an id, a number or a short name: category-6-west, 6, 6 West, good.

    Raises:
        BadInput: its table has none such.

    """
    known = {row.outcome: category_label(row.outcome) for row in book.table(zone.table).rows}
    wanted = " ".join(named.replace("-", " ").split()).casefold().removeprefix("category ")
    for outcome, short in known.items():
        if wanted == short.casefold():
            return outcome
    close = nearest(wanted, known.values())
    hint = f"Did you mean {close}?" if close else f"There are: {', '.join(known.values())}."
    raise BadInput(f"{zone.label} has no category {named!r}.", hint)


def _zones(book: Book) -> dict[str, Zone]:
    """Every zone by its id and by its label in lower case."""
    return {name: zone for zone in book.zones.values() for name in (zone.id, zone.label.casefold())}


def _named(typed: str, known: Mapping[str, T], labels: Iterable[str], what: str) -> T:
    """What is known by a name in lower case; the labels are what a near miss is told."""
    wanted = " ".join(typed.split()).casefold()
    if wanted in known:
        return known[wanted]
    close = nearest(wanted, labels)
    hint = f"Did you mean {close}?" if close else "Pick one of those that are offered while you type."
    raise BadInput(f"The weather knows no {what} {typed!r}.", hint)


def _zone(zone: Zone, week: Week, before: Week | None, book: Book) -> dict[str, Any]:
    return {
        "id": zone.id,
        "label": zone.label,
        "outcome": week.zones.get(zone.id),
        "regions": [_region(region, week, before, book) for region in zone.regions],
    }


def _region(region: Region, week: Week, before: Week | None, book: Book) -> dict[str, Any]:
    conditions = week.conditions(region.id)
    earlier = before.conditions(region.id) if before is not None else ()
    return {
        "id": region.id,
        "label": region.label,
        "land": region.land,
        "severity": max(
            (book.conditions[trait].severity for trait in conditions if trait in book.conditions), default=None
        ),
        "conditions": list(conditions),
        "labels": _labels(conditions, book),
        "was": _labels(earlier, book) if earlier and earlier != conditions else None,
        "had": list(earlier),
    }


def _labels(traits: tuple[str, ...], book: Book) -> list[str]:
    return [book.conditions[trait].label if trait in book.conditions else trait for trait in traits]
