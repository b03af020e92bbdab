"""What may stand in a rule file besides the items that are values themselves: whole files, their heads, and changes of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from msgspec import Meta, field

from rules.items import Items
from rules.kinds import Name, RuleItem, Text
from rules.tables import Source

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
