"""A rule book as loaded: its facts, tables, zones and procedures, under one fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rules.errors import UnknownFamily, UnknownTable
from rules.modifiers import Modifier, Sheet

if TYPE_CHECKING:
    from rules.engine import Procedure
    from rules.facts import Fact
    from rules.tables import RollTable


@dataclass(frozen=True, slots=True)
class Region:
    """A place on the map; `land` is a house default where the page does not say."""

    id: str
    label: str
    land: bool
    line: int


@dataclass(frozen=True, slots=True)
class Zone:
    """A group of regions that share one weather roll on `table`."""

    id: str
    label: str
    table: str
    line: int
    regions: tuple[Region, ...]


@dataclass(frozen=True)
class Book:
    """All that one rule book says. `fingerprint` is the SHA-256 of its content, overlays included."""

    id: str
    title: str
    fingerprint: str
    facts: Mapping[str, Fact]
    tables: Mapping[str, RollTable]
    zones: Mapping[str, Zone] = field(default_factory=dict)
    procedures: Mapping[str, Procedure] = field(default_factory=dict)

    @cached_property
    def sheets(self) -> dict[str, Sheet]:
        """For each roll family, the modifiers that can be ticked by hand, over all of its tables and each once."""
        return {family: Sheet(self._tickable(procedure)) for family, procedure in self.procedures.items()}

    def _tickable(self, procedure: Procedure) -> tuple[Modifier, ...]:
        every: dict[str, Modifier] = {}
        for modifier in (modifier for table in procedure.tables for modifier in self.table(table).modifiers):
            # Of one id on two tables, the line that is an alternative is the stricter.
            if modifier.id not in every or every[modifier.id].one_of is None:
                every[modifier.id] = modifier
        return tuple(modifier for modifier in every.values() if modifier.id not in procedure.settled)

    def table(self, table: str) -> RollTable:
        """The table of this id.

        Raises:
            UnknownTable: the book has none.

        """
        try:
            return self.tables[table]
        except KeyError:
            raise UnknownTable(table, self.tables) from None

    def procedure(self, family: str) -> Procedure:
        """The procedure of this roll family.

        Raises:
            UnknownFamily: the book has none.

        """
        try:
            return self.procedures[family]
        except KeyError:
            raise UnknownFamily(family, self.procedures) from None
