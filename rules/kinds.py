"""What rule items are made of; `rules.shapes` reads them by the types of their fields."""

import re
from collections.abc import Callable, Collection, Mapping
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

_NAME = "[a-z0-9]+([._-][a-z0-9]+)*"
_LONGEST_MARK = 2
LARGEST = 1000
"""The largest amount of a deed that declares none."""


class RuleItem(Struct, frozen=True):
    """An item of a rule file; keys are field names with hyphens."""

    noun: ClassVar[str]
    """What faults call it."""
    key: ClassVar[str] = "id"
    """The field that other files refer to."""
    linked: ClassVar[frozenset[str]] = frozenset()
    """The keys that other items are checked against; if they're right, the item takes part in that."""
    derived: ClassVar[frozenset[str]] = frozenset()
    """Fields that no file has, since they follow from others."""
    apart: ClassVar[Mapping[str, object]] = {}
    """Keys of the file that are checked by these types and kept elsewhere."""
    spelled: ClassVar[Mapping[str, str]] = {}
    """Keys that differ from their field's name."""
    flat: ClassVar[bool] = False
    """Whether its keys are among those of the item it's part of."""
    examples: ClassVar[Mapping[str, str]] = {}
    """Examples of keys, where they differ from those in `rules.shapes`."""


class BadSpelling(ValueError):
    """A wrong value; `mend` says what to write."""

    def __init__(self, what: str = "doesn't belong here", mend: str = "") -> None:
        super().__init__(what)
        self.mend = mend


class Spelling(Struct, frozen=True):
    """Reads a `written` value; may raise BadSpelling."""

    read: Callable[[Any], Any]
    written: type | UnionType = str


def _mark(value: str) -> str:
    if len(value) <= _LONGEST_MARK and value.isalpha():
        return value
    raise BadSpelling


DRAWN = TOTAL, MARGIN, ONES = "total", "margin", "ones"
"""A roll's total, how far it is from the number it's read against, and the ones of a pushed pool."""


def _read_drawn(value: int | str) -> int | str:
    named = isinstance(value, str) and re.fullmatch(_NAME, value)
    if named or (type(value) is int and 0 <= value <= LARGEST):
        return value
    raise BadSpelling


def word_of(*words: str) -> Spelling:
    """Return a spelling that accepts only these words."""

    def check(value: str) -> str:
        if value in words:
            return value
        raise BadSpelling

    return Spelling(check)


Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(pattern=f"^{_NAME}$")]
Tests = tuple[tuple[Annotated[str, Meta(pattern=f"^!?{_NAME}$")], ...], ...]
"""`rules.modifiers.When`, as a file writes it."""
Whole = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
FieldName = Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
Line = Annotated[int, Meta(ge=1, le=1_000_000)]
Amount = Annotated[int, Meta(ge=0, le=1_000_000)]
Count = Annotated[int, Meta(ge=1, le=10_000)]
Position = tuple[Annotated[int, Meta(ge=0, le=1000)], Annotated[int, Meta(ge=0, le=1000)]]
Mark = Annotated[str, Spelling(_mark)]
Drawn = Annotated[int | str, Spelling(_read_drawn, int | str)]
"""A number, or where it's from: one of these words, or a trait."""
Bearers = Annotated[frozenset[Annotated[str, word_of("unit", "character", "place", "thing")]], Meta(min_length=1)]
Member = Annotated[str, word_of("pc", "npc")]


class CatalogEntry(RuleItem, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A printed line of a list; `kind` names the list."""

    kind: ClassVar[str]
    noun: ClassVar[str] = ""
    id: str
    label: str
    line: int


class PrintedNumber(CatalogEntry, frozen=True):
    """A number printed outside tables."""

    kind = "number"
    value: int


Kinds = Mapping[str, type[CatalogEntry]]
Catalog = Mapping[str, Mapping[str, CatalogEntry]]
"""Entries by kind and id, in page order."""
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
    """A letter behind an event: a needed or (`!`) excluded tag."""

    noun = "letter"
    linked = frozenset({"id"})
    examples: ClassVar[Mapping[str, str]] = {"id": 'id = "M"', "tag": 'tag = "missile" or tag = "!missile"'}

    id: LetterId
    tag: TagTest
    line: Line

    def fits(self, tags: Collection[str]) -> bool:
        """Check whether a unit with these tags fits the letter."""
        return (self.tag.removeprefix("!") in tags) != self.tag.startswith("!")
