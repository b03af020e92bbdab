"""What a scenario file holds: map, factions, ranks, panels, units, items, forces, pilots and boards of one war."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from rules.books.total_war.catalog import Setting
from rules.books.total_war.ranks import Rank
from rules.geometry.hexes import Hex

Fog = Literal["open", "near"]
Orders = Literal["sealed", "at-once"]
MapKind = Literal["space", "land"]
Flag = Literal["flying", "amphibious"]


class Conditions(Struct, frozen=True):
    """How a war ends: whose capitol `ends` it when whom takes it, and whose makes both leaders be asked (`asks`).

    A rogue that takes Zeon's capitol does not end it, or line 99 could never come about (line 60, AMB-32).
    """

    ends: Mapping[str, str]
    asks: Mapping[str, str]

    @property
    def factions(self) -> frozenset[str]:
        """The factions that were there from the start."""
        return frozenset({*self.ends, *self.asks, *self.ends.values(), *self.asks.values()})


PRINTED = Conditions(ends={"Z": "E"}, asks={"E": "Z"})
"""How the war of the page ends (line 60), and one of its factions of which nothing else is written."""


class Faction(Struct, frozen=True):
    """A faction at the start: its capitol (None of a rogue one), gold, basic unit, and the classes of units that it may have."""

    id: str
    name: str
    colour: str
    capitol: Hex | None
    gold: int
    grunt: str
    classes: frozenset[str]
    rogue: bool = False


class Panel(Struct, frozen=True):
    """A panel with something to say: its kind, the gold that it pays on top, its garrison (units) and what stands there."""

    at: Hex
    kind: str
    bonus: int = 0
    garrison: tuple[str, ...] = ()
    facility: str | None = None


class UnitModel(Struct, frozen=True):
    """A model of units: class, attack as printed (None of those that have none), defense, accuracy in percent.

    One that `needs` a model is bought once that is researched, one that needs an upgraded facility where that stands, or on a
    capitol; without `cost` it is not for sale.
    """

    id: str
    unit_class: str
    defense: int
    attack: str | None = None
    accuracy: int | None = None
    flags: frozenset[str] = frozenset()
    faction: str | None = None
    cost: int | None = None
    needs: str | None = None


class WarItem(Struct, frozen=True):
    """Something that is built `on` kinds of panels, or researched on none; done after so many `turns`, 0 at once."""

    id: str
    on: tuple[str, ...]
    cost: int | None = None
    income: int = 0
    turns: int = 0
    needs: str | None = None


class StartingForce(Struct, frozen=True):
    """A force at the start: its units by their models; `commander` is the id of a Discord user."""

    name: str
    kind: str
    faction: str
    at: Hex
    units: tuple[str, ...]
    commander: int | None = None


class AceValues(Struct, frozen=True):
    """What a pilot adds to a unit's values (AMB-59)."""

    attempts: int = 0
    sides: int = 0
    defense: int = 0
    accuracy: int = 0


class Pilot(Struct, frozen=True):
    """A named pilot in a unit of a force, by its place there from 1."""

    name: str
    force: str
    unit: int
    hero: bool = False
    kills: int = 0
    modifiers: AceValues = AceValues()


class BoardPlan(Struct, frozen=True):
    """A board as drawn: rows of signs from row 12 down to row 1."""

    id: str
    map: MapKind
    rows: tuple[str, ...]


class Scenario(Struct, frozen=True):
    """A war as it starts. `owners` are those of panels that are not neutral, `sight` counts panels where there is fog.

    `numbered` stands for the order in which units get their numbers (`numbering`).
    """

    id: str
    title: str
    full_squadron: int
    panels: frozenset[Hex]
    owners: Mapping[Hex, str]
    factions: Mapping[str, Faction]
    ranks: tuple[Rank, ...]
    kinds: Mapping[Hex, Panel]
    units: Mapping[str, UnitModel]
    items: Mapping[str, WarItem]
    forces: tuple[StartingForce, ...]
    pilots: tuple[Pilot, ...]
    boards: tuple[BoardPlan, ...]
    victory: Conditions
    switches: Mapping[str, Setting]
    blocked: frozenset[Hex] = frozenset()
    fog: Fog = "open"
    sight: int = 0
    orders: Orders = "sealed"
    second: str | None = None
    numbered: str = ""

    @property
    def unpriced(self) -> tuple[str, ...]:
        """What has no price yet: a game master is asked for it by name once somebody wants it."""
        costs = [(item.id, item.cost) for item in self.units.values()]
        costs += [(item.id, item.cost) for item in self.items.values()]
        return tuple(dict.fromkeys(name for name, cost in costs if cost is None))

    @property
    def has_fog(self) -> bool:
        """Whether anything is hidden at all; the page hides nothing."""
        return self.fog == "near"
