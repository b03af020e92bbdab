"""What a rollover comes to: the week that was rolled, which weeks are known with it, and what is told of it."""

from __future__ import annotations

from msgspec import Struct

from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import RegionAccount, WeekAccount, ZoneAccount
from rules.books.campaign.severity import WARNED, worst
from rules.books.campaign.weather import Week, WeekRange, week_of
from rules.procedure import Resolution


class Rollover(Struct, frozen=True):
    """What a rollover comes to: the week, which weeks are known with it, and what is told of it."""

    week: Week
    known: WeekRange
    account: WeekAccount


def rollover(resolution: Resolution, book: Book, number: int, before: Week | None, known: WeekRange | None) -> Rollover:
    """Return what the resolution of a week (`number`) comes to, after the week before; None while none is known."""
    week = week_of(resolution, book, number)
    return Rollover(week, WeekRange.with_rolled(known, number), describe_week(week, before, book))


def describe_week(week: Week, before: Week | None, book: Book) -> WeekAccount:
    """Return a week's weather for the ledger and for people: labels beside ids, and what changed since the week before."""
    zones = [_zone(zone, week, before, book) for zone in book.zones.values()]
    return {"week": week.number, "last": None if before is None else before.number, "zones": zones}


def _zone(zone: Zone, week: Week, before: Week | None, book: Book) -> ZoneAccount:
    return {
        "id": zone.id,
        "label": zone.label,
        "outcome": week.zones.get(zone.id),
        "regions": [_region(region, week, before, book) for region in zone.regions],
    }


def _region(region: Region, week: Week, before: Week | None, book: Book) -> RegionAccount:
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
        "warning": _warning(week, region, book),
        "turned": _turned(week, before, region, book),
    }


def _warning(week: Week, region: Region, book: Book) -> str | None:
    """Return a region's most severe weather in words, where it is to be warned of."""
    found = worst(week.regions.get(region.id, ()), book)
    return found.label if found and found.severity >= WARNED else None


def _turned(week: Week, before: Week | None, region: Region, book: Book) -> int:
    """Return by how many steps of severity a region's weather is worse than the week before, Mud/Flood left out."""
    now = worst(week.regions.get(region.id, ()), book)
    then = worst(before.regions.get(region.id, ()), book) if before is not None else None
    return now.severity - then.severity if now and then else 0


def _labels(traits: tuple[str, ...], book: Book) -> list[str]:
    return [book.conditions[trait].label if trait in book.conditions else trait for trait in traits]
