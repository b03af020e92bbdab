"""What rule items are made of: names, texts, numbers, words of which there are only a few, and entries of catalogs.

A rule item is its own schema: the types of its fields say what may be in a file, and `rules.shapes` reads it by them.
A book's module `book` says in `CATALOG` which kinds of entries it lists, such as weapons.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

_NAME = "[a-z0-9]+([._-][a-z0-9]+)*"
_LONGEST_MARK = 2


class RuleItem(Struct, frozen=True):
    """Something written in a rule file. Its keys are the names of its fields, with hyphens."""

    noun: ClassVar[str]
    """What one is called in faults."""
    key: ClassVar[str] = "id"
    """The field that other files call it by."""
    linked: ClassVar[frozenset[str]] = frozenset()
    """The keys that other items are held against; an item in which these are right still takes part in that."""
    derived: ClassVar[frozenset[str]] = frozenset()
    """The fields that no file holds, since they follow from something else."""
    apart: ClassVar[Mapping[str, object]] = {}
    """Keys of the file, by their types, that are held to these and kept elsewhere, such as lists that are read item by item."""
    spelled: ClassVar[Mapping[str, str]] = {}
    """The keys of fields that have another one than their name."""
    flat: ClassVar[bool] = False
    """Whether its keys stand among those of the item that it is a part of."""
    examples: ClassVar[Mapping[str, str]] = {}
    """How a key is written here, where that is not what `rules.shapes` shows for other items."""


class BadSpelling(ValueError):
    """A value that is none of its kind; `mend` says what to write."""

    def __init__(self, what: str = "doesn't belong here", mend: str = "") -> None:
        super().__init__(what)
        self.mend = mend


class Spelling(Struct, frozen=True):
    """How a value is read that a file writes as a text, or as anything; `read` raises BadSpelling."""

    read: Callable[[Any], Any]
    written: type = str


def _mark(value: str) -> str:
    if len(value) <= _LONGEST_MARK and value.isalpha():
        return value
    raise BadSpelling


def word_of(*words: str) -> Spelling:
    """Return a check that takes only these words; any other is no name that could be meant."""

    def check(value: str) -> str:
        if value in words:
            return value
        raise BadSpelling

    return Spelling(check)


Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(pattern=f"^{_NAME}$")]
Tests = tuple[tuple[Annotated[str, Meta(pattern=f"^!?{_NAME}$")], ...], ...]
"""What `rules.modifiers.When` is, as a file writes it."""
Whole = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
FieldName = Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
Line = Annotated[int, Meta(ge=1, le=1_000_000)]
Amount = Annotated[int, Meta(ge=0, le=1_000_000)]
Count = Annotated[int, Meta(ge=1, le=10_000)]
Position = tuple[Annotated[int, Meta(ge=0, le=1000)], Annotated[int, Meta(ge=0, le=1000)]]
Mark = Annotated[str, Spelling(_mark)]
Bearers = Annotated[frozenset[Annotated[str, word_of("unit", "character", "place", "thing")]], Meta(min_length=1)]
Member = Annotated[str, word_of("pc", "npc")]


class CatalogEntry(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """One printed line of a list: `label` is what people read, `line` where it is printed, `kind` what the list is called."""

    kind: ClassVar[str]
    id: str
    label: str
    line: int


class PrintedNumber(CatalogEntry, frozen=True):
    """A number that the page prints for no table."""

    kind = "number"
    value: int


Kinds = Mapping[str, type[CatalogEntry]]
"""What entries hold, by their kinds."""
Catalog = Mapping[str, Mapping[str, CatalogEntry]]
"""Entries by kind and id, in the order of the page."""


Tag = Literal["missile", "flying", "caster"]
TagTest = Literal["missile", "!missile", "flying", "!flying", "caster", "!caster"]
LetterId = Literal["M", "I", "F"]
Lasts = Literal["turn", "battle", "instant", "permanent", "until_condition", "held_until_used"]
PartLasts = Literal[Lasts, "until_gone"]
Stat = Literal["ml", "ar", "ad"]
Token = Literal[
    "chosen",  # its holder ignores a later event of their choice
    "next",  # the next event that falls on units of its holder is ignored
]
CHOSEN: Token = "chosen"
NEXT: Token = "next"


class Letter(RuleItem, frozen=True):
    """A letter behind an event, and what it asks of a unit: a tag or, behind `!`, the lack of it."""

    noun = "letter"
    linked = frozenset({"id"})
    examples: ClassVar[Mapping[str, str]] = {"id": 'id = "M"', "tag": 'tag = "missile" or tag = "!missile"'}

    id: LetterId
    tag: TagTest
    line: Line

    def fits(self, tags: Collection[str]) -> bool:
        """Return whether a unit with these tags can be struck."""
        return (self.tag.removeprefix("!") in tags) != self.tag.startswith("!")
