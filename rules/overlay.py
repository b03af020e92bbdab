"""A game master's changes to a book: rows, modifiers and conditions by id, climates cell by cell, whole tables brought along.

The outcome is held to the same rules as the book itself (`rules.lint`); what is wrong is said of the overlay's own lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf

from msgspec.structs import replace

from rules.book import Act, Condition, Contest, Strikes, Zone
from rules.defaults import fill
from rules.draft import BookDraft, add_kept, holds_facts, read_entries
from rules.errors import Fault
from rules.items import Items, ItemT, merged, read, read_list
from rules.lines import Document, Place, header_items
from rules.modifiers import Modifier
from rules.phrases import suggestion
from rules.schema import ChangeItem, ClimateChangeItem, ClimateRowItem, FactItem, OverlayFile, OverlayItem
from rules.table_draft import change_score, patterns_in, read_modifiers, read_scores, read_tables, take_scores
from rules.tables import TableRow


def apply(draft: BookDraft, document: Document, faults: list[Fault]) -> None:
    """Change the draft as the overlay says; whatever it says wrongly is added to `faults`."""
    fill(document)
    place = Place(document)
    data = document.data
    if read(OverlayFile, data, place, faults) is None:
        draft.whole = False
    if "overlay" in data:
        _apply_head(draft, data["overlay"], place.at("overlay"), faults)
    draft.facts += Items(whole=not (holds_facts(data.get("table")) or holds_facts(data.get("change"))))
    new = [*read_tables(data.get("table", []), place.at("table"), patterns_in([document]), faults)]
    take_scores(new, draft.scores, faults)
    draft.tables.extend(new)
    for where, raw in header_items(data.get("change", []), place.at("change")):
        _apply_change(draft, raw, where, faults)
    for score in read_scores(data.get("scores", []), place.at("scores"), faults).items:
        draft.scores = change_score(draft.tables, draft.scores, score)
    _replace_items(draft, data, place, faults)
    for where, raw in header_items(data.get("climate", []), place.at("climate")):
        _apply_climate(draft, raw, where, faults)


def _replace_items(draft: BookDraft, data: Mapping[str, object], place: Place, faults: list[Fault]) -> None:
    """Put what the overlay lists, contests, strikes and acts in the place of what has their ids, or behind it."""
    entries = {(kind, _id(raw)): (kind, at, raw) for kind, at, raw in draft.entries}
    entries |= {
        (kind, _id(raw)): (kind, at, raw) for kind, at, raw in read_entries(data.get("catalog"), place.at("catalog"))
    }
    draft.entries = [*entries.values()]

    def items(model: type[ItemT], key: str) -> Items[ItemT]:
        return read_list(model, data.get(key, []), place.at(key), faults)

    draft.contests = merged(draft.contests, items(Contest, "contests"))
    draft.strikes = merged(draft.strikes, items(Strikes, "strikes"))
    draft.acts = merged(draft.acts, items(Act, "acts"))


def _id(raw: object) -> object:
    return str(raw.get("id")) if isinstance(raw, dict) else None


def extends(document: Document, faults: list[Fault]) -> str | None:
    """Return the id of the book that the overlay says it changes, or None and add a fault when it does not say."""
    place = Place(document, ("overlay",))
    raw = document.data.get("overlay")
    book = raw.get("extends") if isinstance(raw, dict) else None
    if isinstance(book, str):
        return book
    read(OverlayItem, raw, place, faults)
    return None


def _apply_head(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    head = read(OverlayItem, raw, place, faults)
    draft.facts += Items(whole=head is not None)
    known = [book.value.id for book in draft.heads]
    if head and known and (extended := head.value.extends) not in known:
        what = f"it is held against the book {known[0]}, but extends {extended}{suggestion(extended, known)}"
        faults.append(place.at("extends").fault(f"overlay {head.name}: {what}"))
    parts = raw if isinstance(raw, dict) else {}

    def items(model: type[ItemT], key: str) -> Items[ItemT]:
        return read_list(model, parts.get(key, []), place.at(key), faults)

    draft.facts += items(FactItem, "facts")
    draft.conditions = merged(draft.conditions, items(Condition, "conditions"))
    add_kept(draft, parts, place, faults)


def _apply_change(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    item = read(ChangeItem, raw, place, faults)
    if item is None:
        return
    change = item.value
    rows = read_list(TableRow, change.rows, place.at("rows"), faults)
    modifiers = read_modifiers(change.modifiers, place.at("modifiers"), faults)
    known = draft.table_ids()
    if change.table not in known:
        what = f"unknown table {change.table}{suggestion(change.table, known)}"
        faults.append(place.at("table").fault(f"change {change.table}: {what}"))
        return
    index = known.index(change.table)
    table = draft.tables[index]
    faults.extend(_missing_names("row", change.remove_rows, table.rows, place.at("remove-rows")))
    faults.extend(_missing_names("modifier", change.remove_modifiers, table.modifiers, place.at("remove-modifiers")))
    draft.tables[index] = replace(
        table,
        # A new row stands wherever it was convenient to write; the table is shown in the order of its ranges.
        rows=_sort_rows(merged(table.rows, rows, change.remove_rows), table.rows),
        modifiers=merged(table.modifiers, modifiers, change.remove_modifiers),
        changed=place,
        changes=(*table.changes, place.document.name),
    )


def _sort_rows(rows: Items[TableRow], printed: Items[TableRow]) -> Items[TableRow]:
    """Return the rows in the order of their ranges, from the top down where they are printed so."""
    down = any(row.value.max is None and row.value.min is not None for row in printed.items[:1])
    in_order = sorted(rows.items, key=lambda row: -inf if row.value.min is None else row.value.min, reverse=down)
    return replace(rows, items=tuple(in_order))


def _apply_climate(draft: BookDraft, raw: object, place: Place, faults: list[Fault]) -> None:
    item = read(ClimateChangeItem, raw, place, faults)
    if item is None:
        return
    change = item.value
    rows = read_list(ClimateRowItem, change.rows, place.at("rows"), faults)
    known = [climate.zone for climate in draft.climates]
    if change.zone not in known:
        what = f"unknown zone {change.zone}{suggestion(change.zone, known)}"
        faults.append(place.at("zone").fault(f"climate {change.zone}: {what}"))
        return
    draft.climates = draft.climates.with_values(
        replace(old, cells=_fill_cells(old.cells, rows)) if old.zone == change.zone else old for old in draft.climates
    )
    faults.extend(_unknown_regions(draft, change, place))
    draft.zones = draft.zones.with_values(
        _with_land(zone, change.land) if zone.id == change.zone else zone for zone in draft.zones
    )


def _fill_cells(old: Items[ClimateRowItem], new: Items[ClimateRowItem]) -> Items[ClimateRowItem]:
    """Put the new rows in place of the old ones, with the old cells that they do not tell of."""
    cells = {row.outcome: row.regions for row in old}
    filled = (replace(row, regions={**cells.get(row.outcome, {}), **row.regions}) for row in new)
    return merged(old, new.with_values(filled))


def _unknown_regions(draft: BookDraft, item: ClimateChangeItem, place: Place) -> Iterator[Fault]:
    known = [region.id for zone in draft.zones if zone.id == item.zone for region in zone.regions]
    for name in item.land:
        if name not in known:
            what = f"unknown region {name}{suggestion(name, known)}"
            yield place.at("land", name).fault(f"climate {item.zone}: {what}")


def _with_land(zone: Zone, land: Mapping[str, bool]) -> Zone:
    return replace(zone, regions=tuple(replace(item, land=land.get(item.id, item.land)) for item in zone.regions))


def _missing_names(
    kind: str, names: Iterable[str], items: Items[TableRow] | Items[Modifier], place: Place
) -> Iterator[Fault]:
    """Check that what is to be removed is there."""
    known = [item.name for item in items.items]
    for index, name in enumerate(names):
        if name not in known:
            yield place.at(index).fault(f"unknown {kind} {name} to remove{suggestion(name, known)}")
