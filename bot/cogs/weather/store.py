"""The weather of each week and a campaign's own climate, as its state keeps them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from sqlalchemy import Connection

from bot.core import state
from bot.core.library import CLIMATE
from bot.core.state import CAMPAIGN_STATE, State
from rules.books.campaign.weather import Week
from rules.climate import Climate

WEATHER = "weather"
"""The subject of all weeks; under the campaign itself, the name of which weeks there are."""


@dataclass(frozen=True, slots=True)
class WeekRange:
    """The weeks whose weather is known: from `first` to `last`, none missing; the newest `rolled` of them were rolled."""

    first: int
    last: int
    rolled: int

    @classmethod
    def of(cls, held: State) -> Self | None:
        """The span as the campaign's state has it; None while no week is known."""
        value = held.get((CAMPAIGN_STATE, WEATHER))
        return None if value is None else cls(value["first"], value["last"], value["rolled"])

    def value(self) -> dict[str, int]:
        """The span as the state keeps it."""
        return {"first": self.first, "last": self.last, "rolled": self.rolled}

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last


@dataclass(frozen=True, slots=True)
class StoredWeek:
    """A week as it is kept: its weather, the entry that made it, and when it was rolled (None: set by hand).

    `changed` is the entry that set something in it last, None while it is as it was made.
    """

    week: Week
    entry: int
    rolled_at: datetime | None
    changed: int | None = None

    def value(self) -> dict[str, Any]:
        """The week as the state keeps it."""
        return {
            "zones": dict(self.week.zones),
            "regions": {region: list(traits) for region, traits in self.week.regions.items()},
            "watches": dict(self.week.watches),
            "entry": self.entry,
            "rolled_at": None if self.rolled_at is None else self.rolled_at.isoformat(),
            "changed": self.changed,
        }


def week_name(number: int) -> str:
    """The name under which a week stands in the state."""
    return f"week.{number}"


def read(tx: Connection, campaign_id: int, numbers: Collection[int]) -> dict[int, StoredWeek]:
    """The weeks of these numbers that are known."""
    held = state.named(tx, campaign_id, {WEATHER}, {week_name(number) for number in numbers})
    return {number: _kept(number, held[key]) for number in numbers if (key := (WEATHER, week_name(number))) in held}


def span(tx: Connection, campaign_id: int) -> WeekRange | None:
    """Which weeks are known; None while there is none."""
    return WeekRange.of(state.named(tx, campaign_id, {CAMPAIGN_STATE}, {WEATHER}))


def climate(tx: Connection, campaign_id: int) -> Climate:
    """What the campaign has changed of its book's climate."""
    return Climate.from_value(state.get(tx, campaign_id, CAMPAIGN_STATE, CLIMATE))


def past(tx: Connection, campaign_id: int, number: int, count: int) -> list[Week]:
    """The weeks just before a number, newest first, as far back as they are known without a gap, at most `count`."""
    wanted = [earlier for earlier in range(number - 1, number - 1 - count, -1) if earlier >= 0]
    found = read(tx, campaign_id, wanted)
    return [found[earlier].week for earlier in _unbroken(wanted, found)]


def _unbroken(numbers: Iterable[int], found: Collection[int]) -> Iterable[int]:
    for number in numbers:
        if number not in found:
            return
        yield number


def _kept(number: int, value: Mapping[str, Any]) -> StoredWeek:
    regions = {region: tuple(traits) for region, traits in value["regions"].items()}
    at = value["rolled_at"]
    week = Week(number, value["zones"], regions, value["watches"])
    return StoredWeek(week, value["entry"], None if at is None else datetime.fromisoformat(at), value["changed"])
