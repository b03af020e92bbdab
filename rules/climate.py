"""A book's climate: what the categories of a zone mean, how severe weather is, and a week of it as the ledger keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NotRequired, Self, TypedDict

from msgspec import Struct, field

from rules.book import Book, Condition, Region, Zone
from rules.modifiers import JsonObject

GOOD = "good"
"""Good weather, which goes with no other condition."""

FLOOD: Literal["mud-flood"] = "mud-flood"
"""Mud/Flood, which a Flood Watch alone brings: the condition, and the row of the Flood Watch that brings it in any weather."""

_CATEGORY = "category-"

Cell = tuple[str, str]
"""An outcome of a zone's table, and a region of that zone."""


class Sky(Struct, frozen=True):
    """What the weather says of the region that a roll names: `place` is None where it knows no such region.

    `week` is None while that region has no weather; `conditions` are traits, `entry` is the ledger's that set them last.
    """

    region: str | None = None
    place: Region | None = None
    week: int | None = None
    conditions: tuple[str, ...] = ()
    entry: int | None = None


class Climate(Struct, frozen=True):
    """What a campaign has changed of a book's climate: cells by outcome and region, and which regions are land."""

    cells: Mapping[Cell, tuple[str, ...]] = field(default_factory=dict)
    land: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def from_value(cls, value: JsonObject | None) -> Self:
        """Return the changes that `value` has made JSON of; None are none."""
        if value is None:
            return cls()
        return cls({_cell(key): tuple(traits) for key, traits in value["cells"].items()}, value["land"])

    def value(self) -> dict[str, object]:
        """Return the changes as JSON has them."""
        cells = {"/".join(cell): list(traits) for cell, traits in self.cells.items()}
        return {"cells": cells, "land": dict(self.land)}


def category_id(outcome: str) -> str:
    """Return what tells an outcome of a zone's table from its others: `category-6-west` is 6-west, `good` is good."""
    return outcome.removeprefix(_CATEGORY)


def category_label(outcome: str) -> str:
    """Return an outcome of a zone's table in short: `category-6-west` is 6 West, `good` is Good."""
    return category_id(outcome).replace("-", " ").title()


def category_phrase(outcome: str, mark: str = "") -> str:
    """Return an outcome as a sentence has it: category 6 West, but Good; `mark` stands around what tells it from others."""
    return f"{'category ' if outcome.startswith(_CATEGORY) else ''}{mark}{category_label(outcome)}{mark}"


def condition_label(book: Book, trait: str) -> str:
    """Return a condition in words, also one that the book has no more."""
    return book.conditions[trait].label if trait in book.conditions else trait.replace("-", " ")


def _cell(key: str) -> Cell:
    outcome, _, region = key.partition("/")
    return outcome, region


def spoken_conditions(traits: Sequence[str], labels: Sequence[str], *, flood: bool = True) -> list[str]:
    """Return conditions in words: where there is Mud/Flood, good weather is not named beside it; or all but Mud/Flood."""
    silent = FLOOD if not flood else GOOD if FLOOD in traits else None
    return [label for trait, label in zip(traits, labels, strict=True) if trait != silent]


def place_labels(book: Book) -> dict[str, Zone | Region]:
    """Return every zone and region by its label; a region that shares the label of a zone says that it is one."""
    labels: dict[str, Zone | Region] = {zone.label: zone for zone in book.zones.values()}
    shared = set(labels)
    for zone in book.zones.values():
        for region in zone.regions:
            labels[f"{region.label} (region)" if region.label in shared else region.label] = region
    return labels


WARNED = 3
"""How severe a condition is that people are warned of."""

UNRATED = 2
"""How severe a condition counts that the book has no more."""


def worst_condition(traits: Iterable[str], book: Book) -> Condition | None:
    """Return the most severe of some conditions, of those that the book knows."""
    known = (book.conditions[trait] for trait in traits if trait in book.conditions)
    return max(known, key=lambda condition: condition.severity, default=None)


def sort_worst_first(traits: Iterable[str], book: Book) -> list[str]:
    """Return conditions, each once, the most severe first."""
    severity = {trait: book.conditions[trait].severity if trait in book.conditions else UNRATED for trait in traits}
    return sorted(severity, key=lambda trait: -severity[trait])


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


def list_places(account: WeekAccount) -> Iterator[tuple[ZoneAccount, RegionAccount]]:
    """Return every region of a week, with its zone."""
    return ((zone, place) for zone in account["zones"] for place in zone["regions"])


def conditions_before(place: RegionAccount) -> Sequence[str]:
    """Return the conditions of a region the week before; their labels where an entry tells no more."""
    return place.get("had", place["was"] or [])
