"""House rules: files that change a book (`[overlay]`) or bring tables of the book `house`."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import inf

from msgspec.structs import replace

from rules import items, phrases, ruleset, stages
from rules.book import HOUSE
from rules.documents import LONGEST_TEXT, Bounds, Document, Faults, Place, fill_defaults, header_items
from rules.draft import (
    KEPT_LISTS,
    BookDraft,
    BookFile,
    ChangeItem,
    ClimateChangeItem,
    ClimateRowItem,
    FactItem,
    OverlayFile,
    OverlayItem,
    add_lists,
    gather_draft,
    holds_facts,
    parse,
    read_entries,
    read_key,
)
from rules.errors import BookError, Fault
from rules.modifiers import Modifier
from rules.orders import OrderKind, Phase
from rules.procedure import Conclusion, Part, Policy, Procedure
from rules.tables import Consequence, ConsequenceKind, RollTable, TableRow

LONGEST: Mapping[str, int] = {"id": 50, "outcome": 50, "trait": 40, "group": 40, "one-of": 40, "per": 30, "title": 80}
LONGEST = {**LONGEST, "label": 80, "roles": 40, "when": 81, "text": LONGEST_TEXT, "note": 200, "cause": 80}
MOST: Mapping[str, int] = {"table": 20, "change": 40, "rows": 100, "modifiers": 100, "facts": 100, "roles": 20}
BOUNDS = Bounds(longest=LONGEST, most=MOST)
REMOVE = "remove"
"""The key of a catalog that lists ids to leave out, such as `"scout"` or `"phase.scout"`."""

Entry = tuple[str, Place, object]
"""A catalog entry: kind, place, raw."""

HIGHEST = 400
"""The highest total of several dice: odds are counted sum by sum."""
MAX_SELECTS, MAX_OPTIONS, MAX_COUNTS = 12, 25, 5
"""What a roll card has room for: lists to pick from, options in each, and modifiers with a count."""
_OF_BOOKS = frozenset(BookFile.__struct_fields__) - {"table", "facts"}
"""Sections of a whole book that a file of tables can't have."""
_LARGEST_AMOUNT = 1000
"""The largest amount of a deed that declares none."""
_HEAD = '[book]\nid = "house"\ntitle = "House rules"\nsource = "The campaign itself"'


def apply_overlay(draft: BookDraft, document: Document, faults: list[Fault]) -> None:
    """Change the draft as the overlay says, adding faults."""
    fill_defaults(document)
    place = Place(document)
    data = document.data
    if items.read(OverlayFile, data, place, faults) is None:
        draft.whole = False
    if "overlay" in data:
        _apply_head(draft, data["overlay"], place.at("overlay"), faults)
    draft.facts += items.Items(whole=not (holds_facts(data.get("table")) or holds_facts(data.get("change"))))
    new = [*items.read_tables(data.get("table", []), place.at("table"), items.patterns_in([document]), faults)]
    items.take_scores(new, draft.scores, faults)
    draft.tables.extend(new)
    for where, raw in header_items(data.get("change", []), place.at("change")):
        _apply_change(draft, raw, where, faults)
    for score in items.read_scores(data.get("scores", []), place.at("scores"), faults).items:
        draft.scores = items.change_score(draft.tables, draft.scores, score)
    _merge_entries(draft, data.get("catalog"), place.at("catalog"), faults)
    for key in ("contests", "strikes", "acts"):
        setattr(draft, key, items.merge_items(getattr(draft, key), read_key(key, data, place, faults)))
    for where, raw in header_items(data.get("climate", []), place.at("climate")):
        _apply_climate(draft, raw, where, faults)


def _merge_entries(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    catalog = dict(raw) if isinstance(raw, dict) else {}
    gone = _read_removed(draft, catalog.pop(REMOVE, []), place.at(REMOVE), faults)
    kept, new = [item for item in draft.entries if gone.isdisjoint(_list_names(item))], [*read_entries(catalog, place)]
    at, group = 0, ""
    for item in new:  # a new one comes after the one that the file lists before it
        names = [_list_names(other) for other in kept]
        at, group = at if item[0] == group else len(kept) - 1, item[0]
        if _list_names(item) in names:
            at = names.index(_list_names(item))
            kept[at] = item
        else:
            at += 1
            kept.insert(at, item)
    if gone:  # phases don't take removed orders, and what no phase takes goes too
        there = {_list_names(item)[0] for item in kept if item[0] == OrderKind.kind}
        kept = [item if item in new else _untake(item, there) for item in kept]
        taken = {name for kind, _, phase in kept if kind == Phase.kind for name in _list_taken(phase)}
        kept = [item for item in kept if item in new or item[0] != OrderKind.kind or _list_names(item)[0] in taken]
    draft.entries = kept


def _read_removed(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> set[str]:
    known = {name for item in draft.entries for name in _list_names(item)}
    removed = [*map(str, raw)] if isinstance(raw, list) else []
    for index, name in enumerate(removed):
        if name not in known:
            faults.append(place.at(index).fault(f"nothing is called {name}{phrases.suggestion(name, known)}"))
    return {*removed}


def _untake(entry: Entry, orders: Collection[str]) -> Entry:
    kind, place, raw = entry
    if kind != Phase.kind or not isinstance(raw, dict):
        return entry
    return kind, place, {**raw, "takes": [name for name in _list_taken(raw) if name in orders]}


def _list_taken(phase: object) -> list[str]:
    return items.strings(phase.get("takes") if isinstance(phase, dict) else None)


def _list_names(entry: Entry) -> tuple[str, str]:
    kind, _, raw = entry
    name = str(raw.get("id")) if isinstance(raw, dict) else ""
    return name, f"{kind}.{name}"


def find_extended_book(document: Document, faults: list[Fault]) -> str | None:
    """Return the id an overlay changes; None and a fault otherwise."""
    place = Place(document, ("overlay",))
    raw = document.data.get("overlay")
    book = raw.get("extends") if isinstance(raw, dict) else None
    if isinstance(book, str):
        return book
    items.read(OverlayItem, raw, place, faults)
    return None


def _apply_head(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    head = items.read(OverlayItem, raw, place, faults)
    draft.facts += items.Items(whole=head is not None)
    known = [book.value.id for book in draft.heads]
    if head and known and (extended := head.value.extends) not in known:
        what = f"it is held against the book {known[0]}, but extends {extended}{phrases.suggestion(extended, known)}"
        faults.append(place.at("extends").fault(f"overlay {head.name}: {what}"))
    parts = raw if isinstance(raw, dict) else {}
    add_lists(draft, ("facts", *KEPT_LISTS), parts, place, faults)
    draft.conditions = items.merge_items(draft.conditions, read_key("conditions", parts, place, faults))


def _apply_change(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    item = items.read(ChangeItem, raw, place, faults)
    if item is None:
        return
    change = item.value
    rows = items.read_list(TableRow, change.rows, place.at("rows"), faults)
    modifiers = items.read_modifiers(change.modifiers, place.at("modifiers"), faults)
    known = draft.table_ids()
    if change.table not in known:
        faults.extend(place.at("table").unknown(f"change {change.table}: unknown table", change.table, known))
        return
    index = known.index(change.table)
    table = draft.tables[index]
    faults.extend(_find_missing_names("row", change.remove_rows, table.rows, place))
    faults.extend(_find_missing_names("modifier", change.remove_modifiers, table.modifiers, place))
    # New rows are sorted by range, from the top down if the table is printed so.
    down = any(row.value.max is None and row.value.min is not None for row in table.rows.items[:1])
    merged = items.merge_items(table.rows, rows, change.remove_rows)
    in_order = sorted(merged.items, key=lambda row: -inf if row.value.min is None else row.value.min, reverse=down)
    draft.tables[index] = replace(
        table,
        rows=replace(merged, items=tuple(in_order)),
        modifiers=items.merge_items(table.modifiers, modifiers, change.remove_modifiers),
        changed=place,
        changes=(*table.changes, place.document.name),
    )


def _apply_climate(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    item = items.read(ClimateChangeItem, raw, place, faults)
    if item is None:
        return
    change = item.value
    rows = items.read_list(ClimateRowItem, change.rows, place.at("rows"), faults)
    known = [climate.zone for climate in draft.climates]
    if change.zone not in known:
        faults.extend(place.at("zone").unknown(f"climate {change.zone}: unknown zone", change.zone, known))
        return
    draft.climates = draft.climates.with_values(
        replace(old, cells=_fill_cells(old.cells, rows)) if old.zone == change.zone else old for old in draft.climates
    )
    regions = [region.id for zone in draft.zones if zone.id == change.zone for region in zone.regions]
    for name in change.land:
        faults.extend(place.at("land", name).unknown(f"climate {change.zone}: unknown region", name, regions))
    zones = (ruleset.settle_land(zone, change.land) if zone.id == change.zone else zone for zone in draft.zones)
    draft.zones = draft.zones.with_values(zones)


def _fill_cells(old: items.Items[ClimateRowItem], new: items.Items[ClimateRowItem]) -> items.Items[ClimateRowItem]:
    cells = {row.outcome: row.regions for row in old}
    filled = (replace(row, regions={**cells.get(row.outcome, {}), **row.regions}) for row in new)
    return items.merge_items(old, new.with_values(filled))


def _find_missing_names(
    kind: str, names: Iterable[str], there: items.Items[TableRow] | items.Items[Modifier], place: Place
) -> Iterator[Fault]:
    known = [item.name for item in there.items]
    for index, name in enumerate(names):
        if name not in known:
            what = f"unknown {kind} {name} to remove{phrases.suggestion(name, known)}"
            yield place.at(f"remove-{kind}s", index).fault(what)


def read_house_file(name: str, data: bytes) -> Document:
    """Read a sent file; raise BookError with all faults."""
    faults = Faults()
    faults.extend(BOUNDS.before_parsing(name, data))
    document = None if faults else parse(name, data, faults)
    if document is not None:
        faults.extend(BOUNDS.after_parsing(document))
        faults.extend(_section_faults(document))
    if document is None or faults:
        raise BookError(faults)
    return document


def is_standalone(document: Document) -> bool:
    """Check whether a file brings tables outside a book."""
    return "table" in document.data and _OF_BOOKS.isdisjoint(document.data)


def find_book(document: Document) -> str:
    """Return the id of the book a file belongs to."""
    faults: list[Fault] = []
    book = find_extended_book(document, faults) if "overlay" in document.data else HOUSE
    if book is None:
        raise BookError(faults)
    return book


def draft_own_tables(documents: Sequence[Document], faults: list[Fault]) -> BookDraft:
    """Draft the book `house`; repeated facts count once."""
    for document in documents:
        fill_defaults(document)
    draft = gather_draft([Document(HOUSE, _HEAD, tomllib.loads(_HEAD)), *documents], faults)
    seen: dict[tuple[str, str], items.PlacedItem[FactItem]] = {}
    # Files are written and switched on one by one, so each declares what it uses, also what another declares.
    facts = [kept for fact in draft.facts.items if (kept := _drop_declared_roles(fact, seen)) is not None]
    draft.facts = replace(draft.facts, items=tuple(facts))
    return draft


def make_procedure(chain: Sequence[RollTable]) -> Procedure:
    """Make the procedure of a table, first of all that it may roll on."""
    head, secret = chain[0], any(table.audience == "staff" for table in chain)
    by_row = stages.conclude_by_row("staff" if secret else "results")

    def conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
        found = by_row(part, rows)
        done = tuple(item for item in found.consequences if item.to is None or item.to in part.subjects)
        return replace(found, consequences=done)

    who, target, method = (
        ruleset.ROLLER,
        ruleset.TARGET,
        stages.TableMethod(tuple(table.id for table in chain), conclude),
    )
    alone, policy = f"{{{who}}} rolls", Policy(again="never")
    return Procedure(head.id, head.title, who, target, f"{alone} for {{{target}}}", method, alone, policy=policy)


def find_table_faults(tables: Iterable[items.TableDraft], others: Mapping[str, str]) -> Iterator[Fault]:
    """Yield faults of own tables: too large dice, ids taken by `others`, parts only books can have."""
    for table in tables:
        die = table.head.die if table.head else None
        if die is not None and die.count > 1 and die.high > HIGHEST:
            what = f"{die} goes up to {die.high}, and the limit is {HIGHEST}: write fewer or smaller dice"
            yield table.place.at("die").fault(f"table {table.id}: {what}")
        if table.id in others:
            yield table.place.at("id").fault(f"table {table.id}: {others[table.id]} has that name: give it another id")
        if table.head and table.head.against and table.head.against.value is None:
            what = "it has no number to read: write value = 50, or leave against out"
            yield table.place.at("against").fault(f"table {table.id}: {what}")
        if table.letters.items:
            yield table.place.at("letters").fault(f"table {table.id}: letters are for random events: leave them out")
        for row, place in table.rows.with_places():
            if row.event is not None:
                yield table.where(place).fault(f"row {row.outcome}: event is for tables of random events: leave it out")


def find_consequence_faults(
    draft: BookDraft, printed: BookDraft, procedures: Collection[Procedure], documents: Collection[Document]
) -> Iterator[Fault]:
    """Yield roles, deeds or amounts that rows and acts in these files can't have."""
    deeds = draft.deeds_by_id()
    native = {table.id: {item.do for row in table.rows for item in row.then} for table in printed.tables}
    for table in draft.tables:
        rolls = [item for item in procedures if table.id in item.method.tables]
        roles = [role for role in dict.fromkeys(role for item in rolls for role in (item.actor, item.subject)) if role]
        # An overlay may repeat what the printed table does, such as a row that it only moves.
        known = {name: deed for name, deed in deeds.items() if deed.house or name in native.get(table.id, ())}
        # A table that no roll knows has no roles to hold its rows against.
        for row, place in table.rows.with_places() if roles else ():
            done = row.then if place.document in documents else ()
            problems = (_problem(item, roles, deeds[item.do], known) for item in done if item.do in deeds)
            for what in filter(None, problems):
                yield place.fault(f"row {row.outcome}: {what}")
    native = {act.id: {item.do for item in act.then} for act in printed.acts}
    for act, place in ((act, place) for act, place in draft.acts.with_places() if place.document in documents):
        known = {name: deed for name, deed in deeds.items() if deed.house or name in native.get(act.id, ())}
        roles = [act.actor, act.subject]
        # `rules.lint` reports other roles.
        sets = (item for item in act.then if item.do in deeds and item.to in {None, *roles})
        problems = (_problem(item, roles, deeds[item.do], known) for item in sets)
        yield from (place.fault(f"act {act.id}: {what}") for what in problems if what)


def find_card_faults(draft: BookDraft, procedures: Iterable[Procedure], files: Collection[Document]) -> Iterator[Fault]:
    """Yield rolls that these files make too large for a roll card."""
    tables = {table.id: table for table in draft.tables}
    for item in procedures:
        of_roll = [tables[table] for table in item.method.tables if table in tables]
        # Of an id on several tables the first table's line counts, so they're reversed.
        every = {modifier.id: modifier for table in reversed(of_roll) for modifier in table.modifiers}
        tickable = [modifier for name, modifier in every.items() if name not in item.method.decided_by_choice]
        # One fault for a roll: the first of its tables that these files have touched is the one to mend.
        for place in (place for table in of_roll if (place := table.changed or table.place).document in files):
            yield from (place.fault(f"the {item.family} roll {what}") for what in _card_problems(item, tickable))
            break


def find_chain_faults(
    draft: BookDraft, leads: Mapping[str, Collection[str]], documents: Collection[Document]
) -> Iterator[Fault]:
    """Yield rows that can't roll on. `leads` are own tables."""
    read = {name for item in draft.contests for name in (item.actor, item.resister)}
    read |= {name for item in draft.strikes for name in (*item.rolls, item.tally)}
    for table in draft.tables:
        for row, place in table.rows.with_places():
            if row.rolls and place.document in documents and (table.id not in leads or table.id in read):
                what = f"row {row.outcome}: only rows of a separate table can roll on: leave rolls out"
                yield place.at("rolls").fault(what)
            elif row.rolls in draft.table_ids() and row.rolls not in leads:
                what = f"row {row.outcome}: {row.rolls} is a table of the book: roll on a separate one"
                yield place.at("rolls").fault(what)


def _card_problems(item: Procedure, modifiers: Sequence[Modifier]) -> Iterator[str]:
    groups = Counter(modifier.group for modifier in modifiers)
    fixed = len(item.choices) + bool(item.method.manual_facts)
    selects = sum(-(-size // MAX_OPTIONS) for size in groups.values()) + fixed
    if selects > MAX_SELECTS:
        yield f"needs {selects} lists, and its card has room for {MAX_SELECTS}: use fewer groups"
    counted = sum(modifier.per is not None for modifier in modifiers)
    if counted > MAX_COUNTS:
        yield f"has {counted} modifiers with per, and its card room for {MAX_COUNTS}: leave some out"


def _section_faults(document: Document) -> Iterator[Fault]:
    if "overlay" in document.data:
        return
    for key in _OF_BOOKS & document.data.keys():
        what = "only a whole book has that: write [[table]] and facts, or [overlay] to change a book"
        yield Place(document, (key,)).fault(f"{key}: {what}")
    if document.data.get("table") in (None, []):
        what = "this file has no table: write [[table]], or [overlay] to change a book"
        yield Place(document, ("table",)).fault(what)


def _problem(item: Consequence, roles: Sequence[str], deed: ConsequenceKind, known: Collection[str]) -> str | None:
    most = _LARGEST_AMOUNT if deed.most is None else deed.most
    if item.do not in known:
        return f"{item.do} is for a book's own rolls{phrases.list_known(sorted(known))}"
    ways = " or ".join(f'to = "{role}"' for role in roles)
    if item.to not in roles and not (item.to is None and deed.alone):
        return f"{item.do} to {item.to or 'nobody'}: write {ways}"
    if item.amount is not None and not 0 <= item.amount <= most:
        return f"{item.do} of {item.amount}: write amount = 0 to {most}"
    return None


def _drop_declared_roles(
    fact: items.PlacedItem[FactItem], seen: dict[tuple[str, str], items.PlacedItem[FactItem]]
) -> items.PlacedItem[FactItem] | None:
    item, document = fact.value, fact.place.document
    roles = []
    for role in item.roles:
        before = seen.setdefault((role, item.trait), fact)
        alike = (before.value.label, before.value.secret) == (item.label, item.secret)
        if before.place.document is document or not alike:
            roles.append(role)
    return replace(fact, value=replace(item, roles=tuple(roles))) if roles else None
