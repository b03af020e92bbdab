"""A rule book as loaded: its facts, tables, zones and procedures, under one fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from rules.errors import UnknownFamily, UnknownTable

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
    def ticks(self) -> dict[str, frozenset[str]]:
        """What can be ticked by hand for each roll family: the modifiers of its tables, and the facts it may be told."""
        return {
            family: frozenset(procedure.told).union(*(self.table(table).sheet().places for table in procedure.tables))
            - procedure.settled
            for family, procedure in self.procedures.items()
        }

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
