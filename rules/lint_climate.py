"""Faults that show when conditions and climates are held against facts, zones and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from rules.draft import BookDraft, ClimateDraft, TableDraft
from rules.errors import Fault
from rules.explain import suggestion
from rules.schema import ZoneItem

_FLOOD = "mud-flood"
Severities = Mapping[str, int]


def lint_climate(draft: BookDraft, facts: Collection[str] | None) -> Iterator[Fault]:
    """Everything wrong with conditions and climates; `facts` are all that are declared, None when that is not known."""
    if facts is not None:
        yield from _undeclared(draft, facts)
    if not draft.zones.whole:
        return
    climates = [climate.zone for climate in draft.climates]
    zones = {zone.id: zone for zone in draft.zones}
    for zone in draft.zones:
        if zone.id not in climates and draft.climates.whole:
            what = f'no climate: write [[climate]] with zone = "{zone.id}" and the conditions of its regions'
            yield zone.place.fault(f"zone {zone.id}: {what}")
    tables = {table.id: table for table in draft.tables if table.rows.whole}
    severities = {item.trait: item.severity for item in draft.conditions} if draft.conditions.whole else None
    for climate in draft.climates:
        if climate.zone in zones:
            zone = zones[climate.zone]
            yield from _cells(climate, zone, severities)
            if zone.table in tables:
                yield from _outcomes(climate, tables[zone.table])
                yield from _lacking(climate, zone, tables[zone.table])
        else:
            what = f"unknown zone {climate.zone}{suggestion(climate.zone, zones)}"
            yield climate.place.at("zone").fault(f"climate {climate.zone}: {what}")


def _undeclared(draft: BookDraft, facts: Collection[str]) -> Iterator[Fault]:
    """A condition is a fact of the weather."""
    traits = [fact.removeprefix("weather.") for fact in facts if fact.startswith("weather.")]
    for item in draft.conditions:
        if item.trait not in traits:
            mend = suggestion(item.trait, traits) or ': declare it under facts, with roles = ["weather"]'
            yield item.place.fault(f"condition {item.trait}: undeclared fact weather.{item.trait}{mend}")


def _outcomes(climate: ClimateDraft, table: TableDraft) -> Iterator[Fault]:
    """A row must be of an outcome of the zone's table; one that an overlay took from the table may be left over."""
    known = [row.outcome for row in table.rows]
    for row in climate.rows:
        left_over = table.changed and row.place.document is not table.changed.document
        if row.outcome not in known and not left_over:
            yield row.place.fault(f"row {row.outcome}: unknown outcome {row.outcome}{suggestion(row.outcome, known)}")


def _lacking(climate: ClimateDraft, zone: ZoneItem, table: TableDraft) -> Iterator[Fault]:
    """Every outcome of the zone's table must be told for every region of the zone."""
    if not climate.rows.whole:
        return
    told = {row.outcome: row.regions for row in climate.rows}
    regions = [region.id for region in zone.regions]
    lacking = []
    for row in table.rows:
        missing = [region for region in regions if region not in told.get(row.outcome, {})]
        if missing:
            lacking.append(f"{row.outcome} ({'all regions' if missing == regions else ', '.join(missing)})")
    if lacking:
        place = table.where() if table.changed else climate.place
        what = f'no conditions for {"; ".join(lacking)}: write them, as in {regions[0]} = ["good"]'
        yield place.fault(f"climate {climate.zone}: {what}")


def _cells(climate: ClimateDraft, zone: ZoneItem, severities: Severities | None) -> Iterator[Fault]:
    known = [region.id for region in zone.regions]
    for row in climate.rows:
        for region, traits in row.regions.items():
            if region not in known:
                yield row.place.fault(f"row {row.outcome}: unknown region {region}{suggestion(region, known)}")
            for what in _cell(traits, severities):
                yield row.place.fault(f"row {row.outcome}: {region}: {what}")


def _cell(traits: Sequence[str], severities: Severities | None) -> Iterator[str]:
    """What is wrong with the conditions of one region; `severities` are those of all conditions, None when not known."""
    if not traits:
        yield 'no condition: write at least one, as in ["good"]'
    for trait in dict.fromkeys(traits):
        if traits.count(trait) > 1:
            yield f"{trait} stands there twice: write it once"
        if trait == _FLOOD:
            yield f"{trait} comes from a Flood Watch alone: leave it out"
        elif severities is not None and trait not in severities:
            mend = suggestion(trait, severities) or ": declare it under conditions, with trait, severity and mark"
            yield f"undeclared condition {trait}{mend}"
        elif severities and severities[trait] == 0 and len(set(traits)) > 1:
            yield f"{trait} stands beside other conditions: write it alone or leave it out"
