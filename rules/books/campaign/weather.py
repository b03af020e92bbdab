"""Weather: one d20 per zone and week, then the Flood Watches due (campaign-rolls, lines 166-266)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from rules import errors, stages, tables
from rules.book import Book, Region, Zone
from rules.climate import FLOOD, WARNED, RegionAccount, WeekAccount, ZoneAccount, category_id, worst_condition
from rules.modifiers import Facts, KnownFact, Origin
from rules.odds import table_odds
from rules.procedure import Conclusion, Part, PartResult, Policy, Procedure, Resolution, Stage, WeighedStage

PlaceT = TypeVar("PlaceT", Zone, Region)

FAMILY = "weather"
WATCH = "campaign.flood-watch"
ZONE_TABLES = tuple(
    f"campaign.weather.{zone}" for zone in ("south-africa", "north-africa", "south-asia", "australia", "antarctic")
)
NO_FLOOD = "no-flood"
STORMS, SEVERE_STORMS = "storms", "severe-storms"
WET = frozenset({"overcast", STORMS, SEVERE_STORMS})
"""Conditions in which the upper half of the Flood Watch floods too (line 265)."""


class Week(Struct, frozen=True):
    """A week's weather: outcomes by zone, conditions by region, Flood Watch rows.

    Zones never rolled or set are missing.
    """

    number: int
    zones: Mapping[str, str]
    regions: Mapping[str, tuple[str, ...]]
    watches: Mapping[str, str] = field(default_factory=dict)

    def is_flooded(self, region: str) -> bool:
        """Return whether the region has Mud/Flood."""
        row = self.watches.get(region)
        return row == FLOOD or (row is not None and _is_wet(self.regions.get(region, ())))

    def conditions(self, region: str) -> tuple[str, ...]:
        """Return a region's conditions, Mud/Flood last."""
        return self.regions.get(region, ()) + ((FLOOD,) if self.is_flooded(region) else ())

    def with_outcome(self, zone: Zone, outcome: str) -> Week:
        """Return the week with another outcome in a zone; its regions' conditions follow."""
        zones = {**self.zones, zone.id: outcome}
        return replace(self, zones=zones, regions={**self.regions, **zone.climate[outcome]})


class WeekRange(Struct, frozen=True):
    """The first and last known week, without gaps; the last `rolled` of them were rolled."""

    first: int
    last: int
    rolled: int

    def value(self) -> dict[str, int]:
        """Return it as the state keeps it."""
        return {"first": self.first, "last": self.last, "rolled": self.rolled}

    @classmethod
    def with_rolled(cls, known: WeekRange | None, number: int) -> WeekRange:
        """Add the next rolled week."""
        return cls(known.first if known else number, number, (known.rolled if known else 0) + 1)

    @classmethod
    def with_set(cls, known: WeekRange | None, number: int) -> WeekRange:
        """Return the range with a week set by hand, which may come before the first."""
        return cls(min(number, known.first), known.last, known.rolled) if known else cls(number, number, 0)

    def find_weeks_after(self, number: int) -> list[int] | None:
        """Return the first and last rolled week after this one, if any."""
        first = max(number, self.last - self.rolled) + 1
        return [first, self.last] if first <= self.last else None

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last


class Watch(Struct, frozen=True):
    """A Flood Watch that is due, and the weeks that call for it."""

    zone: Zone
    region: Region
    trait: str
    weeks: tuple[int, ...]


class ZoneForecast(Struct, frozen=True):
    """A zone's next roll, and the chance of each outcome."""

    zone: Zone
    weighed: WeighedStage
    odds: Mapping[str, Fraction]


class RegionForecast(Struct, frozen=True):
    """The chance of each condition in a region next week, and of Mud/Flood."""

    zone: Zone
    region: Region
    odds: Mapping[str, Fraction]
    flood: Fraction


class Forecast(Struct, frozen=True, dict=True):
    """The next week before its dice; `carried` are facts of the last one."""

    number: int
    zones: tuple[ZoneForecast, ...]
    watches: tuple[Watch, ...]
    watch: tables.RollTable | None
    carried: Facts

    @cached_property
    def regions(self) -> tuple[RegionForecast, ...]:
        """Forecasts by region, computed when read."""
        return tuple(self._region(item, region) for item in self.zones for region in item.zone.regions)

    def _region(self, item: ZoneForecast, region: Region) -> RegionForecast:
        due = any(watch.region.id == region.id for watch in self.watches)
        odds: dict[str, Fraction] = {}
        flood = Fraction(0)
        for outcome, chance in item.odds.items():
            conditions = item.zone.climate[outcome][region.id]
            flood += chance * self._find_flood_chance(conditions) if due else 0
            for trait in conditions:
                odds[trait] = odds.get(trait, Fraction(0)) + chance
        return RegionForecast(item.zone, region, odds, flood)

    def _find_flood_chance(self, conditions: Sequence[str]) -> Fraction:
        if self.watch is None or _is_wet(conditions):
            return Fraction(1)
        # In dry weather only the lower half floods, and modifiers may ask for last week and this sky.
        part = Part(WATCH, {}, {**self.carried, **_sky(conditions)})
        weighed = stages.weigh_stage(Stage(self.watch), part, first=True)
        return table_odds(self.watch, weighed.sum).get(FLOOD, Fraction(0))


def _is_wet(conditions: Sequence[str]) -> bool:
    return not WET.isdisjoint(conditions)


def list_carried_facts(last: Week, book: Book) -> dict[str, KnownFact]:
    """Return last week's outcomes that modifiers know (lines 256-261, WE-5)."""
    origin = Origin("weather", f"weather, week {last.number}")
    facts = (f"last-week.{zone}-{category_id(outcome)}" for zone, outcome in last.zones.items())
    return {fact: KnownFact(1, origin) for fact in facts if fact in book.facts}


def due_watches(book: Book, past: Sequence[Week]) -> tuple[Watch, ...]:
    """Return the Flood Watches due after these weeks, newest first (lines 262 and 263; WE-8 to WE-10)."""
    if WATCH not in book.tables:  # a game of one's own has none
        return ()
    numbers = book.table(WATCH).numbers
    most, more = numbers["weeks-of-severe-storms"].value, numbers["weeks-of-storms"].value
    watches: list[Watch] = []
    for zone in book.zones.values():
        for region in zone.regions:
            severe = _list_weeks(past, most, region, SEVERE_STORMS) if region.severe_storms_flood else ()
            weeks = severe or _list_weeks(past, more, region, STORMS)
            # The sea doesn't flood; what is land is a house default that a campaign may change.
            if weeks and region.land:
                watches.append(Watch(zone, region, SEVERE_STORMS if severe else STORMS, weeks))
    return tuple(watches)


def rollover_subjects(book: Book, watches: Sequence[Watch]) -> tuple[dict[str, str], ...]:
    """Return the subjects of a rollover: zones, then watched regions."""
    zones = [{"zone": zone.label} for zone in book.zones.values()]
    return (*zones, *({"zone": watch.zone.label, "region": watch.region.label} for watch in watches))


def week_of(resolution: Resolution, book: Book, number: int) -> Week:
    """Return the week that a rollover made."""
    week = Week(number, {}, {})
    watches: dict[str, str] = {}
    for result in resolution.parts:
        outcome = result.on_tables[-1].row.outcome
        if "region" in result.part.subjects:
            watches[_region(book, result.part).id] = outcome
        else:
            week = week.with_outcome(_zone(book, result.part), outcome)
    return replace(week, watches=watches)


def forecast(book: Book, past: Sequence[Week], number: int) -> Forecast:
    """Return the odds of the next week; `past` is newest first."""
    facts = list_carried_facts(past[0], book) if past else {}
    zones: list[ZoneForecast] = []
    for zone in book.zones.values():
        table = book.table(zone.table)
        weighed = stages.weigh_stage(Stage(table), Part(zone.label, {"zone": zone.label}, facts), first=True)
        zones.append(ZoneForecast(zone, weighed, table_odds(table, weighed.sum)))
    return Forecast(number, tuple(zones), due_watches(book, past), book.tables.get(WATCH), facts)


def _sky(conditions: Sequence[str]) -> dict[str, KnownFact]:
    origin = Origin("weather", "weather, this week")
    return {f"weather.{trait}": KnownFact(1, origin) for trait in conditions}


def _list_weeks(past: Sequence[Week], count: int, region: Region, trait: str) -> tuple[int, ...]:
    weeks = [week.number for week in past[:count] if trait in week.regions.get(region.id, ())]
    return tuple(weeks) if len(weeks) == count else ()


def _zone(book: Book, part: Part) -> Zone:
    return _find_labelled(part.subjects["zone"], book.zones.values())


def _region(book: Book, part: Part) -> Region:
    return _find_labelled(part.subjects["region"], _zone(book, part).regions)


def _find_labelled(label: str, places: Iterable[PlaceT]) -> PlaceT:
    known = {place.label: place for place in places}
    if label not in known:
        raise errors.UnknownOption(label, known)
    return known[label]


def _plan(part: Part, book: Book) -> Stage:
    return Stage(book.table(WATCH if "region" in part.subjects else _zone(book, part).table))


def _carry_weather(part: Part, before: Sequence[PartResult], book: Book) -> Part:
    zone = {"zone": part.subjects["zone"]}
    rolled = next((item for item in before if item.part.subjects == zone), None)
    if "region" not in part.subjects or rolled is None or rolled.conclusion is None:
        return part
    conditions = _zone(book, part).climate[rolled.conclusion.outcome][_region(book, part).id]
    return replace(part, facts={**part.facts, **_sky(conditions)})


def _conclude(part: Part, rows: Sequence[tables.TableRow]) -> Conclusion:
    row = rows[-1]
    if "region" not in part.subjects:
        return Conclusion(row.outcome, row.text, row.tone, "results", row.then)
    soaked = any(f"weather.{trait}" in part.facts for trait in WET)
    if row.outcome == FLOOD or soaked:
        text = "Mud/Flood" if row.outcome == FLOOD else "Mud/Flood, the weather being wet"
        return Conclusion(FLOOD, text, "danger", "results", (tables.Consequence(FLOOD, "region"),))
    return Conclusion(NO_FLOOD, "No Mud/Flood", "success", "results")


PROCEDURE = Procedure(
    family=FAMILY,
    title="Weather",
    actor="zone",
    subject="region",
    headline="Flood Watch in {region}",
    headline_alone="Weather of {zone}",
    method=stages.TableMethod((*ZONE_TABLES, WATCH), _conclude, _plan),
    carry=_carry_weather,
    policy=Policy(on_request=False),
)


def make_own_procedure(zone_tables: Sequence[str]) -> Procedure:
    """Return a game's weather by these tables."""
    return replace(PROCEDURE, method=stages.TableMethod(tuple(dict.fromkeys(zone_tables)), _conclude, _plan))


class Rollover(Struct, frozen=True):
    """A rolled week, the weeks known with it, and its account."""

    week: Week
    known: WeekRange
    account: WeekAccount


def make_rollover(
    resolution: Resolution, book: Book, number: int, before: Week | None, known: WeekRange | None
) -> Rollover:
    """Return the week, range and account that a resolved rollover makes; `before` is last week."""
    week = week_of(resolution, book, number)
    return Rollover(week, WeekRange.with_rolled(known, number), describe_week(week, before, book))


def describe_week(week: Week, before: Week | None, book: Book) -> WeekAccount:
    """Return a week's account for the ledger, with changes since the last."""
    zones: list[ZoneAccount] = []
    for zone in book.zones.values():
        regions = [_describe_region(region, week, before, book) for region in zone.regions]
        zones.append({"id": zone.id, "label": zone.label, "outcome": week.zones.get(zone.id), "regions": regions})
    account = WeekAccount(week=week.number, last=None if before is None else before.number, zones=zones)
    return account if WATCH in book.tables else {**account, "dry": True}


def _describe_region(region: Region, week: Week, before: Week | None, book: Book) -> RegionAccount:
    conditions = week.conditions(region.id)
    earlier = before.conditions(region.id) if before is not None else ()
    now = worst_condition(week.regions.get(region.id, ()), book)
    then = worst_condition(before.regions.get(region.id, ()), book) if before is not None else None
    severities = [book.conditions[trait].severity for trait in conditions if trait in book.conditions]
    return {
        "id": region.id,
        "label": region.label,
        "land": region.land,
        "severity": max(severities, default=None),
        "conditions": list(conditions),
        "labels": _labels(conditions, book),
        "was": _labels(earlier, book) if earlier and earlier != conditions else None,
        "had": list(earlier),
        "warning": now.label if now and now.severity >= WARNED else None,
        "turned": now.severity - then.severity if now and then else 0,
    }


def _labels(traits: tuple[str, ...], book: Book) -> list[str]:
    return [book.conditions[trait].label if trait in book.conditions else trait for trait in traits]
