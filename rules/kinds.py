"""What rule items are made of: names, texts, numbers, dice, and words of which there are only a few.

A rule item is its own schema: the types of its fields say what may stand in a file, and `rules.shapes` reads it by them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

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
    """How a key is written here, where that is not what `rules.advice` shows for other items."""


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
"""What `rules.facts.When` is, as a file writes it."""
Whole = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
FieldName = Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
Line = Annotated[int, Meta(ge=1, le=1_000_000)]
Amount = Annotated[int, Meta(ge=0, le=1_000_000)]
Count = Annotated[int, Meta(ge=1, le=10_000)]
Position = tuple[Annotated[int, Meta(ge=0, le=1000)], Annotated[int, Meta(ge=0, le=1000)]]
Mark = Annotated[str, Spelling(_mark)]
Bearers = Annotated[frozenset[Annotated[str, word_of("unit", "character", "place", "thing")]], Meta(min_length=1)]
Member = Annotated[str, word_of("pc", "npc")]
