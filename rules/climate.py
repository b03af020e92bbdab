"""A book's climate: zones, how severe weather is, and a week of it in the ledger."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NotRequired, Self, TypedDict

from msgspec import Struct, field

from rules.book import Book, Condition, Region, Zone
from rules.modifiers import JsonObject

GOOD = "good"
"""Good weather, which excludes any other condition."""
FLOOD: Literal["mud-flood"] = "mud-flood"
"""Mud/Flood, which only a Flood Watch brings: the condition, and the watch's row that brings it in any weather."""
_CATEGORY = "category-"
Cell = tuple[str, str]
"""An outcome of a zone's table, and a region of that zone."""


class RegionWeather(Struct, frozen=True):
    """The weather where a roll takes place; `place` and `week` are None if unknown.

    Ledger entry `entry` last set its `conditions`.
    """

    region: str | None = None
    place: Region | None = None
    week: int | None = None
    conditions: tuple[str, ...] = ()
    entry: int | None = None


class Climate(Struct, frozen=True):
    """A campaign's changes to a book's climate."""

    cells: Mapping[Cell, tuple[str, ...]] = field(default_factory=dict)
    land: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def from_value(cls, value: JsonObject | None) -> Self:
        """Read the changes from JSON."""
        if value is None:
            return cls()
        parted = ((key.partition("/"), traits) for key, traits in value["cells"].items())
        return cls({(outcome, region): tuple(traits) for (outcome, _, region), traits in parted}, value["land"])

    def value(self) -> dict[str, object]:
        """Return the changes as JSON."""
        cells = {"/".join(cell): list(traits) for cell, traits in self.cells.items()}
        return {"cells": cells, "land": dict(self.land)}


def category_id(outcome: str) -> str:
    """Shorten an outcome: `category-6-west` to 6-west."""
    return outcome.removeprefix(_CATEGORY)


def category_label(outcome: str) -> str:
    """Return a short label: `category-6-west` is 6 West."""
    return category_id(outcome).replace("-", " ").title()


def category_phrase(outcome: str, mark: str = "") -> str:
    """Return an outcome for a sentence; `mark` surrounds the name."""
    return f"{'category ' if outcome.startswith(_CATEGORY) else ''}{mark}{category_label(outcome)}{mark}"


def condition_label(book: Book, trait: str) -> str:
    """Return a condition in words, even a removed one."""
    return book.conditions[trait].label if trait in book.conditions else trait.replace("-", " ")


def label_conditions(traits: Sequence[str], labels: Sequence[str], *, flood: bool = True) -> list[str]:
    """Return labels, without good weather if Mud/Flood is there; with `flood=False` without Mud/Flood instead."""
    silent = FLOOD if not flood else GOOD if FLOOD in traits else None
    return [label for trait, label in zip(traits, labels, strict=True) if trait != silent]


def place_labels(book: Book) -> dict[str, Zone | Region]:
    """Return zones and regions by label; a region with a zone's label gets ` (region)`."""
    labels: dict[str, Zone | Region] = {zone.label: zone for zone in book.zones.values()}
    shared = set(labels)
    for zone in book.zones.values():
        for region in zone.regions:
            labels[f"{region.label} (region)" if region.label in shared else region.label] = region
    return labels


WARNED = 3
"""From which severity people are warned."""
_UNRATED = 2


def worst_condition(traits: Iterable[str], book: Book) -> Condition | None:
    """Return the most severe known condition."""
    known = (book.conditions[trait] for trait in traits if trait in book.conditions)
    return max(known, key=lambda condition: condition.severity, default=None)


def sort_worst_first(traits: Iterable[str], book: Book) -> list[str]:
    """Return conditions, each once, most severe first."""
    severity = {trait: book.conditions[trait].severity if trait in book.conditions else _UNRATED for trait in traits}
    return sorted(severity, key=lambda trait: -severity[trait])


class RegionAccount(TypedDict):
    """A region's week; `was` and `had` are last week's labels and traits.

    `warning` is a label to warn of; `turned` is how many steps worse it is, without Mud/Flood. Old entries lack these.
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
    """A zone's week; `outcome` is None if unknown."""

    id: str
    label: str
    outcome: str | None
    regions: list[RegionAccount]


class WeekAccount(TypedDict):
    """A week of weather; `last` is the week before. `dry`: its rules know no Flood Watch."""

    week: int
    last: NotRequired[int | None]
    dry: NotRequired[bool]
    zones: list[ZoneAccount]


def list_places(account: WeekAccount) -> Iterator[tuple[ZoneAccount, RegionAccount]]:
    """Yield a (zone, region) pair for every region of the week."""
    return ((zone, place) for zone in account["zones"] for place in zone["regions"])


def conditions_before(place: RegionAccount) -> Sequence[str]:
    """Return last week's traits of a region; from old entries labels, or nothing."""
    return place.get("had", place["was"] or [])
