"""Overlays: files that change a book."""

from collections.abc import Collection, Iterable, Iterator
from math import inf

from msgspec.structs import replace

from rules import items, phrases, ruleset
from rules.documents import Document, Place, fill_defaults, header_items
from rules.draft import (
    KEPT_LISTS,
    BookDraft,
    ChangeItem,
    ClimateChangeItem,
    ClimateRowItem,
    OverlayFile,
    OverlayItem,
    add_lists,
    holds_facts,
    read_entries,
    read_key,
)
from rules.errors import Fault
from rules.modifiers import Modifier
from rules.orders import OrderKind, Phase
from rules.tables import TableRow

REMOVE = "remove"
"""The key of a catalog that lists ids to leave out, such as `"scout"` or `"phase.scout"`."""

Entry = tuple[str, Place, object]
"""A catalog entry: kind, place, raw."""


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
    for key in ("contests", "strikes", "acts", "upkeep"):
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
