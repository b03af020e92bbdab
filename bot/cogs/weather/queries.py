"""The weather as the state keeps it, week by week, and what is asked about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Self, TypedDict, TypeVar

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from bot.core.library import CLIMATE, Library
from bot.core.state import CAMPAIGN_STATE, WEATHER
from bot.errors import BadInput, unknown_name
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import WATCH, Forecast, Week, WeekRange, describe_week, forecast
from rules.climate import Climate, WeekAccount, category_label, place_labels
from rules.subjects import name_key


class WeekValue(TypedDict):
    """A week as the state keeps it; `rolled_at` is ISO, UTC."""

    zones: dict[str, str]
    regions: dict[str, list[str]]
    watches: dict[str, str]
    entry: int
    rolled_at: str | None
    changed: int | None


class StoredWeek(Struct, frozen=True):
    """A week as it is kept: its weather, the entry that made it, and when it was rolled (None: set by hand).

    `changed` is the entry that set something in it last, None while it is as it was made.
    """

    week: Week
    entry: int
    rolled_at: datetime | None
    changed: int | None = None

    @classmethod
    def from_value(cls, number: int, value: WeekValue) -> Self:
        """Return the week of a number from what the state keeps of it."""
        regions = {region: tuple(traits) for region, traits in value["regions"].items()}
        at = value["rolled_at"]
        week = Week(number, value["zones"], regions, value["watches"])
        return cls(week, value["entry"], None if at is None else datetime.fromisoformat(at), value["changed"])

    @classmethod
    def with_outcome(cls, before: Self | None, number: int, zone: Zone, outcome: str, entry: int) -> Self:
        """Return a week with a zone's outcome that an entry sets by hand."""
        if before is not None:
            return cls(before.week.with_outcome(zone, outcome), before.entry, before.rolled_at, changed=entry)
        return cls(Week(number, {}, {}).with_outcome(zone, outcome), entry, None)

    def value(self) -> WeekValue:
        """Return the week as the state keeps it."""
        return {
            "zones": dict(self.week.zones),
            "regions": {region: list(traits) for region, traits in self.week.regions.items()},
            "watches": dict(self.week.watches),
            "entry": self.entry,
            "rolled_at": None if self.rolled_at is None else self.rolled_at.isoformat(),
            "changed": self.changed,
        }


def week_name(number: int) -> str:
    """Return the name under which a week stands in the state."""
    return f"week.{number}"


def read_weeks(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, StoredWeek]:
    """Return the weeks of these numbers that are known."""
    values = state.get_values_named(tx, campaign_id, {WEATHER}, {week_name(number) for number in numbers})
    keys = {number: (WEATHER, week_name(number)) for number in numbers}
    return {number: StoredWeek.from_value(number, values[key]) for number, key in keys.items() if key in values}


def find_span(tx: Connection, campaign_id: int) -> WeekRange | None:
    """Return which weeks are known; None while there is none."""
    value = state.get_value(tx, campaign_id, CAMPAIGN_STATE, WEATHER)
    return None if value is None else WeekRange(value["first"], value["last"], value["rolled"])


def read_climate(tx: Connection, campaign_id: int) -> Climate:
    """Return what the campaign has changed of its book's climate."""
    return Climate.from_value(state.get_value(tx, campaign_id, CAMPAIGN_STATE, CLIMATE))


def read_past(tx: Connection, campaign_id: int, number: int, count: int) -> list[Week]:
    """Return the weeks just before a number, newest first, as far back as they are known without a gap, at most `count`."""
    wanted = [earlier for earlier in range(number - 1, number - 1 - count, -1) if earlier >= 0]
    weeks = read_weeks(tx, campaign_id, wanted)
    return [weeks[earlier].week for earlier in _unbroken(wanted, weeks)]


def _unbroken(numbers: Iterable[int], known: Collection[int]) -> Iterable[int]:
    for number in numbers:
        if number not in known:
            return
        yield number


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
    known = find_span(tx, campaign.id)
    if known is None:
        raise BadInput(
            f"{campaign.name} has no weather yet.",
            "A game master starts it with /weather rollover or /weather set.",
        )
    wanted = known.last if number is None else number
    weeks = read_weeks(tx, campaign.id, [wanted, wanted - 1])
    if wanted not in weeks:
        raise BadInput(
            f"I don't know the weather of week {wanted}.", f"Pick a week from {known.first} to {known.last}."
        )
    before = weeks.get(wanted - 1)
    account = describe_week(weeks[wanted].week, before.week if before else None, book)
    return Report(account, weeks[wanted], book)


def read_history(tx: Connection, library: Library, campaign: Campaign, count: int) -> History:
    """Return the newest weeks, at most `count`."""
    newest = week_report(tx, library, campaign, None)
    return History(tuple(read_past(tx, campaign.id, newest.account["week"] + 1, count)), newest.book)


def next_forecast(tx: Connection, library: Library, campaign: Campaign) -> tuple[Forecast, Book]:
    """Return the exact odds of the week after the newest, by the campaign's own climate."""
    book = weather_book(tx, library, campaign)
    known = find_span(tx, campaign.id)
    number = 1 if known is None else known.last + 1
    reach = max(item.value for item in book.table(WATCH).numbers.values())
    return forecast(book, read_past(tx, campaign.id, number, reach), number), book


def read_meanings(tx: Connection, library: Library, campaign: Campaign) -> Meanings:
    """Return what the categories mean."""
    return Meanings(weather_book(tx, library, campaign), read_climate(tx, campaign.id))


def weather_book(tx: Connection, library: Library, campaign: Campaign) -> Book:
    """Return the book whose weather the campaign plays by, with the campaign's own climate."""
    for name in campaign.books:
        book = library.book(tx, campaign, name)
        if book.zones:
            return library.local(book, read_climate(tx, campaign.id))
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
