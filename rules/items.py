"""Items of a rule file, each checked on its own, so that one bad row does not hide what is wrong with the next.

An item keeps its place, for the faults that only show when items are held against each other (`rules.lint`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar, Generic, TypeVar, cast

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from rules.errors import Fault
from rules.explain import EXAMPLES, explain, meant_key, relevant_errors
from rules.lines import Place


class Item(BaseModel):
    """Something written in a rule file, and its place there."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-")
    )
    kind: ClassVar[str]
    linked: ClassVar[frozenset[str]] = frozenset()
    """The keys that other items are held against; an item in which these are right still takes part in that."""
    examples: ClassVar[Mapping[str, str]] = {}
    """How a key is written here, where that is not what `EXAMPLES` shows for other items."""
    _place: Place = PrivateAttr()

    def model_post_init(self, context: Place, /) -> None:
        """Keep the place that the reader hands in as context."""
        self._place = context

    @property
    def place(self) -> Place:
        """Where it is written."""
        return self._place

    @property
    def name(self) -> str:
        """What other files call it by."""
        return str(getattr(self, "id", ""))


ItemT = TypeVar("ItemT", bound=Item)
PartT = TypeVar("PartT")


class Items(Struct, Generic[PartT], frozen=True):
    """The items of a list that can be held against each other; `whole` when that is all of them."""

    items: tuple[PartT, ...] = ()
    whole: bool = True

    def __iter__(self) -> Iterator[PartT]:
        return iter(self.items)

    def __add__(self, more: Items[PartT]) -> Items[PartT]:
        """Return both lists, one after the other."""
        return Items((*self.items, *more.items), whole=self.whole and more.whole)


def read(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> ItemT | None:
    """Read the item as written at `place`; its faults are added to `faults`.

    An item whose `linked` keys are faultless comes back even so, without what is wrong; another one is None.
    """
    try:
        return model.model_validate(raw, context=place)
    except ValidationError as error:
        details = relevant_errors(model, error)
        about = _about(model, raw, place)
        examples = {**EXAMPLES, **model.examples}
        faults.extend(place.at(*detail["loc"]).fault(about + explain(model, detail, examples)) for detail in details)
        ways = [way for detail in details if detail["loc"] for way in (detail["loc"], meant_key(model, detail))]
        return _salvage(model, raw, place, {way[0] for way in ways})


def read_list(model: type[ItemT], raw: object, place: Place, faults: list[Fault]) -> Items[ItemT]:
    """Read the items of a list; what is no list at all is for the owner of the list to report."""
    if not isinstance(raw, list):
        return Items(whole=False)
    items = [read(model, value, place.at(index), faults) for index, value in enumerate(raw)]
    return Items(tuple(item for item in items if item is not None), whole=None not in items)


def merged(old: Items[ItemT], new: Items[ItemT], removed: Collection[str] = ()) -> Items[ItemT]:
    """Return the old items without the removed; a new one takes the place of the old one of its name, or comes last.

    Of new ones with one name only the first takes a place, so that the others show as duplicates.
    """
    fresh: dict[str, ItemT] = {}
    for item in new:
        fresh.setdefault(item.name, item)
    kept = [item for item in old if item.name not in removed]
    names = {item.name for item in kept}
    # A changed item keeps its place, and with it the order of the page.
    both: list[ItemT] = [fresh.get(item.name, item) for item in kept]
    both.extend(item for item in new if item.name not in names or fresh[item.name] is not item)
    return Items(tuple(both), whole=old.whole and new.whole)


def _salvage(model: type[ItemT], raw: object, place: Place, wrong: Collection[str | int | None]) -> ItemT | None:
    if not model.linked or not isinstance(raw, dict) or not model.linked.isdisjoint(wrong):
        return None
    # What is right of it is enough to hold other items against, so that one slip does not bring ten faults.
    item = model.model_construct(**{key: value for key, value in raw.items() if key not in wrong})
    item.model_post_init(place)
    return cast("ItemT", item)


def _about(model: type[Item], raw: object, place: Place) -> str:
    """Name the item by its id, or by its number in the list: `row caught: `."""
    if model.kind == "file":
        return ""
    last = place.keys[-1]
    names = (
        [raw.get(key) for key in ("id", "outcome", "trait", "face", "table", "zone", "name")]
        if isinstance(raw, dict)
        else []
    )
    name = next((name for name in names if isinstance(name, str | int)), last + 1 if isinstance(last, int) else last)
    return f"{model.kind}: " if name == model.kind else f"{model.kind} {name}: "
