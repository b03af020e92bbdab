"""A campaign's own climate: what a game master changes of the conditions and of land and sea, laid over a book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules.book import Book, Zone
from rules.dump import fingerprint

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
