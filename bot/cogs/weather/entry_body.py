"""What entries about the weather keep, as the ledger has it. Zones, regions, categories and conditions stand by label."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NotRequired, TypedDict, cast, final

from bot.core.entry_kinds import Body


class RegionWords(TypedDict):
    """The conditions of a region in words."""

    label: str
    labels: list[str]


class LandChange(TypedDict):
    """Whether a region was land, and is now."""

    before: bool
    after: bool


class CellDefault(TypedDict, total=False):
    """What the book has for a cell where the campaign has something else."""

    conditions: list[str]
    land: bool


@final
class WeekSet(TypedDict):
    """A zone's category that was set by hand; `opening` when nothing was known of that week.

    `newer` has the first and the last of the later weeks that stay as they were rolled.
    """

    deed: Literal["set"]
    week: int
    zone: str
    before: str | None
    after: str
    regions: list[RegionWords]
    opening: bool
    newer: NotRequired[list[int] | None]


@final
class CategoryChanged(TypedDict):
    """Another meaning of a category in a region, in words, and whether that region is land."""

    deed: Literal["edit"]
    zone: str
    outcome: str
    region: str
    before: list[str]
    after: list[str]
    land: LandChange | None
    default: NotRequired[CellDefault]


WeatherChange = WeekSet | CategoryChanged
"""The body of an entry about the weather that is no roll."""


def shared(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return what holds, in the order in which it is first met, with the names of those for whom it does."""
    names: dict[str, list[str]] = {}
    for words, name in pairs:
        names.setdefault(words, []).append(name)
    return names


def weather_change(body: Body) -> WeatherChange:
    """Return the body of an entry of the kind `weather`."""
    return cast("WeatherChange", body)
