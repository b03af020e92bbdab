"""Looking weather up: a week, the weeks before, what may come next, and what the categories mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.weather import store
from bot.cogs.weather.store import StoredWeek
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.errors import BadInput, unknown_name
from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import WeekAccount
from rules.books.campaign.rollover import describe_week
from rules.books.campaign.weather import WATCH, Forecast, Week, forecast
from rules.climate import Climate, category_label, place_labels
from rules.subjects import name_key

MAX_WEEKS = 52

T = TypeVar("T")


class Report(Struct, frozen=True):
    """A week's weather in the terms of the ledger's account, and how it is stored."""

    account: WeekAccount
    stored: StoredWeek
    book: Book


class History(Struct, frozen=True):
    """Weeks of weather, newest first."""

    weeks: tuple[Week, ...]
    book: Book


class Meanings(Struct, frozen=True):
    """What the categories mean in a campaign, and which cells it has changed."""

    book: Book
    climate: Climate

    @property
    def moved(self) -> frozenset[str]:
        """The regions that are land or sea in the campaign's own way."""
        return frozenset(self.climate.land)


def week_report(tx: Connection, library: Library, campaign: Campaign, number: int | None) -> Report:
    """Return a week; the newest unless numbered.

    Raises:
        BadInput: it is not known, or the campaign has no weather.

    """
    book = weather_book(tx, library, campaign)
    known = store.span(tx, campaign.id)
    if known is None:
        raise BadInput(
            f"{campaign.name} has no weather yet.",
            "A game master starts it with /weather rollover or /weather set.",
        )
    wanted = known.last if number is None else number
    weeks = store.read(tx, campaign.id, [wanted, wanted - 1])
    if wanted not in weeks:
        raise BadInput(
            f"I don't know the weather of week {wanted}.", f"Pick a week from {known.first} to {known.last}."
        )
    before = weeks.get(wanted - 1)
    account = describe_week(weeks[wanted].week, before.week if before else None, book)
    return Report(account, weeks[wanted], book)


def history(tx: Connection, library: Library, campaign: Campaign, count: int) -> History:
    """Return the newest weeks, at most `count`."""
    newest = week_report(tx, library, campaign, None)
    return History(tuple(store.past(tx, campaign.id, newest.account["week"] + 1, count)), newest.book)


def next_forecast(tx: Connection, library: Library, campaign: Campaign) -> tuple[Forecast, Book]:
    """Return the exact odds of the week after the newest, by the campaign's own climate."""
    book = weather_book(tx, library, campaign)
    known = store.span(tx, campaign.id)
    number = 1 if known is None else known.last + 1
    reach = max(item.value for item in book.table(WATCH).numbers.values())
    return forecast(book, store.past(tx, campaign.id, number, reach), number), book


def meanings(tx: Connection, library: Library, campaign: Campaign) -> Meanings:
    """Return what the categories mean."""
    return Meanings(weather_book(tx, library, campaign), store.climate(tx, campaign.id))


def weather_book(tx: Connection, library: Library, campaign: Campaign) -> Book:
    """Return the book whose weather the campaign plays by, with the campaign's own climate."""
    for name in campaign.books:
        book = library.book(tx, campaign, name)
        if book.zones:
            return library.local(book, store.climate(tx, campaign.id))
    raise BadInput(
        f"None of the books of {campaign.name} has weather.",
        "A game master can switch on the book campaign with /campaign edit books.",
    )


def find_zone(book: Book, typed: str) -> Zone:
    """Return the zone that is meant by a name."""
    return _named(typed, _zones(book), [zone.label for zone in book.zones.values()], "weather zone")


def find_region(book: Book, typed: str) -> tuple[Zone, Region]:
    """Return the region that is meant by a name, with its zone."""
    return _named(typed, book.places, [region.label for _, region in book.places.values()], "region")


def find_place(book: Book, typed: str) -> Zone | Region:
    """Return the zone or region that is meant by a name; the zone where both have it."""
    labels = place_labels(book)
    regions: dict[str, Zone | Region] = {name: region for name, (_, region) in book.places.items()}
    named = {name_key(label): place for label, place in labels.items()}
    return _named(typed, regions | named | _zones(book), labels, "zone or region")


def find_outcome(zone: Zone, named: str, book: Book) -> str:
    """Return the outcome of a zone's table that is meant by an id, a number or a short name: category-6-west, 6, 6 West, good."""
    known = {row.outcome: category_label(row.outcome) for row in book.table(zone.table).rows}
    wanted = name_key(named.replace("-", " ")).removeprefix("category ")
    for outcome, short in known.items():
        if wanted == name_key(short):
            return outcome
    names = known.values()
    raise unknown_name(f"{zone.label} has no category {named!r}.", wanted, names, f"Pick one of: {', '.join(names)}.")


def _zones(book: Book) -> dict[str, Zone]:
    """Return every zone by its id and by its label, as names are compared."""
    return {name: zone for zone in book.zones.values() for name in (zone.id, name_key(zone.label))}


def _named(typed: str, known: Mapping[str, T], labels: Iterable[str], what: str) -> T:
    """Return what is known by a name, as names are compared; a near miss is told one of the labels."""
    wanted = name_key(typed)
    if wanted in known:
        return known[wanted]
    offered = "Pick one from the list while you type."
    raise unknown_name(f"I don't know the {what} {typed!r}.", wanted, labels, offered)
