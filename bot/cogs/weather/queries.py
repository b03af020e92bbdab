"""The weather in the state, and facts from it."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from itertools import takewhile
from typing import Self, TypedDict, TypeVar

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, unknown_name
from bot.core.library import CLIMATE, Library
from bot.core.profiles import Profile
from bot.core.state import CAMPAIGN_STATE, WEATHER
from bot.rolls.request import RollRequest
from bot.rolls.situation import RollContext, find_home
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import WATCH, Forecast, Week, WeekRange, describe_week, forecast, list_carried_facts
from rules.climate import Climate, RegionWeather, WeekAccount, category_label, place_labels
from rules.modifiers import KnownFact, Origin
from rules.subjects import name_key


class WeekValue(TypedDict):
    """A week in the state; `rolled_at` is ISO, UTC."""

    zones: dict[str, str]
    regions: dict[str, list[str]]
    watches: dict[str, str]
    entry: int
    rolled_at: str | None
    changed: int | None


class StoredWeek(Struct, frozen=True):
    """A week, the entry that made it, and the one that last `changed` it; `rolled_at` is None if set by hand."""

    week: Week
    entry: int
    rolled_at: datetime | None
    changed: int | None = None

    @classmethod
    def from_value(cls, number: int, value: WeekValue) -> Self:
        """Read a week from its value in the state."""
        regions = {region: tuple(traits) for region, traits in value["regions"].items()}
        at = value["rolled_at"]
        week = Week(number, value["zones"], regions, value["watches"])
        return cls(week, value["entry"], None if at is None else datetime.fromisoformat(at), value["changed"])

    @classmethod
    def with_outcome(cls, before: Self | None, number: int, zone: Zone, outcome: str, entry: int) -> Self:
        """Return the week `before` with a zone's category set by hand."""
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
    """Return a week's name in the state."""
    return f"week.{number}"


def read_weeks(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, StoredWeek]:
    """Read the known weeks of these numbers."""
    values = state.get_values_named(tx, campaign_id, {WEATHER}, {week_name(number) for number in numbers})
    keys = {number: (WEATHER, week_name(number)) for number in numbers}
    return {number: StoredWeek.from_value(number, values[key]) for number, key in keys.items() if key in values}


def find_span(tx: Connection, campaign_id: int) -> WeekRange | None:
    """Return which weeks are known; None without any."""
    value = state.get_value(tx, campaign_id, CAMPAIGN_STATE, WEATHER)
    return None if value is None else WeekRange(value["first"], value["last"], value["rolled"])


def read_climate(tx: Connection, campaign_id: int) -> Climate:
    """Read the campaign's changes to its book's climate."""
    return Climate.from_value(state.get_value(tx, campaign_id, CAMPAIGN_STATE, CLIMATE))


def read_past(tx: Connection, campaign_id: int, number: int, count: int) -> list[Week]:
    """Return up to `count` known weeks before a number, newest first, until one is missing."""
    wanted = [earlier for earlier in range(number - 1, number - 1 - count, -1) if earlier >= 0]
    weeks = read_weeks(tx, campaign_id, wanted)
    return [weeks[earlier].week for earlier in takewhile(weeks.__contains__, wanted)]


MAX_WEEKS = 52
MAX_NAMED = 6

T = TypeVar("T")


class Report(Struct, frozen=True):
    """A week's weather: described with the change since the week before, and as stored."""

    account: WeekAccount
    stored: StoredWeek
    book: Book


class History(Struct, frozen=True):
    """Known weeks, newest first, with the weather book."""

    weeks: tuple[Week, ...]
    book: Book


class CategoryMeanings(Struct, frozen=True):
    """What categories mean, and the campaign's changes."""

    book: Book
    climate: Climate


def week_report(tx: Connection, library: Library, campaign: Campaign, number: int | None) -> Report:
    """Read a week, the newest by default."""
    book = weather_book(tx, library, campaign)
    known = find_span(tx, campaign.id)
    if known is None:
        raise BadInput(
            f"{campaign.name} has no weather yet.", "A game master starts it with /weather rollover or /weather set."
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
    """Read the newest `count` weeks."""
    newest = week_report(tx, library, campaign, None)
    return History(tuple(read_past(tx, campaign.id, newest.account["week"] + 1, count)), newest.book)


def next_forecast(tx: Connection, library: Library, campaign: Campaign) -> tuple[Forecast, Book]:
    """Return exact odds of the week after the newest, and the weather book."""
    book = weather_book(tx, library, campaign)
    known = find_span(tx, campaign.id)
    number = 1 if known is None else known.last + 1
    reach = max((item.value for item in book.table(WATCH).numbers.values()), default=1) if WATCH in book.tables else 1
    return forecast(book, read_past(tx, campaign.id, number, reach), number), book


def read_meanings(tx: Connection, library: Library, campaign: Campaign) -> CategoryMeanings:
    """Read what the categories mean."""
    return CategoryMeanings(weather_book(tx, library, campaign), read_climate(tx, campaign.id))


def has_weather(book: Book) -> bool:
    """Check for tables of weather, which borrowed zones lack."""
    return bool(book.zones) and all(zone.table in book.tables for zone in book.zones.values())


def weather_book(tx: Connection, library: Library, campaign: Campaign) -> Book:
    """Return the book with weather, in its local climate."""
    for name in campaign.books:
        book = library.book(tx, campaign, name)
        if has_weather(book):
            return library.local(book, read_climate(tx, campaign.id))
    raise BadInput(
        f"None of the books of {campaign.name} has weather.",
        "A game master can switch on the book campaign with /gm settings books, or give your game zones with /gm rules.",
    )


def find_zone(book: Book, typed: str) -> Zone:
    """Find a zone by name."""
    return _find_by_name(typed, _zones(book), [zone.label for zone in book.zones.values()], "weather zone")


def find_region(book: Book, typed: str) -> tuple[Zone, Region]:
    """Find a region by name, with its zone."""
    return _find_by_name(typed, book.places, [region.label for _, region in book.places.values()], "region")


def find_place(book: Book, typed: str) -> Zone | Region:
    """Find a zone or else region by name."""
    labels = place_labels(book)
    regions: dict[str, Zone | Region] = {name: region for name, (_, region) in book.places.items()}
    named = {name_key(label): place for label, place in labels.items()}
    return _find_by_name(typed, regions | named | _zones(book), labels, "zone or region")


def find_outcome(zone: Zone, named: str, book: Book) -> str:
    """Return a category's id from words such as category-6-west, 6, 6 West, good."""
    if (outcome := match_outcome(zone, named, book)) is not None:
        return outcome
    names = [category_label(row.outcome) for row in book.table(zone.table).rows]
    do = f"Pick one of: {', '.join(names)}."
    raise unknown_name(f"{zone.label} has no category {named!r}.", _category_key(named), names, do)


def match_outcome(zone: Zone, named: str, book: Book) -> str | None:
    """Return a category's id as `find_outcome` does; None if the zone has no such category."""
    wanted = _category_key(named)
    rows = book.table(zone.table).rows
    return next((row.outcome for row in rows if wanted == name_key(category_label(row.outcome))), None)


def _category_key(named: str) -> str:
    return name_key(named.replace("-", " ")).removeprefix("category ")


def _zones(book: Book) -> dict[str, Zone]:
    return {name: zone for zone in book.zones.values() for name in (zone.id, name_key(zone.label))}


def _find_by_name(typed: str, known: Mapping[str, T], labels: Iterable[str], what: str) -> T:
    wanted = name_key(typed)
    if wanted in known:
        return known[wanted]
    few = [*labels]
    do = f"Pick one of: {', '.join(few)}." if len(few) <= MAX_NAMED else "Pick one from the list while you type."
    raise unknown_name(f"I don't know the {what} {typed!r}.", wanted, few, do)


def weather_of_region(tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part, weather facts of the region or of a home; a secret home's are secret."""
    return [
        _facts(there, Origin("weather", f"weather, week {there.week}", there.entry), secret=False)
        if there.region
        else _find_home_facts(tx, context, find_home(context.procedure, part))
        for there, part in zip(context.skies, context.profiles_by_role, strict=True)
    ]


def carry_over(tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part, facts that the week before carries over."""
    week = None if context.procedure.policy.on_request else context.request.week
    last = [] if week is None else read_past(tx, context.campaign.id, week, 1)
    facts = list_carried_facts(last[0], context.book) if last else {}
    return [facts for _ in context.request.parts]


def _find_home_facts(tx: Connection, context: RollContext, at: Profile | None) -> dict[str, KnownFact]:
    if at is None or not at.secret or not context.procedure.policy.on_request:
        return {}
    there = sky(tx, context.campaign, context.book, context.request, at.region)
    return _facts(
        there, Origin("weather", f"weather at {at.name}, week {there.week}", there.entry), secret=context.hides(at)
    )


def _facts(there: RegionWeather, origin: Origin, *, secret: bool) -> dict[str, KnownFact]:
    return {f"weather.{trait}": KnownFact(1, origin, secret=secret) for trait in there.conditions}


def sky(tx: Connection, campaign: Campaign, book: Book, request: RollRequest, region: str | None) -> RegionWeather:
    """Return a region's weather in the roll's week; without conditions if unknown."""
    if region is None:
        return RegionWeather()
    week = _choose_week(request.week, find_span(tx, campaign.id))
    _, place = book.places.get(name_key(region), (None, None))
    if place is None or week is None:
        return RegionWeather(region, place)
    stored = read_weeks(tx, campaign.id, [week]).get(week)
    if stored is None or place.id not in stored.week.regions:
        return RegionWeather(place.label, place)
    return RegionWeather(place.label, place, week, stored.week.conditions(place.id), stored.changed or stored.entry)


def _choose_week(number: int | None, known: WeekRange | None) -> int | None:
    if number is None:
        return None if known is None else known.last
    if known is None or number not in known:
        there = f"Pick a week from {known.first} to {known.last}." if known else "Roll one with /weather rollover."
        raise BadInput(f"I don't know the weather of week {number}.", there)
    return number
