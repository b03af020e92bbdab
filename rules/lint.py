"""Faults between a book's items: names, contests, acts and orders."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any
from unicodedata import category

from rules import acts, books, lint_world, modifiers, phrases
from rules.book import Act, Contest, Strikes
from rules.documents import Place
from rules.draft import BookDraft
from rules.errors import Fault
from rules.items import Items, TableDraft
from rules.kinds import Catalog
from rules.lint_tables import find_duplicates, find_twice, lint_table
from rules.orders import OrderKind, Phase
from rules.procedure import Procedure
from rules.stages import TableMethod, list_chain

_ROLE = re.compile(r"{([^}]*)}")
MAX_CHAIN = 3
"""How many rolls may follow the first."""
MAX_ENDS = 400
"""How many ends a table may lead to."""


def lint(draft: BookDraft, families: Collection[str] = ()) -> Iterator[Fault]:
    """Yield everything wrong between a book's items."""
    yield from _check_names(draft)
    facts = set(draft.fact_ids()) if draft.facts.whole and draft.whole else None
    for table in draft.tables:
        yield from lint_table(table, facts)
    # If a file is unread, zones and climates would lack its tables.
    if draft.whole:
        for zone, place in draft.zones.with_places():
            yield from place.at("table").unknown(f"zone {zone.id}: unknown table", zone.table, draft.table_ids())
        tables = {table.id: table for table in draft.tables}
        yield from _lint_chains(tables)
        for contest, place in draft.contests.with_places():
            yield from _lint_contest(contest, place, tables)
        for strikes, place in draft.strikes.with_places():
            yield from _lint_strikes(strikes, place, tables)
        yield from _lint_acts(draft, families)
        yield from lint_world.lint_climate(draft, facts)
    yield from lint_world.lint_traits(draft, facts)
    yield from lint_world.lint_deeds(draft)


def _check_names(draft: BookDraft) -> Iterator[Fault]:
    yield from find_duplicates("book", "id", ((head.name, head.place) for head in draft.heads))
    facts = ((f"{role}.{fact.trait}", place) for fact, place in draft.facts.with_places() for role in fact.roles)
    yield from find_duplicates("fact", "id", facts)
    yield from find_duplicates("table", "id", ((table.id, table.place) for table in draft.tables))
    heads = [(table.head.title, table.where(None, "title")) for table in draft.tables if table.head]
    yield from find_duplicates("table", "title", ((_visible_title(title), place) for title, place in heads))
    regions = [
        (item, place.at("regions", index))
        for zone, place in draft.zones.with_places()
        for index, item in enumerate(zone.regions)
    ]
    yield from find_duplicates("region", "id", ((region.id, place) for region, place in regions))
    positions = ((str([*region.at]), place) for region, place in regions if region.at)
    yield from find_duplicates("region at", "position", positions)
    marks = ((item.mark, place) for item, place in draft.conditions.with_places())
    yield from find_duplicates("condition", "mark", marks)
    lists: list[Items[Any]] = [draft.zones, draft.conditions, draft.traits, draft.fields, draft.effects, draft.deeds]
    lists += [draft.contests, draft.strikes, draft.acts, draft.scores, draft.climates, draft.upkeep]
    for items in (*lists, *(climate.cells for climate in draft.climates)):
        yield from find_twice(items.items)


def _visible_title(title: str) -> str:
    seen = (" " if letter.isspace() else letter for letter in title if category(letter)[0] != "C")
    return "".join(seen).casefold().strip()


def _lint_acts(draft: BookDraft, families: Iterable[str]) -> Iterator[Fault]:
    rolled = [*draft.table_ids(), *(item.id for items in (draft.contests, draft.strikes) for item in items), *families]
    facts = draft.fact_ids() if draft.facts.whole else None
    for act, at in draft.acts.with_places():
        if act.rolls is not None and act.rolls not in rolled and draft.whole:
            what = f"act {act.id}: table, contest or strikes {act.rolls} doesn't exist{phrases.suggestion(act.rolls, rolled)}"
            yield at.at("rolls").fault(what)
        yield from _check_words(act, at)
        marks = [cost.mark for cost in act.costs]
        for index, mark in enumerate(marks):
            if mark in marks[:index]:
                what = f"act {act.id}: it costs {mark} twice: write one cost, with the sum"
                yield at.at("costs", index).fault(what)
        for index, item in enumerate(act.then):
            if item.to is not None and item.to not in {act.actor, act.subject}:
                what = f"act {act.id}: {item.do} to {item.to}: its roles are {act.actor} and {act.subject}"
                yield at.at("then", index).fault(what)
        for fact, place in _list_facts(act, at):
            if facts is not None and fact not in facts:
                yield place.fault(f"act {act.id}: undeclared fact {fact}{phrases.suggestion(fact, facts)}")


def find_hidden_families(draft: BookDraft, procedures: Iterable[Procedure]) -> Iterator[Fault]:
    """Yield acts whose id is also a roll family, which would replace the act."""
    families = {item.family: item.method for item in procedures}
    for act, place in draft.acts.with_places():
        method = families.get(act.id)
        if method is not None and not (isinstance(method, acts.ActMethod) and method.act == act.id):
            yield place.at("id").fault(f"act {act.id}: a roll family has this id: give the act another id")


def _list_facts(act: Act, place: Place) -> Iterator[tuple[str, Place]]:
    tests = [(("refused", index, "when"), item.when) for index, item in enumerate(act.refused)]
    tests += [(("variants", index, "when"), item.when) for index, item in enumerate(act.variants)]
    tests += [(("costs", index, "unless"), item.unless) for index, item in enumerate(act.costs)]
    for keys, when in tests:
        yield from ((fact, place.at(*keys)) for fact in modifiers.list_mentioned_facts(when))
    yield from ((f"{act.actor}.{cost.mark}", place.at("costs", index)) for index, cost in enumerate(act.costs))


def _check_words(act: Act, at: Place) -> Iterator[Fault]:
    roles = [role for role in (act.actor, act.subject, act.beside) if role]
    words = [("headline", act.headline), ("headline-alone", act.headline_alone)]
    words += [(f"refused {place}", item.words) for place, item in enumerate(act.refused, 1)]
    for where, text in words:
        if {*"{}"} & {*_ROLE.sub("", text)}:
            yield at.fault(f"act {act.id}: {where} has a brace that is alone: write {{{act.actor}}}")
        for role in _ROLE.findall(text):
            if role not in roles:
                what = f"{where} names {{{role}}}, and its roles are {' and '.join(roles)}"
                yield at.fault(f"act {act.id}: {what}")


def _lint_chains(tables: Mapping[str, TableDraft]) -> Iterator[Fault]:
    leads = {name: [row.rolls for row in table.rows if row.rolls] for name, table in tables.items()}
    circular = {name for name, led in leads.items() if any(name in list_chain(other, leads) for other in led)}
    rows, measured = {name: len([*table.rows]) for name, table in tables.items()}, dict[str, tuple[int, int]]()
    for name, table in tables.items():
        for row, place in table.rows.with_places():
            if row.rolls is None:
                continue
            at = place.at("rolls")
            if row.rolls not in tables:
                yield at.fault(f"row {row.outcome}: unknown table {row.rolls}{phrases.suggestion(row.rolls, tables)}")
            elif name in list_chain(row.rolls, leads):
                yield at.fault(f"row {row.outcome}: {row.rolls} rolls on {name} again: no table may lead to itself")
            elif circular.isdisjoint(list_chain(row.rolls, leads)):
                _, deep = _measure_chain(row.rolls, leads, rows, measured)
                if deep > MAX_CHAIN:
                    what = f"rolls follow each other {deep} deep, and the limit is {MAX_CHAIN}"
                    yield at.fault(f"row {row.outcome}: {what}")
        if circular.isdisjoint(list_chain(name, leads)):
            ends, _ = _measure_chain(name, leads, rows, measured)
            if leads[name] and ends > MAX_ENDS:
                yield table.place.at("id").fault(f"table {name}: it leads to {ends} ends, and the limit is {MAX_ENDS}")


def _measure_chain(
    name: str, leads: Mapping[str, Sequence[str]], rows: Mapping[str, int], known: dict[str, tuple[int, int]]
) -> tuple[int, int]:
    if name not in known:
        each = [_measure_chain(other, leads, rows, known) for other in leads.get(name, ())]
        ends = rows.get(name, 1) - len(each) + sum(ends for ends, _ in each)
        known[name] = ends, 1 + max((deep for _, deep in each), default=0)
    return known[name]


def _lint_contest(item: Contest, place: Place, tables: Mapping[str, TableDraft]) -> Iterator[Fault]:
    who = f"contest {item.id}"
    yield from _find_unknown(f"{who}: table", item.actor, tables, place.at("actor"))
    yield from _find_unknown(f"{who}: table", item.resister, tables, place.at("resister"))
    if item.actor == item.resister:
        yield place.at("resister").fault(f"{who}: both sides roll on {item.actor}: give the resister a separate table")
    actor, resister = tables.get(item.actor), tables.get(item.resister)
    if resister is not None and _reads(resister) not in {"reach", "under"}:
        read = f"the table {resister.id} is read off the other side"
        what = f'{read}: write against = {{ reads = "reach", line = 1 }} there'
        yield place.at("resister").fault(f"{who}: {what}")
    for outcome, reading in item.against.items():
        if actor and resister:
            where = place.at("against", outcome)
            yield from _find_unknown(f"{who}: outcome", outcome, [row.outcome for row in actor.rows], where)
            yield from _find_unknown(f"{who}: reading", reading, [it.id for it in resister.readings], where)


def _lint_strikes(item: Strikes, place: Place, tables: Mapping[str, TableDraft]) -> Iterator[Fault]:
    who = f"strikes {item.id}"
    for index, table in enumerate(item.rolls):
        yield from _find_unknown(f"{who}: table", table, tables, place.at("rolls", index))
        outcomes = {row.outcome for row in tables[table].rows} if table in tables else {*item.hits}
        if outcomes.isdisjoint(item.hits):
            what = f"no outcome of {table} is among its hits, so that it never hits: name one of {', '.join(sorted(outcomes))}"
            yield place.at("hits").fault(f"{who}: {what}")
    yield from _find_unknown(f"{who}: table", item.tally, tables, place.at("tally"))
    if item.tally in tables and _reads(tables[item.tally]) != "number":
        what = f'{item.tally} counts no hits: write die = 0 and against = {{ reads = "number", line = 1 }} there'
        yield place.at("tally").fault(f"{who}: {what}")


def _reads(table: TableDraft) -> str | None:
    return table.head.against.reads if table.head and table.head.against else None


def _find_unknown(what: str, name: str, known: Collection[str], place: Place) -> Iterator[Fault]:
    if name not in known:
        yield place.fault(f"{what} {name} doesn't exist{phrases.suggestion(name, known)}")


def lint_orders(draft: BookDraft, catalog: Catalog, procedures: Sequence[Procedure]) -> Iterator[Fault]:
    """Yield faults of orders and phases; without `procedures`, unknown rolls aren't reported."""
    places = {(kind, raw.get("id")): place for kind, place, raw in draft.entries if isinstance(raw, dict)}
    kinds = {item.id: item for item in catalog.get(OrderKind.kind, {}).values() if isinstance(item, OrderKind)}
    taken: set[str] = set()
    for phase in catalog.get(Phase.kind, {}).values():
        for name in phase.takes if isinstance(phase, Phase) else ():
            at = places[Phase.kind, phase.id].at("takes")
            if name not in kinds:
                yield at.fault(f"phase {phase.id}: unknown order {name}{phrases.suggestion(name, kinds)}")
            taken.add(name)
    rolls: dict[str, Act | Procedure] = {item.family: item for item in procedures}
    rolls |= {act.id: act for act in draft.acts}
    known = rolls.keys() if procedures and draft.whole else None
    paired = {name for head in draft.heads for name in books.find_pairing(head.value.id).kinds}
    labels = ((_visible_title(item.label), places[OrderKind.kind, item.id].at("label")) for item in kinds.values())
    yield from find_duplicates("order", "label", labels)
    for kind in kinds.values():
        who, place = f"order {kind.id}", places[OrderKind.kind, kind.id]
        if kind.id not in taken:
            yield place.fault(f"{who}: no phase takes it, so that it would never be resolved")
        yield from _lint_family(kind, place, known)
        roll = None if kind.id in paired else rolls.get(kind.family or "")
        if roll is not None:
            yield from _lint_roll_of(kind, roll, place, rolls, {role for fact in draft.facts for role in fact.roles})
        if bool(kind.hushed) != bool(kind.nothing):
            yield place.fault(f"{who}: hushed needs nothing as well: the text when everything is hushed")
        roles = [role for role in (kind.by, kind.to, kind.beside) if role is not None]
        if len(set(roles)) < len(roles):
            yield place.fault(f"{who}: its roles must all differ")


def _lint_family(kind: OrderKind, place: Place, known: Collection[str] | None) -> Iterator[Fault]:
    who, name = f"order {kind.id}", kind.family
    if known is not None and name is not None and name not in known:
        yield place.at("family").fault(f"{who}: roll {name} doesn't exist{phrases.suggestion(name, known)}")
    if known is not None and name is None and kind.id in known:
        yield place.fault(f'{who}: a roll has that id: write family = "{kind.id}", or give the order another id')


def is_simple_roll(roll: Act | Procedure, rolls: Mapping[str, Act | Procedure]) -> bool:
    """Check that roles are all it needs."""
    if isinstance(roll, Act):
        inner = rolls.get(roll.rolls or "")
        return roll.takes is None and (inner is None or inner is roll or is_simple_roll(inner, rolls))
    return roll.policy.on_request and roll.policy.by_card and isinstance(roll.method, TableMethod)


def _lint_roll_of(
    kind: OrderKind, roll: Act | Procedure, at: Place, rolls: Mapping[str, Act | Procedure], known: Collection[str]
) -> Iterator[Fault]:
    who, name, actor, subject = f"order {kind.id}", kind.family, roll.actor, roll.subject
    if not is_simple_roll(roll, rolls):
        yield at.at("family").fault(f"{who}: the roll {name} is made by its own command only")
        return
    if actor not in {kind.by, kind.to}:
        yield at.at("by").fault(f'{who}: the roles of the roll {name} are {actor} and {subject}: write by = "{actor}"')
        return
    for key, role in (("to", kind.to), ("beside", kind.beside)):
        if role is not None and role not in {actor, subject, *known}:
            mend = f'write to = "{subject}"' if key == "to" else f"leave out {key}"
            yield at.at(key).fault(f"{who}: the roles of the roll {name} are {actor} and {subject}: {mend}")
    if subject not in {kind.by, kind.to, kind.beside} and f"{{{subject}}}" in (roll.headline_alone or roll.headline):
        what = f'{who}: the roll {name} names its {subject}: write to = "{subject}", or give the roll a headline-alone'
        yield at.fault(what)
