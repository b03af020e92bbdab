"""The weather of each week and a campaign's own climate, as its state keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Self, TypedDict

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import state
from bot.core.library import CLIMATE
from bot.core.state import CAMPAIGN_STATE, WEATHER
from rules.book import Zone
from rules.books.campaign.weather import Week, WeekRange
from rules.climate import Climate


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


def read(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, StoredWeek]:
    """Return the weeks of these numbers that are known."""
    values = state.named(tx, campaign_id, {WEATHER}, {week_name(number) for number in numbers})
    keys = {number: (WEATHER, week_name(number)) for number in numbers}
    return {number: StoredWeek.from_value(number, values[key]) for number, key in keys.items() if key in values}


def span(tx: Connection, campaign_id: int) -> WeekRange | None:
    """Return which weeks are known; None while there is none."""
    value = state.get(tx, campaign_id, CAMPAIGN_STATE, WEATHER)
    return None if value is None else WeekRange(value["first"], value["last"], value["rolled"])


def climate(tx: Connection, campaign_id: int) -> Climate:
    """Return what the campaign has changed of its book's climate."""
    return Climate.from_value(state.get(tx, campaign_id, CAMPAIGN_STATE, CLIMATE))


def past(tx: Connection, campaign_id: int, number: int, count: int) -> list[Week]:
    """Return the weeks just before a number, newest first, as far back as they are known without a gap, at most `count`."""
    wanted = [earlier for earlier in range(number - 1, number - 1 - count, -1) if earlier >= 0]
    weeks = read(tx, campaign_id, wanted)
    return [weeks[earlier].week for earlier in _unbroken(wanted, weeks)]


def _unbroken(numbers: Iterable[int], known: Collection[int]) -> Iterable[int]:
    for number in numbers:
        if number not in known:
            return
        yield number
