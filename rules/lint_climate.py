"""Faults that show when conditions and climates are held against facts, zones and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from rules.book import Region, Zone
from rules.climate import FLOOD
from rules.draft import BookDraft
from rules.errors import Fault
from rules.lines import Place
from rules.phrases import suggestion
from rules.schema import ClimateItem
from rules.table_draft import TableDraft

_WATCH = "campaign.flood-watch"
_LONGEST_ID = 40
"""Characters of an outcome, zone or region: two of them stand in the id of a window, which Discord allows 100."""
_LONGEST_LABEL = 90
"""Characters of a zone or region, which Discord offers with up to 100 while somebody types; some are told apart behind it."""
_LONGEST_OPTION, _MOST_OPTIONS = 100, 25
"""What Discord takes of the label of something to pick, and of things to pick from."""

Severities = Mapping[str, int]


def lint_climate(draft: BookDraft, facts: Collection[str] | None) -> Iterator[Fault]:
    """Yield everything wrong with conditions and climates; `facts` are all that are declared, None when that is not known."""
    if facts is not None:
        yield from _undeclared(draft, facts)
    yield from _pickable(draft)
    yield from _places(draft)
    if not draft.zones.whole:
        return
    climates = [climate.zone for climate in draft.climates]
    zones = {zone.id: zone for zone in draft.zones}
    for zone, place in draft.zones.placed():
        if zone.id not in climates and draft.climates.whole:
            what = f'no climate: write [[climate]] with zone = "{zone.id}" and the conditions of its regions'
            yield place.fault(f"zone {zone.id}: {what}")
    tables = {table.id: table for table in draft.tables if table.rows.whole}
    yield from _rows(draft, tables)
    severities = {item.trait: item.severity for item in draft.conditions} if draft.conditions.whole else None
    for climate, place in draft.climates.placed():
        if climate.zone in zones:
            zone = zones[climate.zone]
            yield from _cells(climate, zone, severities)
            if zone.table in tables:
                yield from _outcomes(climate, tables[zone.table])
                yield from _lacking(climate, place, zone, tables[zone.table])
        else:
            what = f"unknown zone {climate.zone}{suggestion(climate.zone, zones)}"
            yield place.at("zone").fault(f"climate {climate.zone}: {what}")


def _undeclared(draft: BookDraft, facts: Collection[str]) -> Iterator[Fault]:
    """Check that each condition is a fact of the weather."""
    traits = [fact.removeprefix("weather.") for fact in facts if fact.startswith("weather.")]
    for item, place in draft.conditions.placed():
        if item.trait not in traits:
            mend = suggestion(item.trait, traits) or ': declare it under facts, with roles = ["weather"]'
            yield place.fault(f"condition {item.trait}: undeclared fact weather.{item.trait}{mend}")


def _pickable(draft: BookDraft) -> Iterator[Fault]:
    """Check that the conditions of a cell can be picked from one list, which Discord keeps short."""
    picked = [item for item in draft.conditions.items if item.name != FLOOD]
    # One fault, at the first that is too many.
    for item in picked[_MOST_OPTIONS : _MOST_OPTIONS + 1]:
        what = f"one too many: at most {_MOST_OPTIONS} can be picked from, Mud/Flood aside: leave {len(picked) - _MOST_OPTIONS} out"
        yield item.place.fault(f"condition {item.name}: {what}")
    traits = {item.trait for item in draft.conditions}
    for fact, place in draft.facts.placed():
        if fact.trait in traits and "weather" in fact.roles:
            yield from _too_long(place, f"fact {fact.trait}: label", fact.label, _LONGEST_OPTION)


def _places(draft: BookDraft) -> Iterator[Fault]:
    """Check that what zones and regions are called fits where Discord shows it."""
    for zone, place in draft.zones.placed():
        yield from _named(place, "zone", zone)
        for index, region in enumerate(zone.regions):
            yield from _named(place.at("regions", index), "region", region)


def _named(place: Place, kind: str, item: Zone | Region) -> Iterator[Fault]:
    yield from _too_long(place, f"{kind} {item.id}: id", item.id, _LONGEST_ID)
    yield from _too_long(place, f"{kind} {item.id}: label", item.label, _LONGEST_LABEL)


def _rows(draft: BookDraft, tables: Mapping[str, TableDraft]) -> Iterator[Fault]:
    """Check what weather asks of the rows of its tables."""
    named = {zone.table for zone in draft.zones}
    for table in (table for name, table in tables.items() if name in named):
        for row, place in table.rows.placed():
            yield from _too_long(table.where(place), f"row {row.outcome}: outcome", row.outcome, _LONGEST_ID)
    if named and _WATCH in tables:
        yield from _flooding(tables[_WATCH])


def _too_long(place: Place, what: str, text: str, limit: int) -> Iterator[Fault]:
    if len(text) > limit:
        yield place.fault(f"{what} of {len(text)} characters is too long: write at most {limit}")


def _flooding(watch: TableDraft) -> Iterator[Fault]:
    """Check that the Flood Watch has the row that floods in any weather, which is known by its outcome."""
    if FLOOD not in [row.outcome for row in watch.rows]:
        what = f"no row with the outcome {FLOOD}, by which Mud/Flood comes in any weather: write one"
        yield watch.where().fault(f"table {watch.id}: {what}")


def _outcomes(climate: ClimateItem, table: TableDraft) -> Iterator[Fault]:
    """Check that each row is of an outcome of the zone's table; one that an overlay took from the table may be left over."""
    known = [row.outcome for row in table.rows]
    for row, place in climate.cells.placed():
        # An overlay that removes a row of the table need not name the climate's cells of it.
        left_over = table.changed and place.document is not table.changed.document
        if row.outcome not in known and not left_over:
            yield place.fault(f"row {row.outcome}: unknown outcome {row.outcome}{suggestion(row.outcome, known)}")


def _lacking(climate: ClimateItem, at: Place, zone: Zone, table: TableDraft) -> Iterator[Fault]:
    """Check that every outcome of the zone's table is told for every region of the zone."""
    if not climate.cells.whole:
        return
    conditions = {row.outcome: row.regions for row in climate.cells}
    regions = [region.id for region in zone.regions]
    lacking = []
    for row in table.rows:
        missing = [region for region in regions if region not in conditions.get(row.outcome, {})]
        if missing:
            lacking.append(f"{row.outcome} ({'all regions' if missing == regions else ', '.join(missing)})")
    if lacking:
        place = table.where() if table.changed else at
        what = f'no conditions for {"; ".join(lacking)}: write them, as in {regions[0]} = ["good"]'
        yield place.fault(f"climate {climate.zone}: {what}")


def _cells(climate: ClimateItem, zone: Zone, severities: Severities | None) -> Iterator[Fault]:
    known = [region.id for region in zone.regions]
    for row, place in climate.cells.placed():
        for region, traits in row.regions.items():
            if region not in known:
                yield place.fault(f"row {row.outcome}: unknown region {region}{suggestion(region, known)}")
            for what in _cell(traits, severities):
                yield place.fault(f"row {row.outcome}: {region}: {what}")


def _cell(traits: Sequence[str], severities: Severities | None) -> Iterator[str]:
    """Yield what is wrong with the conditions of one region; `severities` are those of all conditions, None when not known."""
    if not traits:
        yield 'no condition: write at least one, as in ["good"]'
    for trait in dict.fromkeys(traits):
        if traits.count(trait) > 1:
            yield f"{trait} is listed twice: write it once"
        if trait == FLOOD:
            yield f"{trait} comes from a Flood Watch alone: leave it out"
        elif severities is not None and trait not in severities:
            mend = suggestion(trait, severities) or ": declare it under conditions, with trait, severity and mark"
            yield f"undeclared condition {trait}{mend}"
        elif severities and severities[trait] == 0 and len(set(traits)) > 1:
            yield f"{trait} excludes other conditions: write it alone or leave it out"
