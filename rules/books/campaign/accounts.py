"""A week of weather told, as the ledger keeps it: labels beside ids, and what changed since the week before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NotRequired, TypedDict


class RegionAccount(TypedDict):
    """A region's week: its conditions by trait and label, and those of the week before.

    `was` has the labels of the week before where that was other weather, `had` its traits. `warning` is the worst
    condition's label where that is one to be warned of, and `turned` by how many steps of severity the weather grew worse
    since the week before, below 0 where it grew better; both without Mud/Flood. Old entries leave these three out.
    """

    id: str
    label: str
    land: bool
    severity: int | None
    conditions: list[str]
    labels: list[str]
    was: list[str] | None
    had: NotRequired[list[str]]
    warning: NotRequired[str | None]
    turned: NotRequired[int]


class ZoneAccount(TypedDict):
    """A zone's week: its outcome, None while it is not known, and its regions."""

    id: str
    label: str
    outcome: str | None
    regions: list[RegionAccount]


class WeekAccount(TypedDict):
    """A week of weather; `last` is the number of the week before where that is known."""

    week: int
    last: NotRequired[int | None]
    zones: list[ZoneAccount]


def places(account: WeekAccount) -> Iterator[tuple[ZoneAccount, RegionAccount]]:
    """Return every region of a week, with its zone."""
    return ((zone, place) for zone in account["zones"] for place in zone["regions"])


def had(place: RegionAccount) -> Sequence[str]:
    """Return the conditions of a region the week before; their labels where an entry tells no more."""
    return place.get("had", place["was"] or [])
