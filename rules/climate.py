"""The conditions that have a meaning of their own, and a campaign's own climate, laid over a book: cells, land and sea."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from rules.book import Book, Zone
from rules.dump import fingerprint

GOOD = "good"
"""Good weather, which goes with no other condition."""

FLOOD: Literal["mud-flood"] = "mud-flood"
"""Mud/Flood, which a Flood Watch alone brings: the condition, and the row of the Flood Watch that brings it in any weather."""

Cell = tuple[str, str]
"""An outcome of a zone's table, and a region of that zone."""


def amend(book: Book, cells: Mapping[Cell, tuple[str, ...]], land: Mapping[str, bool]) -> Book:
    """The book with other conditions in some cells and other regions on land, under a fingerprint of its own.

    What speaks of outcomes, regions or conditions that the book does not have any more is left out.
    """
    known = {cell: traits for cell, traits in cells.items() if set(traits) <= book.conditions.keys()}
    zones = {zone.id: _amended(zone, known, land) for zone in book.zones.values()}
    changed = replace(book, zones=zones)
    return book if zones == book.zones else replace(changed, fingerprint=fingerprint(changed))


def _amended(zone: Zone, cells: Mapping[Cell, tuple[str, ...]], land: Mapping[str, bool]) -> Zone:
    climate = {
        outcome: {region: cells.get((outcome, region), traits) for region, traits in regions.items()}
        for outcome, regions in zone.climate.items()
    }
    regions = tuple(replace(region, land=land.get(region.id, region.land)) for region in zone.regions)
    return replace(zone, regions=regions, climate=climate)
