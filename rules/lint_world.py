"""Faults of traits, fields, effects, deeds and climates."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from rules import documents, items, lint_tables, subjects
from rules.book import Region, Trait, Zone
from rules.climate import FLOOD
from rules.draft import BookDraft, ClimateItem
from rules.errors import Fault
from rules.kinds import DRAWN, LARGEST
from rules.phrases import list_known, suggestion
from rules.tables import Consequence, ConsequenceKind

_LARGEST_GROUP = 25
"""The options a Discord select takes."""


def lint_traits(draft: BookDraft, facts: Collection[str] | None) -> Iterator[Fault]:
    """Yield faults of traits, effects and fields."""
    if facts is not None:
        yield from _find_undeclared_traits(draft, facts)
    yield from _check_groups(draft.traits)
    if draft.traits.whole:
        yield from _member_traits(draft.traits)
    if draft.traits.whole and draft.whole:
        yield from lint_tables.find_lone_alternatives(draft.traits.with_places())
    yield from _traits_and_effects(draft)
    for item, place in draft.fields.with_places():
        if item.id in {*subjects.KEPT, *subjects.REFERENCES, "entry", "update"}:
            yield place.fault(f"field {item.id}: everyone already has that: give it another id")
        yield from (place.fault(f"field {item.id}: {what}") for what in _field_problems(item))


def _field_problems(item: subjects.Field) -> Iterator[str]:
    low, high, words = item.min, item.max, set(map(subjects.word_id, item.options))
    if item.takes == "number" and (low is None or high is None or low > high):
        yield "a number needs its least and its most: write for example min = 0, max = 20"
    if item.takes != "number" and (item.zero or item.gives or {low, high} != {None}):
        yield "only a number has min, max, zero and gives: leave them out"
    if item.takes in {"number", "text"} and words:
        yield "only one-of and list have options: leave them out"
    if (item.takes == "one-of" and not words) or "" in words or len(words) < len(item.options):
        yield 'options are words that differ in their letters: write for example options = ["Novice", "Master"]'


def lint_deeds(draft: BookDraft) -> Iterator[Fault]:
    """Yield deeds without an end, unknown deeds, and missing amounts."""
    if not (draft.whole and draft.deeds.whole and draft.effects.whole):
        return
    effects = [item.trait for item in draft.effects]
    for item in draft.deeds.items:
        effect = item.value.effect
        if effect is not None and "end" not in item.written and effect not in effects:
            mend = suggestion(effect, effects) or ': write until = "update", or declare it under effects'
            yield item.place.fault(f"deed {item.name}: the effect {effect} doesn't say when it ends{mend}")
        yield from _lint_counting(item.value, item.place, draft)
        for text in (item.value.text, item.value.bare or ""):
            if strange := {*re.findall(r"{([^}]*)}", text)} - {"to", "amount"}:
                what = f"it names {{{min(strange)}}}, and there are only {{to}} and {{amount}}"
                yield item.place.fault(f"deed {item.name}: {what}")
    known = draft.deeds_by_id()
    for who, place, then in _list_consequences(draft):
        for done in then:
            deed = known.get(done.do)
            if deed is None:
                offered = list_known(sorted(name for name, item in known.items() if item.house))
                yield place.fault(f"{who}: unknown deed {done.do}{suggestion(done.do, known) or offered}")
            elif deed.amount is None and done.amount is None and (deed.most is not None or deed.counts is not None):
                most = LARGEST if deed.most is None else deed.most
                yield place.fault(f"{who}: {done.do} needs an amount: write amount = 0 to {most}")


def _lint_counting(deed: ConsequenceKind, place: documents.Place, draft: BookDraft) -> Iterator[Fault]:
    numbers = [item.id for item in draft.fields if item.takes == "number" and not item.gives]
    if deed.adds is not None and deed.takes is not None:
        yield place.fault(f"deed {deed.id}: it adds and takes: leave one out")
    if deed.counts is not None and deed.alone:
        yield place.fault(f"deed {deed.id}: alone, no number changes: leave alone out")
    if deed.counts is None:
        if deed.amount is not None or deed.per != 1:
            yield place.fault(f"deed {deed.id}: amount and per need adds or takes, with the field that changes")
    elif isinstance(deed.amount, str) and draft.facts.whole and deed.amount not in (known := _list_amounts(draft)):
        yield place.fault(
            f"deed {deed.id}: unknown amount {deed.amount}{suggestion(deed.amount, known) or list_known(known)}"
        )
    elif deed.counts not in numbers and draft.fields.whole:
        mend = suggestion(deed.counts, numbers) or ': declare it under fields, with takes = "number"'
        yield place.fault(f"deed {deed.id}: no field {deed.counts} takes a number{mend}")


def _list_amounts(draft: BookDraft) -> list[str]:
    return [*DRAWN, *dict.fromkeys(item.trait for item in draft.facts)]


def _list_consequences(draft: BookDraft) -> Iterator[tuple[str, documents.Place, Sequence[Consequence]]]:
    for table in draft.tables:
        yield from ((f"row {row.outcome}", table.where(place), row.then) for row, place in table.rows.with_places())
    yield from ((f"act {act.id}", place, act.then) for act, place in draft.acts.with_places())


def _find_undeclared_traits(draft: BookDraft, facts: Collection[str]) -> Iterator[Fault]:
    known = {fact.partition(".")[2] for fact in facts}
    named = [(f"trait {item.id}", item.id, place) for item, place in draft.traits.with_places()]
    named += [(f"effect {item.trait}", item.trait, place) for item, place in draft.effects.with_places()]
    named += [(f"field {item.id}", trait, place) for item, place in draft.fields.with_places() for trait in item.gives]
    for head, trait, place in named:
        if trait not in known:
            mend = suggestion(trait, known) or ": declare it under facts, with trait, label and roles"
            yield place.fault(f"{head}: no role declares a fact {trait}{mend}")


def _traits_and_effects(draft: BookDraft) -> Iterator[Fault]:
    traits = {item.name: item for item in draft.traits.items}
    for effect in draft.effects.items:
        if trait := traits.get(effect.name):
            # False sorts before True: the place under [overlay] is the larger, if there is one.
            place = max(effect.place, trait.place, key=lambda place: "overlay" in place.keys)
            what = "it is a trait too, and only one of them can say whether it is true: leave one out"
            yield place.fault(f"effect {effect.name}: {what}")


def _member_traits(traits: items.Items[Trait]) -> Iterator[Fault]:
    sound = [(item, place) for item, place in traits.with_places() if item.on]  # other faults are reported elsewhere
    personal = {item.id for item, _ in sound if "character" in item.on}
    for item, place in sound:
        if (item.of_any or item.of_all) and "unit" not in item.on:
            yield place.fault(f'trait {item.id}: no unit can carry it, though its members bring it: add "unit" to on')
        if item.of_all is not None and item.of_all not in personal:
            mend = suggestion(item.of_all, personal) or ": declare it under traits, for characters"
            yield place.fault(f"trait {item.id}: no character carries {item.of_all}{mend}")


def _check_groups(traits: items.Items[Trait]) -> Iterator[Fault]:
    sizes: Counter[str] = Counter()
    for item, place in traits.with_places():
        sizes[item.group] += 1
        if sizes[item.group] == _LARGEST_GROUP + 1:
            what = f"group {item.group} has more than {_LARGEST_GROUP} traits: give the rest another group"
            yield place.fault(f"trait {item.id}: {what}")


_WATCH = "campaign.flood-watch"
_LONGEST_ID = 40
"""Characters of an outcome, zone or region: a window's id (100) has two of them."""
_LONGEST_LABEL = 90
"""Characters of a zone or region: Discord suggests up to 100, and some get a suffix."""
_LONGEST_OPTION, _MOST_OPTIONS = 100, 25
"""What Discord takes of the label of something to pick, and of things to pick from."""
_Severities = Mapping[str, int]


def lint_climate(draft: BookDraft, facts: Collection[str] | None) -> Iterator[Fault]:
    """Yield faults of conditions and climates."""
    if facts is not None:
        traits = [fact.removeprefix("weather.") for fact in facts if fact.startswith("weather.")]
        for item, place in draft.conditions.with_places():
            if item.trait not in traits:
                mend = suggestion(item.trait, traits) or ': declare it under facts, with roles = ["weather"]'
                yield place.fault(f"condition {item.trait}: undeclared fact weather.{item.trait}{mend}")
    yield from _check_choices(draft)
    yield from _check_places(draft)
    if not draft.zones.whole:
        return
    climates = [climate.zone for climate in draft.climates]
    zones = {zone.id: zone for zone in draft.zones}
    for zone, place in draft.zones.with_places():
        if zone.id not in climates and draft.climates.whole:
            what = f'no climate: write [[climate]] with zone = "{zone.id}" and the conditions of its regions'
            yield place.fault(f"zone {zone.id}: {what}")
    tables = {table.id: table for table in draft.tables if table.rows.whole}
    yield from _check_rows(draft, tables)
    severities = {item.trait: item.severity for item in draft.conditions} if draft.conditions.whole else None
    for climate, place in draft.climates.with_places():
        if climate.zone in zones:
            zone = zones[climate.zone]
            yield from _check_cells(climate, zone, severities)
            if zone.table in tables:
                yield from _check_outcomes(climate, tables[zone.table])
                yield from _find_missing(climate, place, zone, tables[zone.table])
        else:
            what = f"unknown zone {climate.zone}{suggestion(climate.zone, zones)}"
            yield place.at("zone").fault(f"climate {climate.zone}: {what}")


def _check_choices(draft: BookDraft) -> Iterator[Fault]:
    picked = [item for item in draft.conditions.items if item.name != FLOOD]
    # One fault, at the first that is too many.
    for item in picked[_MOST_OPTIONS : _MOST_OPTIONS + 1]:
        what = f"one too many: at most {_MOST_OPTIONS} can be picked from, Mud/Flood aside: leave {len(picked) - _MOST_OPTIONS} out"
        yield item.place.fault(f"condition {item.name}: {what}")
    traits = {item.trait for item in draft.conditions}
    for fact, place in draft.facts.with_places():
        if fact.trait in traits and "weather" in fact.roles:
            yield from _too_long(place, f"fact {fact.trait}: label", fact.label, _LONGEST_OPTION)


def _check_places(draft: BookDraft) -> Iterator[Fault]:
    for zone, at in draft.zones.with_places():
        named: list[tuple[Zone | Region, documents.Place]] = [(zone, at)]
        named += [(region, at.at("regions", index)) for index, region in enumerate(zone.regions)]
        for item, place in named:
            yield from _too_long(place, f"{item.noun} {item.id}: id", item.id, _LONGEST_ID)
            yield from _too_long(place, f"{item.noun} {item.id}: label", item.label, _LONGEST_LABEL)


def _check_rows(draft: BookDraft, tables: Mapping[str, items.TableDraft]) -> Iterator[Fault]:
    named = {zone.table for zone in draft.zones}
    for table in (table for name, table in tables.items() if name in named):
        for row, place in table.rows.with_places():
            yield from _too_long(table.where(place), f"row {row.outcome}: outcome", row.outcome, _LONGEST_ID)
    if named and _WATCH in tables and FLOOD not in [row.outcome for row in tables[_WATCH].rows]:
        what = f"no row with the outcome {FLOOD}, by which Mud/Flood comes in any weather: write one"
        yield tables[_WATCH].where().fault(f"table {_WATCH}: {what}")


def _too_long(place: documents.Place, what: str, text: str, limit: int) -> Iterator[Fault]:
    if len(text) > limit:
        yield place.fault(f"{what} of {len(text)} characters is too long: write at most {limit}")


def _check_outcomes(climate: ClimateItem, table: items.TableDraft) -> Iterator[Fault]:
    known = [row.outcome for row in table.rows]
    for row, place in climate.cells.with_places():
        # An overlay that removes a row of the table need not name the climate's cells of it.
        left_over = table.changed and place.document is not table.changed.document
        if not left_over:
            yield from place.unknown(f"row {row.outcome}: unknown outcome", row.outcome, known)


def _find_missing(climate: ClimateItem, at: documents.Place, zone: Zone, table: items.TableDraft) -> Iterator[Fault]:
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


def _check_cells(climate: ClimateItem, zone: Zone, severities: _Severities | None) -> Iterator[Fault]:
    known = [region.id for region in zone.regions]
    for row, place in climate.cells.with_places():
        for region, traits in row.regions.items():
            yield from place.unknown(f"row {row.outcome}: unknown region", region, known)
            for what in _find_cell_faults(traits, severities):
                yield place.fault(f"row {row.outcome}: {region}: {what}")


def _find_cell_faults(traits: Sequence[str], severities: _Severities | None) -> Iterator[str]:
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
