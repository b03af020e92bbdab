"""What may stand in a rule file about effects, and about deeds that last as such."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from rules.deeds import Calls
from rules.ends import Whose
from rules.items import Item
from rules.kinds import Count, Line, Name, Names, Text, Until


class EffectItem(Item):
    """Something that befalls a unit or character for a while: a trait that is declared for some role."""

    kind = "effect"
    linked = frozenset({"trait"})
    trait: Name
    label: Text
    until: Until
    count: Count = 1
    of: Whose = "bearer"
    command: Text | None = None
    by_other: bool = False
    examples: ClassVar[Mapping[str, str]] = {
        "trait": 'trait = "scouted"',
        "label": 'label = "Scouted"',
        "until": 'until = "update" or until = "cleared"',
    }


class DeedItem(Item):
    """Something that rows can do; it may last as an effect."""

    kind = "deed"
    linked = frozenset({"id", "effect", "until"})
    id: Name
    text: Text
    line: Line
    bare: Text | None = None
    calls: Calls | None = None
    house: bool = True
    alone: bool = False
    most: Annotated[int, Field(ge=0)] | None = None
    effect: Name | None = None
    until: Until | None = None
    count: Count = 1
    of: Whose = "bearer"
    other: bool = False
    ends: Names
    examples: ClassVar[Mapping[str, str]] = {
        "until": 'until = "update" or until = "cleared"',
        "effect": 'effect = "scouted"',
    }
