"""Items of rule files, read one by one with their places, so that no bad row hides others; tables made of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rules import kinds, phrases, shapes
from rules.book import Score, modifier_of_role
from rules.dice import DiceTerm
from rules.documents import Document, Place, header_items
from rules.errors import Fault
from rules.modifiers import SELF, JsonObject, Modifier
from rules.tables import Natural, Number, Reading, RollTable, TableRow

ItemT = TypeVar("ItemT", bound=kinds.RuleItem)


class PlacedItem(Struct, Generic[ItemT], frozen=True):
    """An item as read, its place, and the names of its correctly written fields."""

    value: ItemT
    place: Place
    written: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name other files use."""
        return str(getattr(self.value, self.value.key))


class Items(Struct, Generic[ItemT], frozen=True):
    """A list's readable items; `whole` if none is missing."""

    items: tuple[PlacedItem[ItemT], ...] = ()
    whole: bool = True

    def __iter__(self) -> Iterator[ItemT]:
        return (item.value for item in self.items)

    def __add__(self, more: Items[ItemT]) -> Items[ItemT]:
        return Items((*self.items, *more.items), whole=self.whole and more.whole)

    def with_values(self, values: Iterable[ItemT]) -> Items[ItemT]:
        """Return other items in these places."""
        pairs = zip(self.items, values, strict=True)
        return replace(self, items=tuple(replace(item, value=value) for item, value in pairs))

    def with_places(self) -> Iterator[tuple[ItemT, Place]]:
        """Yield each item with its place."""
        return ((item.value, item.place) for item in self.items)


def read(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> PlacedItem[ItemT] | None:
    """Read an item; None if faulty, but one with correct `linked` keys comes back without its faulty parts."""
    wrong: list[shapes.ItemFault] = []
    values = shapes.read_fields(model, raw, (), wrong)
    if wrong:
        relevant = shapes.relevant_faults(model, wrong)
        about = _about(model, raw, place)
        faults.extend(place.at(*item.way).fault(about + shapes.explain(model, item)) for item in relevant)
        ways = [way for item in relevant if item.way for way in (item.way, shapes.find_meant_key(model, item))]
        if not model.linked or not isinstance(raw, dict) or not model.linked.isdisjoint(way[0] for way in ways):
            return None
        # What is right of it is enough to hold other items against, so that one slip does not bring ten faults. Its own
        # parts are held against others once it is right.
        values = {
            name: value
            for name, value in values.items()
            if not isinstance(value, tuple) or not isinstance(next(iter(value), None), kinds.RuleItem)
        }
    return PlacedItem(shapes.make_item(model, values), place, frozenset(values))


def read_list(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> Items[ItemT]:
    """Read a list's items."""
    if not isinstance(raw, list | tuple):
        return Items(whole=False)
    items = [read(model, value, place.at(index), faults) for index, value in enumerate(raw)]
    return Items(tuple(item for item in items if item is not None), whole=None not in items)


def merge_items(old: Items[ItemT], new: Items[ItemT], removed: Collection[str] = ()) -> Items[ItemT]:
    """Replace old items by new ones with their name, append other new ones, and drop `removed` names.

    Further new ones of one name are appended, so they show as duplicates.
    """
    fresh: dict[str, PlacedItem[ItemT]] = {}
    for item in new.items:
        fresh.setdefault(item.name, item)
    kept = [item for item in old.items if item.name not in removed]
    names = {item.name for item in kept}
    # A changed item keeps its place, and with it the order of the page.
    both = [fresh.get(item.name, item) for item in kept]
    both.extend(item for item in new.items if item.name not in names or fresh[item.name] is not item)
    return Items(tuple(both), whole=old.whole and new.whole)


def _about(model: type[kinds.RuleItem], raw: object, place: Place) -> str:
    if model.noun == "file":
        return ""
    last = place.keys[-1]
    given = raw if isinstance(raw, dict) else {}
    names = (given.get(key) for key in ("id", "outcome", "trait", "face", "table", "zone", "name"))
    name = next((name for name in names if isinstance(name, str | int)), last + 1 if isinstance(last, int) else last)
    return f"{model.noun}: " if name == model.noun else f"{model.noun} {name}: "


_HEAD = ("die", "source", "against", "caps", "pool", "doubles", "audience", "scores")
"""What a table inherits from its pattern, besides lists."""
Patterns = Mapping[str, tuple[Place, JsonObject]]
"""Tables that others can be like, as written."""


class TableDraft(Struct, frozen=True):
    """A table as written; `head` is None if its keys have faults.

    `changed` is where an overlay last changed it, `changes` which files did.
    """

    id: str
    place: Place
    head: RollTable | None
    rows: Items[TableRow]
    naturals: Items[Natural]
    numbers: Items[Number]
    modifiers: Items[Modifier]
    readings: Items[Reading]
    letters: Items[kinds.Letter]
    scores: Mapping[str, list[str]]
    changed: Place | None = None
    changes: tuple[str, ...] = ()

    def where(self, place: Place | None = None, *keys: str | int) -> Place:
        """Return the place to mend a fault: the overlay that last changed the item, else `place` and `keys` in it."""
        place = place or self.place
        if self.changed and place.document is self.place.document:
            return self.changed
        return place.at(*keys)


def patterns_in(documents: Iterable[Document]) -> Patterns:
    """Return tables that others can be `like`."""
    every = ((document.data.get("table", []), Place(document, ("table",))) for document in documents)
    tables = (item for raw, place in every for item in header_items(raw, place))
    return {str(raw.get("id")): (place, raw) for place, raw in tables if isinstance(raw, dict) and "like" not in raw}


def read_tables(raw: object, place: Place, patterns: Patterns, faults: list[Fault]) -> Iterator[TableDraft]:
    """Yield the tables under `[table]` or `[[table]]`."""
    for where, item in header_items(raw, place):
        if not isinstance(item, dict) or "like" not in item:
            yield _with_die(_read_table(item, where, faults))
        elif isinstance(like := item["like"], str) and like in patterns:
            at, pattern = patterns[like]
            taken = {key: pattern[key] for key in _HEAD if key in pattern}
            own = _read_table({**taken, "rows": [], **item}, where, faults)
            yield _with_die(_fill_from_pattern(own, _read_table(pattern, at, [])))
        else:
            what = f"like {like}: unknown table{phrases.suggestion(str(like), patterns)}"
            faults.append(where.at("like").fault(f"table {item.get('id', '?')}: {what}"))


def _read_table(raw: object, place: Place, faults: list[Fault]) -> TableDraft:
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
        letters=items(kinds.Letter, "letters"),
        readings=_read_readings(parts.get("readings"), place.at("readings"), faults),
        scores=parts.get("scores", {}) if head else {},
    )


def read_modifiers(raw: object, place: Place, faults: list[Fault]) -> Items[Modifier]:
    """Read modifiers; one without `when` asks for the fact with its id."""
    items = read_list(Modifier, raw, place, faults)
    return replace(items, items=tuple(_add_tests(item, item.value.id) for item in items.items))


def _add_tests(item: PlacedItem[Modifier], own: str) -> PlacedItem[Modifier]:
    modifier, when = item.value, item.value.when
    if modifier.times is not None:
        when = tuple((modifier.times, *clause) for clause in when or ((),))
    elif "when" not in item.written:
        when = ((own,),)
    return replace(item, value=replace(modifier, when=when))


def _with_die(table: TableDraft) -> TableDraft:
    """Read d66 as one die of 66 sides if rows or faces need it, for old files."""
    head = table.head
    if head is None or not head.die.digits:
        return table
    faces = any(not head.die.ways().get(natural.face) for natural in table.naturals)
    totals = head.against is None and any(row.min is not None and row.min < head.die.low for row in table.rows)
    one = {"die": DiceTerm(1, head.die.high)} if faces or totals else {}
    return replace(table, head=replace(head, **one))


def _read_readings(raw: object, place: Place, faults: list[Fault]) -> Items[Reading]:
    readings = raw.items() if isinstance(raw, dict) else ()
    items = [read(Reading, value, place.at(name), faults) for name, value in readings]
    found = Items(tuple(item for item in items if item is not None))
    return found.with_values(replace(item, id=str(at.keys[-1])) for item, at in found.with_places())


def _fill_from_pattern(table: TableDraft, pattern: TableDraft) -> TableDraft:
    rows = {row.name: row for row in table.rows.items}
    filled = []
    for row in pattern.rows.items:
        own = rows.pop(row.name, row)
        others = {*TableRow.__struct_fields__} - own.written
        filled.append(replace(own, value=replace(own.value, **{name: getattr(row.value, name) for name in others})))
    return replace(
        table,
        rows=Items((*filled, *rows.values()), whole=table.rows.whole and pattern.rows.whole),
        naturals=merge_items(pattern.naturals, table.naturals),
        numbers=merge_items(pattern.numbers, table.numbers),
        modifiers=merge_items(pattern.modifiers, table.modifiers),
        readings=merge_items(pattern.readings, table.readings),
    )


class ScoreDraft(Score, frozen=True):
    """A score as written, with placed modifiers."""

    derived = frozenset({"drawn"})
    drawn: Items[Modifier] = Items()


def read_scores(raw: Any, place: Place, faults: list[Fault]) -> Items[ScoreDraft]:  # noqa: ANN401 - as written
    """Read scores with their modifiers."""
    items = read_list(ScoreDraft, raw, place, faults)
    return items.with_values(
        replace(item, drawn=_read_score_modifiers(raw[at.keys[-1]].get("modifiers", []), at.at("modifiers"), faults))
        for item, at in items.with_places()
    )


def _read_score_modifiers(raw: object, place: Place, faults: list[Fault]) -> Items[Modifier]:
    items = read_list(Modifier, raw if isinstance(raw, list) else [], place, faults)
    tested = [_add_tests(item, f"{SELF}.{item.value.id}") for item in items.items]
    bare = [replace(item, written=item.written | {"when"}) if item.value.times is None else item for item in tested]
    return replace(items, items=tuple(bare))


def take_scores(tables: list[TableDraft], scores: Items[ScoreDraft], faults: list[Fault]) -> None:
    """Add to each table, in the list itself, the modifiers of the scores it names."""
    known = {score.id: score for score in scores}
    for index, table in enumerate(tables):
        modifiers = table.modifiers
        for role, name in _list_scores(table):
            if name in known:
                modifiers += _modifiers_for(role, known[name])  # of two of one id both show
            elif scores.whole:
                what = f"unknown score {name}{phrases.suggestion(name, known)}"
                faults.append(table.where(None, "scores").fault(f"table {table.id}: {what}"))
        tables[index] = replace(table, modifiers=modifiers)


def change_score(tables: list[TableDraft], scores: Items[ScoreDraft], new: PlacedItem[ScoreDraft]) -> Items[ScoreDraft]:
    """Add or change a score, in the list also tables that use it; return all scores."""
    for index, table in enumerate(tables):
        modifiers = table.modifiers
        for role, name in _list_scores(table):
            if name == new.name:
                modifiers = merge_items(modifiers, _modifiers_for(role, new.value))
        tables[index] = replace(table, modifiers=modifiers)
    old = {item.name: item for item in scores.items}
    before = old.get(new.name)
    drawn = merge_items(before.value.drawn, new.value.drawn) if before else new.value.drawn
    old[new.name] = replace(new, value=replace(new.value, drawn=drawn))
    return replace(scores, items=tuple(old.values()))


def _list_scores(table: TableDraft) -> Iterator[tuple[str, str]]:
    return ((role, name) for role, names in table.scores.items() for name in names)


def _modifiers_for(role: str, score: ScoreDraft) -> Items[Modifier]:
    return score.drawn.with_values(modifier_of_role(role, item) for item in score.drawn)


def strings(raw: object) -> list[str]:
    """Return a list's texts, if any."""
    return [item for item in raw if isinstance(item, str)] if isinstance(raw, list) else []
