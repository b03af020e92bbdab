"""What may stand in a rule file of places and their weather: one model per kind of item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from rules.items import Item
from rules.kinds import Line, Mark, Name, Position, Raws, Text


class RegionItem(Item):
    """A place on the map."""

    kind = "region"
    id: Name
    label: Text
    line: Line
    land: bool = True
    at: Position | None = None
    severe_storms_flood: bool = True
    note: Text | None = None


class ZoneItem(Item):
    """`[[zones]]`: regions that share one weather roll."""

    kind = "zone"
    id: Name
    label: Text
    table: Name
    line: Line
    regions: list[RegionItem]
    examples: ClassVar[Mapping[str, str]] = {
        "at": "column and row, as in at = [3, 0]",
        "land": "land = false",
    }


class ConditionItem(Item):
    """A weather that a region can have: a trait that is declared for the role `weather`."""

    kind = "condition"
    trait: Name
    severity: Annotated[int, Field(ge=0, le=4)]
    mark: Mark
    examples: ClassVar[Mapping[str, str]] = {
        "trait": 'trait = "storms"',
        "severity": "a number from 0 (fair) to 4, as in severity = 2",
        "mark": 'one or two letters, as in mark = "St"',
    }

    @property
    def name(self) -> str:
        """What an overlay calls it by."""
        return self.trait


class ClimateRowItem(Item):
    """What one outcome of a zone's table means: the conditions of each region."""

    kind = "row"
    outcome: Name
    regions: dict[Name, list[Name]]
    examples: ClassVar[Mapping[str, str]] = {
        "outcome": 'outcome = "category-1"',
        "regions": 'regions = { india = ["storms"] }',
    }

    @property
    def name(self) -> str:
        """What an overlay calls it by."""
        return self.outcome


class ClimateItem(Item):
    """`[[climate]]`: what the outcomes of a zone's table mean for its regions."""

    kind = "climate"
    linked = frozenset({"zone", "rows"})
    zone: Name
    rows: list[object]
    examples: ClassVar[Mapping[str, str]] = {
        "zone": 'zone = "south-asia"',
        "rows": 'rows = [{ outcome = "category-1", regions = { india = ["storms"] } }]',
    }


class ClimateChangeItem(ClimateItem):
    """`[[climate]]` of an overlay: the cells that change, and the regions that become land or sea."""

    rows: Raws
    land: Annotated[dict[Name, bool], Field(default_factory=dict)]
