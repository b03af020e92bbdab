"""From a faultless draft to the frozen book that is rolled by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rules.acts import with_procedures
from rules.book import Effect, Zone
from rules.catalog import Catalog
from rules.draft import BookDraft
from rules.dump import fingerprint
from rules.ends import End
from rules.facts import Fact
from rules.items import Items
from rules.lines import Place
from rules.modifiers import Modifier
from rules.procedure import Procedure
from rules.ruleset import RuleSet
from rules.schema import ClimateItem
from rules.table_draft import ScoreDraft, TableDraft
from rules.tables import Deed, Event, EventPart, RollTable, Score, Source, TableRow


def build_rules(draft: BookDraft, procedures: Sequence[Procedure], catalog: Catalog) -> RuleSet:
    """Return the book of a draft that has no faults, under its fingerprint."""
    every = (Fact(role, item.trait, item.label, item.secret) for item in draft.facts for role in item.roles)
    facts = {fact.id: fact for fact in every}
    secrets = frozenset(fact.id for fact in facts.values() if fact.secret)
    climates = {climate.zone: climate for climate in draft.climates}
    (head,) = draft.heads
    deeds = _deeds(draft)
    rules = RuleSet(
        id=head.value.id,
        title=head.value.title,
        fingerprint="",
        facts=facts,
        tables={table.id: _table(table, table.head, secrets, deeds) for table in draft.tables if table.head},
        zones={zone.id: _zone(zone, climates[zone.id]) for zone in draft.zones},
        conditions={item.trait: replace(item, label=facts[f"weather.{item.trait}"].label) for item in draft.conditions},
        traits={item.id: item for item in draft.traits},
        fields={item.id: item for item in draft.fields},
        effects={item.trait: _effect(item, facts) for item in draft.effects},
        deeds=deeds,
        contests={item.id: item for item in draft.contests},
        strikes={item.id: item for item in draft.strikes},
        acts={item.id: item for item in draft.acts},
        scores={score.id: _score(score, secrets) for score in draft.scores},
        catalog=catalog,
        source=head.value.source,
    )
    rules = with_procedures(rules, [_settling(item, deeds) for item in procedures])
    # The fingerprint covers the book's content, so it can only be taken of the finished book.
    return replace(rules, fingerprint=fingerprint(rules))


def _settling(procedure: Procedure, deeds: Mapping[str, Deed]) -> Procedure:
    """Return a procedure without what settles deeds of other books that this one's rows do not do."""
    settles = {name: rule for name, rule in procedure.settles.items() if name in deeds}
    return procedure if len(settles) == len(procedure.settles) else replace(procedure, settles=settles)


def _table(draft: TableDraft, head: RollTable, secrets: frozenset[str], deeds: Mapping[str, Deed]) -> RollTable:
    return replace(
        head,
        rows=tuple(_row(row, place, draft) for row, place in draft.rows.placed()),
        modifiers=_modifiers(draft.modifiers, secrets),
        naturals=tuple(draft.naturals),
        numbers={number.id: number for number in draft.numbers},
        readings={reading.id: reading for reading in draft.readings},
        letters={letter.id: letter for letter in draft.letters},
        deeds={item.do: deeds[item.do] for row in draft.rows for item in row.then},
        files=tuple(dict.fromkeys((draft.place.document.name, *draft.changes))),
    )


def _score(draft: ScoreDraft, secrets: frozenset[str]) -> Score:
    return Score(draft.id, draft.label, draft.line, draft.base, _modifiers(draft.drawn, secrets), draft.caps)


def _row(row: TableRow, place: Place, draft: TableDraft) -> TableRow:
    event = _event(row.event, row.text) if row.event else None
    return replace(row, event=event, source=_overlay_source(place, draft))


def _overlay_source(place: Place, draft: TableDraft) -> Source | None:
    """Return where a row is printed that came with an overlay of its table; None for the table's own rows."""
    document = place.document
    if document is draft.place.document or "overlay" not in document.data:
        return None
    source = document.data["overlay"]["source"]
    return Source(source["book"], source["section"])


def _event(event: Event, text: str) -> Event:
    """Return an event; where it does one thing only, that is what the row's `text` says."""
    if event.parts:
        return event
    part = EventPart(text, event.lasts, event.changes)
    return replace(event, parts=(part,), changes={})


def _modifiers(items: Items[Modifier], secrets: frozenset[str]) -> tuple[Modifier, ...]:
    """Return modifiers, secret by the facts that they ask for, not by those that they deny: everybody would think a secret fact absent."""
    return tuple(
        replace(item, secret=any(literal in secrets for clause in item.when for literal in clause)) for item in items
    )


def _zone(zone: Zone, climate: ClimateItem) -> Zone:
    # Cells of an outcome that an overlay took away stay, and are never read.
    return replace(zone, climate={row.outcome: row.regions for row in climate.cells})


def _effect(effect: Effect, facts: Mapping[str, Fact]) -> Effect:
    """Return an effect, secret when its fact is so in any role."""
    return replace(effect, secret=any(fact.secret for fact in facts.values() if fact.trait == effect.trait))


def _deeds(draft: BookDraft) -> dict[str, Deed]:
    """Return the deeds of a book, and those of others that its rows do; each ends as its effect does unless it says when."""
    done = {item.do for table in draft.tables for row in table.rows for item in row.then}
    ends: dict[str | None, End] = {item.trait: item.end for item in draft.effects}
    lent = {name: deed for name, deed in draft.lent.items() if name in done}
    return lent | {
        deed.name: deed.value
        if "end" in deed.written
        else replace(deed.value, end=ends.get(deed.value.effect, deed.value.end))
        for deed in draft.deeds.items
    }
