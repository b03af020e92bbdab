"""Tables as written: also those that are like another one but for what they say themselves, and the scores that they take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rules.dice import DiceTerm
from rules.errors import Fault
from rules.facts import SELF, JsonObject, worn
from rules.items import Item, Items, ItemT, merged, read, read_list
from rules.lines import Document, Place, header_items
from rules.phrases import suggestion
from rules.schema import LetterItem, ModifierItem, NaturalItem, NumberItem, ReadingItem, RowItem, ScoreItem, TableItem

_HEAD = ("die", "source", "against", "caps", "audience", "scores")
"""What a table takes over from the one that it is like, besides its lists."""
Patterns = Mapping[str, tuple[Place, JsonObject]]
"""What tables can be like: those that are like no other, as written."""


class TableDraft(Struct, frozen=True):
    """A table as written; `head` is None when it has faults of its own.

    `changed` is the place of the last change that an overlay made to it, `changes` are the files that made any.
    """

    id: str
    place: Place
    head: TableItem | None
    rows: Items[RowItem]
    naturals: Items[NaturalItem]
    numbers: Items[NumberItem]
    modifiers: Items[ModifierItem]
    readings: Items[ReadingItem]
    letters: Items[LetterItem]
    changed: Place | None = None
    changes: tuple[str, ...] = ()

    def where(self, item: Item | None = None, *keys: str | int) -> Place:
        """Return where to mend a fault of the item, or of the whole table: in the overlay once an overlay changed the table."""
        place = item.place if item else self.place
        if self.changed and place.document is self.place.document:
            return self.changed
        return place.at(*keys)


def patterns_in(documents: Iterable[Document]) -> Patterns:
    """Return what the tables of these files can be like."""
    tables = (
        (place, raw)
        for document in documents
        for place, raw in header_items(document.data.get("table", []), Place(document, ("table",)))
    )
    return {str(raw.get("id")): (place, raw) for place, raw in tables if isinstance(raw, dict) and "like" not in raw}


def read_tables(raw: object, place: Place, patterns: Patterns, faults: list[Fault]) -> Iterator[TableDraft]:
    """Yield the one table under `[table]`, or all under `[[table]]`."""
    for where, item in header_items(raw, place):
        if not isinstance(item, dict) or "like" not in item:
            yield _with_die(read_table(item, where, faults))
        elif (like := item["like"]) in patterns:
            at, pattern = patterns[like]
            taken = {key: pattern[key] for key in _HEAD if key in pattern}
            own = read_table({**taken, "rows": [], **item}, where, faults)
            yield _with_die(_filled(own, read_table(pattern, at, [])))
        else:
            what = f"like {like}: unknown table{suggestion(str(like), patterns)}"
            faults.append(where.at("like").fault(f"table {item.get('id', '?')}: {what}"))


def read_table(raw: object, place: Place, faults: list[Fault]) -> TableDraft:
    """Read a table with all its lists."""
    head = read(TableItem, raw, place, faults)
    parts = raw if isinstance(raw, dict) else {}

    def items(model: type[ItemT], key: str) -> Items[ItemT]:
        # A table without rows is a fault that the head reports; the other lists may be missing.
        absent: list[object] | None = None if key == "rows" else []
        return read_list(model, parts.get(key, absent), place.at(key), faults)

    return TableDraft(
        id=str(parts.get("id", "?")),
        place=place,
        head=head,
        rows=items(RowItem, "rows"),
        naturals=items(NaturalItem, "naturals"),
        numbers=items(NumberItem, "numbers"),
        modifiers=items(ModifierItem, "modifiers"),
        letters=items(LetterItem, "letters"),
        readings=_read_readings(parts.get("readings"), place.at("readings"), faults),
    )


def _with_die(table: TableDraft) -> TableDraft:
    """Return a table with the die that it means: d66 is one die of 66 sides where rows begin below 11, or faces need it.

    Earlier versions read every d66 so, and files from then are still on.
    """
    head = table.head
    if head is None or not head.die.digits:
        return table
    faces = any(not head.die.ways().get(natural.face) for natural in table.naturals)
    totals = head.against is None and any(row.min is not None and row.min < head.die.low for row in table.rows)
    one = {"die": DiceTerm(1, head.die.high)} if faces or totals else {}
    return replace(table, head=head.model_copy(update=one))


def _read_readings(raw: object, place: Place, faults: list[Fault]) -> Items[ReadingItem]:
    readings = raw.items() if isinstance(raw, dict) else ()
    items = [read(ReadingItem, value, place.at(name), faults) for name, value in readings]
    return Items(tuple(item for item in items if item is not None))


def _filled(table: TableDraft, pattern: TableDraft) -> TableDraft:
    """Return a table with what the one that it is like has besides; of a row both have, what it says itself counts."""
    rows = {row.outcome: row for row in table.rows}
    filled = [_row(rows.pop(row.outcome), row) if row.outcome in rows else row for row in pattern.rows]
    return replace(
        table,
        rows=Items((*filled, *rows.values()), whole=table.rows.whole and pattern.rows.whole),
        naturals=merged(pattern.naturals, table.naturals),
        numbers=merged(pattern.numbers, table.numbers),
        modifiers=merged(pattern.modifiers, table.modifiers),
        readings=merged(pattern.readings, table.readings),
    )


def _row(own: RowItem, pattern: RowItem) -> RowItem:
    others = RowItem.model_fields.keys() - own.model_fields_set
    return own.model_copy(update={name: getattr(pattern, name) for name in others})


class ScoreDraft(Struct, frozen=True):
    """A score as written."""

    item: ScoreItem
    modifiers: Items[ModifierItem]


def read_scores(raw: object, place: Place, faults: list[Fault]) -> Items[ScoreDraft]:
    """Read the scores of a list with their modifiers."""
    items = read_list(ScoreItem, raw, place, faults)
    scores = (ScoreDraft(item, _modifiers(item, faults)) for item in items)
    return Items(tuple(scores), whole=items.whole)


def _modifiers(score: ScoreItem, faults: list[Fault]) -> Items[ModifierItem]:
    """Read the modifiers of a score; one without tests stands on what its id says of the bearer."""
    items = read_list(ModifierItem, score.modifiers, score.place.at("modifiers"), faults)
    bare = (item.when is None and item.times is None for item in items)
    told = (
        item.model_copy(update={"when": [[f"{SELF}.{item.id}"]]}) if alone else item
        for item, alone in zip(items, bare, strict=True)
    )
    return replace(items, items=tuple(told))


def take_scores(tables: list[TableDraft], scores: Items[ScoreDraft], faults: list[Fault]) -> None:
    """Give each table the modifiers of the scores that it takes."""
    known = {score.item.id: score for score in scores}
    for index, table in enumerate(tables):
        modifiers = table.modifiers
        for role, name in _taken(table):
            if name in known:
                modifiers += _borne_by(role, known[name])  # of two of one id both show
            elif scores.whole:
                what = f"unknown score {name}{suggestion(name, known)}"
                faults.append(table.where(None, "scores").fault(f"table {table.id}: {what}"))
        tables[index] = replace(table, modifiers=modifiers)


def change_score(tables: list[TableDraft], scores: Items[ScoreDraft], score: ScoreDraft) -> Items[ScoreDraft]:
    """Let modifiers of a score be as these, in all tables that take it; return the scores with it, a new one behind the others."""
    for index, table in enumerate(tables):
        modifiers = table.modifiers
        for role, name in _taken(table):
            if name == score.item.id:
                modifiers = merged(modifiers, _borne_by(role, score))
        tables[index] = replace(table, modifiers=modifiers)
    old = {item.item.id: item for item in scores}
    before = old.get(score.item.id)
    old[score.item.id] = replace(score, modifiers=merged(before.modifiers, score.modifiers)) if before else score
    return Items(tuple(old.values()), whole=scores.whole)


def _taken(table: TableDraft) -> Iterator[tuple[str, str]]:
    taken: Mapping[str, list[str]] = table.head.scores if table.head else {}
    return ((role, name) for role, names in taken.items() for name in names)


def _borne_by(role: str, score: ScoreDraft) -> Items[ModifierItem]:
    """Return the modifiers of a score as they count for whoever stands in a role."""
    return replace(score.modifiers, items=tuple(_borne(item, role) for item in score.modifiers))


def _borne(item: ModifierItem, role: str) -> ModifierItem:
    return item.model_copy(
        update={
            "id": f"{role}.{item.id}",
            "when": item.when and [[worn(literal, role) for literal in clause] for clause in item.when],
            "times": item.times and worn(item.times, role),
            "one_of": item.one_of and f"{role}.{item.one_of}",
        }
    )
