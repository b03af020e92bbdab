"""A book with a campaign's own climate."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rules.book import Zone
from rules.climate import Cell, Climate
from rules.dump import fingerprint
from rules.ruleset import RuleSet


def amend(rules: RuleSet, climate: Climate) -> RuleSet:
    """Return the book with other conditions in some cells and other regions on land, under a fingerprint of its own.

    What speaks of outcomes, regions or conditions that the book does not have any more is left out.
    """
    cells = {cell: traits for cell, traits in climate.cells.items() if set(traits) <= rules.conditions.keys()}
    zones = {zone.id: _amend_zone(zone, cells, climate.land) for zone in rules.zones.values()}
    changed = replace(rules, zones=zones)
    return rules if zones == rules.zones else replace(changed, fingerprint=fingerprint(changed))


def _amend_zone(zone: Zone, cells: Mapping[Cell, tuple[str, ...]], land: Mapping[str, bool]) -> Zone:
    climate = {
        outcome: {region: cells.get((outcome, region), traits) for region, traits in regions.items()}
        for outcome, regions in zone.climate.items()
    }
    regions = tuple(replace(region, land=land.get(region.id, region.land)) for region in zone.regions)
    return replace(zone, regions=regions, climate=climate)
