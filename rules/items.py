"""Items of rule files: which there are, and each read by itself, so that one bad row does not hide what is wrong with the next.

An item's place in its file is kept beside it, for the faults that only show when items are held against each other (`rules.lint`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, ClassVar, Generic, TypeVar

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from rules.documents import Place
from rules.errors import Fault
from rules.kinds import Name, RuleItem, Text
from rules.shapes import ItemFault, explain, make_item, meant_key, read_fields, relevant_faults
from rules.tables import Source

ItemT = TypeVar("ItemT", bound=RuleItem)
OtherT = TypeVar("OtherT", bound=RuleItem)


class Placed(Struct, Generic[ItemT], frozen=True):
    """An item, where it is written, and which of its fields are."""

    value: ItemT
    place: Place
    written: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What other files call it by."""
        return str(getattr(self.value, self.value.key))


class Items(Struct, Generic[ItemT], frozen=True):
    """The items of a list that can be held against each other; `whole` when that is all of them."""

    items: tuple[Placed[ItemT], ...] = ()
    whole: bool = True

    def __iter__(self) -> Iterator[ItemT]:
        return (item.value for item in self.items)

    def __add__(self, more: Items[ItemT]) -> Items[ItemT]:
        """Return both lists, one after the other."""
        return Items((*self.items, *more.items), whole=self.whole and more.whole)

    def with_values(self, values: Iterable[ItemT]) -> Items[ItemT]:
        """Return the same with other items in these places."""
        pairs = zip(self.items, values, strict=True)
        return replace(self, items=tuple(replace(item, value=value) for item, value in pairs))

    def placed(self) -> Iterator[tuple[ItemT, Place]]:
        """Yield each item with its place."""
        return ((item.value, item.place) for item in self.items)


def read(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> Placed[ItemT] | None:
    """Read the item as written at `place`; its faults are added to `faults`.

    An item whose `linked` keys are faultless comes back even so, without what is wrong; another one is None.
    """
    wrong: list[ItemFault] = []
    values = read_fields(model, raw, (), wrong)
    if wrong:
        relevant = relevant_faults(model, wrong)
        about = _about(model, raw, place)
        faults.extend(place.at(*item.way).fault(about + explain(model, item)) for item in relevant)
        ways = [way for item in relevant if item.way for way in (item.way, meant_key(model, item))]
        if not model.linked or not isinstance(raw, dict) or not model.linked.isdisjoint(way[0] for way in ways):
            return None
        # What is right of it is enough to hold other items against, so that one slip does not bring ten faults. Its own
        # parts are held against others once it is right.
        values = {name: value for name, value in values.items() if not isinstance(value, tuple) or not _parts(value)}
    return Placed(make_item(model, values), place, frozenset(values))


def read_list(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> Items[ItemT]:
    """Read the items of a list; what is no list at all is for the owner of the list to report."""
    if not isinstance(raw, list | tuple):
        return Items(whole=False)
    items = [read(model, value, place.at(index), faults) for index, value in enumerate(raw)]
    return Items(tuple(item for item in items if item is not None), whole=None not in items)


def merge_items(old: Items[ItemT], new: Items[ItemT], removed: Collection[str] = ()) -> Items[ItemT]:
    """Return the old items without the removed; a new one takes the place of the old one of its name, or comes last.

    Of new ones with one name only the first takes a place, so that the others show as duplicates.
    """
    fresh: dict[str, Placed[ItemT]] = {}
    for item in new.items:
        fresh.setdefault(item.name, item)
    kept = [item for item in old.items if item.name not in removed]
    names = {item.name for item in kept}
    # A changed item keeps its place, and with it the order of the page.
    both = [fresh.get(item.name, item) for item in kept]
    both.extend(item for item in new.items if item.name not in names or fresh[item.name] is not item)
    return Items(tuple(both), whole=old.whole and new.whole)


def _parts(value: tuple[object, ...]) -> bool:
    return isinstance(next(iter(value), None), RuleItem)


def _about(model: type[RuleItem], raw: object, place: Place) -> str:
    """Name the item by its id, or by its number in the list: `row caught: `."""
    if model.noun == "file":
        return ""
    last = place.keys[-1]
    names = (
        [raw.get(key) for key in ("id", "outcome", "trait", "face", "table", "zone", "name")]
        if isinstance(raw, dict)
        else []
    )
    name = next((name for name in names if isinstance(name, str | int)), last + 1 if isinstance(last, int) else last)
    return f"{model.noun}: " if name == model.noun else f"{model.noun} {name}: "


Raws = tuple[object, ...]
"""Items that are read one by one."""


class BookItem(RuleItem, frozen=True):
    """`[book]`: what the book is."""

    noun = "book"
    id: Name
    title: Text
    source: Text


class FactItem(RuleItem, frozen=True):
    """A trait that can be true of each of the roles."""

    noun = "fact"
    linked = frozenset({"trait", "roles"})
    trait: Name
    label: Text
    roles: Annotated[tuple[Name, ...], Meta(min_length=1)]
    secret: bool = False


class ClimateRowItem(RuleItem, frozen=True):
    """What one outcome of a zone's table means: the conditions of each region."""

    noun = "row"
    key = "outcome"
    examples: ClassVar[Mapping[str, str]] = {
        "outcome": 'outcome = "category-1"',
        "regions": 'regions = { india = ["storms"] }',
    }
    outcome: Name
    regions: Mapping[Name, tuple[Name, ...]]


class ClimateItem(RuleItem, frozen=True):
    """`[[climate]]`: what the outcomes of a zone's table mean for its regions."""

    noun = "climate"
    key = "zone"
    linked = frozenset({"zone", "rows"})
    examples: ClassVar[Mapping[str, str]] = {
        "zone": 'zone = "south-asia"',
        "rows": 'rows = [{ outcome = "category-1", regions = { india = ["storms"] } }]',
    }
    derived = frozenset({"cells"})
    zone: Name
    rows: Raws
    cells: Items[ClimateRowItem] = Items()


class ClimateChangeItem(RuleItem, frozen=True):
    """`[[climate]]` of an overlay: the cells that change, and the regions that become land or sea."""

    noun = "climate"
    linked = ClimateItem.linked
    examples = ClimateItem.examples
    zone: Name
    rows: Raws = ()
    land: Mapping[Name, bool] = field(default_factory=dict)


class BookFile(RuleItem, frozen=True):
    """What a file of a book may hold."""

    noun = "file"
    book: object = None
    facts: Raws = ()
    table: object = None
    scores: Raws = ()
    catalog: Mapping[Name, Raws] = field(default_factory=dict)
    contests: Raws = ()
    strikes: Raws = ()
    acts: Raws = ()
    zones: Raws = ()
    conditions: Raws = ()
    climate: Raws = ()
    traits: Raws = ()
    fields: Raws = ()
    effects: Raws = ()
    deeds: Raws = ()


class OverlayItem(RuleItem, frozen=True):
    """`[overlay]`: what the overlay is and which book it changes."""

    noun = "overlay"
    id: Name
    extends: Name
    source: Source
    facts: Raws = ()
    conditions: Raws = ()
    traits: Raws = ()
    fields: Raws = ()
    effects: Raws = ()


class ChangeItem(RuleItem, frozen=True):
    """`[[change]]`: what changes in one table of the book."""

    noun = "change"
    table: Name
    remove_modifiers: tuple[Name, ...] = ()
    remove_rows: tuple[Name, ...] = ()
    rows: Raws = ()
    modifiers: Raws = ()


class OverlayFile(RuleItem, frozen=True):
    """What an overlay file may hold."""

    noun = "file"
    overlay: object
    change: object = None
    table: object = None
    climate: object = None
    scores: Raws = ()
    catalog: Mapping[Name, Raws] = field(default_factory=dict)
    contests: Raws = ()
    strikes: Raws = ()
    acts: Raws = ()
