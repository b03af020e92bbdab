"""From a faultless draft to the frozen book that is rolled by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from msgspec.structs import replace

from rules.acts import with_procedures
from rules.book import Act, Condition, Contest, Cost, Effect, Refusal, Region, Strikes, Trait, Variant, Zone
from rules.catalog import Catalog
from rules.deeds import Deed
from rules.draft import BookDraft, ClimateDraft
from rules.dump import fingerprint
from rules.ends import End
from rules.events import Letter
from rules.facts import Fact
from rules.fields import Field
from rules.items import Item
from rules.modifiers import Modifier
from rules.procedure import Procedure
from rules.ruleset import RuleSet
from rules.schema import EventItem, ModifierItem, RowItem, TableItem
from rules.schema_acts import ActItem
from rules.schema_climate import RegionItem, ZoneItem
from rules.schema_deeds import EffectItem
from rules.table_draft import ScoreDraft, TableDraft
from rules.tables import (
    Against,
    Cap,
    Consequence,
    Event,
    EventPart,
    Natural,
    Number,
    Reading,
    RollTable,
    Score,
    Source,
    TableRow,
)

ValueT = TypeVar("ValueT")


def build_rules(draft: BookDraft, procedures: Sequence[Procedure], catalog: Catalog) -> RuleSet:
    """Return the book of a draft that has no faults, under its fingerprint."""
    every = (_value(Fact, item, role=role) for item in draft.facts for role in item.roles)
    facts = {fact.id: fact for fact in every}
    secrets = frozenset(fact.id for fact in facts.values() if fact.secret)
    climates = {climate.zone: climate for climate in draft.climates}
    (head,) = draft.heads
    deeds = _deeds(draft)
    rules = RuleSet(
        id=head.id,
        title=head.title,
        fingerprint="",
        facts=facts,
        tables={table.id: _table(table, table.head, secrets, deeds) for table in draft.tables if table.head},
        zones={zone.id: _zone(zone, climates[zone.id]) for zone in draft.zones},
        conditions={
            item.trait: _value(Condition, item, label=facts[f"weather.{item.trait}"].label) for item in draft.conditions
        },
        traits={
            item.id: _value(Trait, item, on=frozenset(item.on), of_any=frozenset(item.of_any)) for item in draft.traits
        },
        fields={
            item.id: _value(Field, item, on=frozenset(item.on), options=tuple(item.options)) for item in draft.fields
        },
        effects={item.trait: _effect(item, facts) for item in draft.effects},
        deeds=deeds,
        contests={item.id: _value(Contest, item) for item in draft.contests},
        strikes={
            item.id: _value(Strikes, item, rolls=tuple(item.rolls), hits=frozenset(item.hits)) for item in draft.strikes
        },
        acts={item.id: _act(item) for item in draft.acts},
        scores={score.item.id: _score(score, secrets) for score in draft.scores},
        catalog=catalog,
        source=head.source,
    )
    rules = with_procedures(rules, [_settling(item, deeds) for item in procedures])
    # The fingerprint covers the book's content, so it can only be taken of the finished book.
    return replace(rules, fingerprint=fingerprint(rules))


def _settling(procedure: Procedure, deeds: Mapping[str, Deed]) -> Procedure:
    """Return a procedure without what settles deeds of other books that this one's rows do not do."""
    settles = {name: rule for name, rule in procedure.settles.items() if name in deeds}
    return procedure if len(settles) == len(procedure.settles) else replace(procedure, settles=settles)


def _value(kind: Callable[..., ValueT], item: Item, **others: object) -> ValueT:
    """Return the value that an item stands for: its fields by their names, but for `others`, which are given here.

    Items are no values themselves: each keeps its place in its file, by which equal ones would differ.
    """
    values = {name: getattr(item, name) for name in _field_names(kind) if name not in others}
    return kind(**values, **others)


@cache
def _field_names(kind: Callable[..., object]) -> tuple[str, ...]:
    return getattr(kind, "__struct_fields__", ())


def _act(item: ActItem) -> Act:
    return _value(
        Act,
        item,
        refused=tuple(_value(Refusal, refusal, when=refusal.tests) for refusal in item.refused),
        costs=tuple(_value(Cost, cost, unless=cost.tests) for cost in item.costs),
        variants=tuple(_value(Variant, variant, when=variant.tests) for variant in item.variants),
        then=tuple(_value(Consequence, consequence) for consequence in item.then),
    )


def _table(draft: TableDraft, head: TableItem, secrets: frozenset[str], deeds: Mapping[str, Deed]) -> RollTable:
    return _value(
        RollTable,
        head,
        source=_value(Source, head.source),
        rows=tuple(_row(row, draft) for row in draft.rows),
        modifiers=tuple(_modifier(modifier, secrets) for modifier in draft.modifiers),
        naturals=tuple(_value(Natural, natural) for natural in draft.naturals),
        numbers={number.id: _value(Number, number) for number in draft.numbers},
        readings={item.id: _value(Reading, item, without=frozenset(item.without)) for item in draft.readings},
        letters={letter.id: _value(Letter, letter) for letter in draft.letters},
        against=_value(Against, head.against) if head.against else None,
        caps=tuple(_value(Cap, cap) for cap in head.caps),
        deeds={item.do: deeds[item.do] for row in draft.rows for item in row.then},
        files=tuple(dict.fromkeys((draft.place.document.name, *draft.changes))),
    )


def _score(draft: ScoreDraft, secrets: frozenset[str]) -> Score:
    modifiers = tuple(_modifier(item, secrets) for item in draft.modifiers)
    return _value(Score, draft.item, modifiers=modifiers, caps=tuple(_value(Cap, cap) for cap in draft.item.caps))


def _row(row: RowItem, draft: TableDraft) -> TableRow:
    then = tuple(_value(Consequence, item) for item in row.then)
    event = _event(row.event, row.text) if row.event else None
    return _value(TableRow, row, then=then, event=event, source=_overlay_source(row, draft))


def _overlay_source(row: RowItem, draft: TableDraft) -> Source | None:
    """Return where a row is printed that came with an overlay of its table; None for the table's own rows."""
    document = row.place.document
    if document is draft.place.document or "overlay" not in document.data:
        return None
    source = document.data["overlay"]["source"]
    return Source(source["book"], source["section"])


def _event(item: EventItem, text: str) -> Event:
    """Return an event; where it does one thing only, that is what the row's `text` says."""
    parts = tuple(_value(EventPart, part) for part in item.parts)
    return _value(Event, item, orders=tuple(item.orders), parts=parts or (_value(EventPart, item, text=text),))


def _modifier(item: ModifierItem, secrets: frozenset[str]) -> Modifier:
    # Secret by the facts that it asks for, not by those that it denies: everybody would think a secret fact absent.
    secret = any(literal in secrets for clause in item.tests for literal in clause)
    return _value(Modifier, item, when=item.tests, secret=secret)


def _zone(zone: ZoneItem, climate: ClimateDraft) -> Zone:
    # Cells of an outcome that an overlay took away stay, and are never read.
    cells = {row.outcome: {region: tuple(traits) for region, traits in row.regions.items()} for row in climate.rows}
    return _value(Zone, zone, regions=tuple(map(_region, zone.regions)), climate=cells)


def _region(region: RegionItem) -> Region:
    return _value(Region, region, at=tuple(region.at) if region.at else None)


def _effect(item: EffectItem, facts: Mapping[str, Fact]) -> Effect:
    """Return an effect, secret when its fact is so in any role."""
    secret = any(fact.secret for fact in facts.values() if fact.trait == item.trait)
    return _value(Effect, item, end=_value(End, item), secret=secret)


def _deeds(draft: BookDraft) -> dict[str, Deed]:
    """Return the deeds of a book, and those of others that its rows do; each ends as its effect does unless it says when."""
    done = {item.do for table in draft.tables for row in table.rows for item in row.then}
    effects: dict[str | None, EffectItem] = {item.trait: item for item in draft.effects}
    ends = {item.id: item if item.until else effects.get(item.effect) for item in draft.deeds}
    lent = {name: deed for name, deed in draft.lent.items() if name in done}
    return lent | {
        item.id: _value(Deed, item, end=_value(End, end) if (end := ends[item.id]) else End(), ends=tuple(item.ends))
        for item in draft.deeds
    }
