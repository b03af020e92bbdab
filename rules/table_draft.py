"""Tables as written: also those that are like another one but for what they say themselves, and the scores that they take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.dice import DiceTerm
from rules.documents import Document, Place, header_items
from rules.errors import Fault
from rules.items import Items, ItemT, Placed, merge_items, read, read_list
from rules.kinds import Letter
from rules.modifiers import SELF, JsonObject, Modifier
from rules.phrases import suggestion
from rules.tables import Natural, Number, Reading, RollTable, Score, TableRow, modifier_of_role

_HEAD = ("die", "source", "against", "caps", "audience", "scores")
"""What a table takes over from the one that it is like, besides its lists."""
Patterns = Mapping[str, tuple[Place, JsonObject]]
"""What tables can be like: those that are like no other, as written."""


class TableDraft(Struct, frozen=True):
    """A table as written; `head`, its own keys without its lists, is None when it has faults of its own.

    `scores` are those that it takes, by role. `changed` is the place of the last change that an overlay made to it, `changes` are the files that made any.
    """

    id: str
    place: Place
    head: RollTable | None
    rows: Items[TableRow]
    naturals: Items[Natural]
    numbers: Items[Number]
    modifiers: Items[Modifier]
    readings: Items[Reading]
    letters: Items[Letter]
    scores: Mapping[str, list[str]]
    changed: Place | None = None
    changes: tuple[str, ...] = ()

    def where(self, place: Place | None = None, *keys: str | int) -> Place:
        """Return where to mend a fault of the item at a place, or of the whole table: in the overlay once an overlay changed the table."""
        place = place or self.place
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
        elif isinstance(like := item["like"], str) and like in patterns:
            at, pattern = patterns[like]
            taken = {key: pattern[key] for key in _HEAD if key in pattern}
            own = read_table({**taken, "rows": [], **item}, where, faults)
            yield _with_die(_fill_from_pattern(own, read_table(pattern, at, [])))
        else:
            what = f"like {like}: unknown table{suggestion(str(like), patterns)}"
            faults.append(where.at("like").fault(f"table {item.get('id', '?')}: {what}"))


def read_table(raw: object, place: Place, faults: list[Fault]) -> TableDraft:
    """Read a table with all its lists."""
    head = read(RollTable, raw, place, faults)
    parts = raw if isinstance(raw, dict) else {}

    def items(model: type[ItemT], key: str) -> Items[ItemT]:
        # A table without rows is a fault that the head reports; the other lists may be missing.
        absent: list[object] | None = None if key == "rows" else []
        return read_list(model, parts.get(key, absent), place.at(key), faults)

    return TableDraft(
        id=str(parts.get("id", "?")),
        place=place,
        head=head.value if head else None,
        rows=items(TableRow, "rows"),
        naturals=items(Natural, "naturals"),
        numbers=items(Number, "numbers"),
        modifiers=read_modifiers(parts.get("modifiers", []), place.at("modifiers"), faults),
        letters=items(Letter, "letters"),
        readings=_read_readings(parts.get("readings"), place.at("readings"), faults),
        scores=parts.get("scores", {}) if head else {},
    )


def read_modifiers(raw: object, place: Place, faults: list[Fault]) -> Items[Modifier]:
    """Read the modifiers of a list; one without tests stands on the fact of its own id, or on a number that it takes."""
    items = read_list(Modifier, raw, place, faults)
    return replace(items, items=tuple(_add_tests(item, item.value.id) for item in items.items))


def _add_tests(item: Placed[Modifier], own: str) -> Placed[Modifier]:
    """Return a modifier with all that it stands on; `own` is the fact of one of which neither tests nor a number are written."""
    modifier, when = item.value, item.value.when
    if modifier.times is not None:
        when = tuple((modifier.times, *clause) for clause in when or ((),))
    elif "when" not in item.written:
        when = ((own,),)
    return replace(item, value=replace(modifier, when=when))


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
    return replace(table, head=replace(head, **one))


def _read_readings(raw: object, place: Place, faults: list[Fault]) -> Items[Reading]:
    """Read the readings of a table; the id of each is the last part of its header."""
    readings = raw.items() if isinstance(raw, dict) else ()
    items = [read(Reading, value, place.at(name), faults) for name, value in readings]
    found = Items(tuple(item for item in items if item is not None))
    return found.with_values(replace(item, id=str(at.keys[-1])) for item, at in found.placed())


def _fill_from_pattern(table: TableDraft, pattern: TableDraft) -> TableDraft:
    """Return a table with what the one that it is like has besides; of a row both have, what it says itself counts."""
    rows = {row.name: row for row in table.rows.items}
    filled = [_row(rows.pop(row.name), row) if row.name in rows else row for row in pattern.rows.items]
    return replace(
        table,
        rows=Items((*filled, *rows.values()), whole=table.rows.whole and pattern.rows.whole),
        naturals=merge_items(pattern.naturals, table.naturals),
        numbers=merge_items(pattern.numbers, table.numbers),
        modifiers=merge_items(pattern.modifiers, table.modifiers),
        readings=merge_items(pattern.readings, table.readings),
    )


def _row(own: Placed[TableRow], pattern: Placed[TableRow]) -> Placed[TableRow]:
    others = {*TableRow.__struct_fields__} - own.written
    return replace(own, value=replace(own.value, **{name: getattr(pattern.value, name) for name in others}))


class ScoreDraft(Score, frozen=True):
    """A score as written: its modifiers with their places."""

    derived = frozenset({"drawn"})
    drawn: Items[Modifier] = Items()


def read_scores(raw: Any, place: Place, faults: list[Fault]) -> Items[ScoreDraft]:  # noqa: ANN401 - as written
    """Read the scores of a list with their modifiers."""
    items = read_list(ScoreDraft, raw, place, faults)
    return items.with_values(
        replace(item, drawn=_read_score_modifiers(raw[at.keys[-1]].get("modifiers", []), at.at("modifiers"), faults))
        for item, at in items.placed()
    )


def _read_score_modifiers(raw: object, place: Place, faults: list[Fault]) -> Items[Modifier]:
    """Read the modifiers of a score; one without tests stands on what its id says of the bearer."""
    items = read_list(Modifier, raw if isinstance(raw, list) else [], place, faults)
    told = [_add_tests(item, f"{SELF}.{item.value.id}") for item in items.items]
    bare = [replace(item, written=item.written | {"when"}) if item.value.times is None else item for item in told]
    return replace(items, items=tuple(bare))


def take_scores(tables: list[TableDraft], scores: Items[ScoreDraft], faults: list[Fault]) -> None:
    """Give each table the modifiers of the scores that it takes."""
    known = {score.id: score for score in scores}
    for index, table in enumerate(tables):
        modifiers = table.modifiers
        for role, name in _list_scores(table):
            if name in known:
                modifiers += _modifiers_for(role, known[name])  # of two of one id both show
            elif scores.whole:
                what = f"unknown score {name}{suggestion(name, known)}"
                faults.append(table.where(None, "scores").fault(f"table {table.id}: {what}"))
        tables[index] = replace(table, modifiers=modifiers)


def change_score(tables: list[TableDraft], scores: Items[ScoreDraft], score: Placed[ScoreDraft]) -> Items[ScoreDraft]:
    """Let modifiers of a score be as these, in all tables that take it; return the scores with it, a new one behind the others."""
    for index, table in enumerate(tables):
        modifiers = table.modifiers
        for role, name in _list_scores(table):
            if name == score.name:
                modifiers = merge_items(modifiers, _modifiers_for(role, score.value))
        tables[index] = replace(table, modifiers=modifiers)
    old = {item.name: item for item in scores.items}
    before = old.get(score.name)
    drawn = merge_items(before.value.drawn, score.value.drawn) if before else score.value.drawn
    old[score.name] = replace(score, value=replace(score.value, drawn=drawn))
    return replace(scores, items=tuple(old.values()))


def _list_scores(table: TableDraft) -> Iterator[tuple[str, str]]:
    return ((role, name) for role, names in table.scores.items() for name in names)


def _modifiers_for(role: str, score: ScoreDraft) -> Items[Modifier]:
    return score.drawn.with_values(modifier_of_role(role, item) for item in score.drawn)
