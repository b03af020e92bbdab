"""Items of a rule file, each checked on its own, so that one bad row does not hide what is wrong with the next.

An item's place in its file is kept beside it, for the faults that only show when items are held against each other (`rules.lint`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rules.advice import explain, meant_key, relevant_faults
from rules.errors import Fault
from rules.kinds import RuleItem
from rules.lines import Place
from rules.shapes import Wrong, made, read_fields

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
    wrong: list[Wrong] = []
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
    return Placed(made(model, values), place, frozenset(values))


def read_list(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> Items[ItemT]:
    """Read the items of a list; what is no list at all is for the owner of the list to report."""
    if not isinstance(raw, list | tuple):
        return Items(whole=False)
    items = [read(model, value, place.at(index), faults) for index, value in enumerate(raw)]
    return Items(tuple(item for item in items if item is not None), whole=None not in items)


def merged(old: Items[ItemT], new: Items[ItemT], removed: Collection[str] = ()) -> Items[ItemT]:
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
