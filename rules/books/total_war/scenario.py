"""What a scenario file holds: map, factions, ranks, panels, units, items, forces, pilots and boards of one war."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from rules.books.total_war.catalog import Setting
from rules.books.total_war.ranks import Rank
from rules.geometry.hexes import Hex
from rules.kinds import Amount, BadSpelling, RuleItem, Spelling, Text

Fog = Literal["open", "near"]
Orders = Literal["sealed", "at-once"]
MapKind = Literal["space", "land"]
Flag = Literal["flying", "amphibious"]


def _panel(value: str) -> Hex:
    try:
        return Hex.parse(value)
    except ValueError as error:
        raise BadSpelling("isn't a panel", 'write "q,r", such as "4,-1"') from error


def _colour(value: str) -> str:
    if re.fullmatch("#[0-9a-fA-F]{6}", value):
        return value.lower()
    raise BadSpelling("isn't a colour", 'write "#rrggbb", such as "#d62828"')


Least = Annotated[int, Meta(ge=1, le=1_000_000)]
Added = Annotated[int, Meta(ge=-100, le=100)]
At = Annotated[Hex, Spelling(_panel)]
Colour = Annotated[str, Spelling(_colour)]


class Conditions(RuleItem, frozen=True):
    """How a war ends: whose capitol `ends` it when whom takes it, and whose makes both leaders be asked (`asks`).

    A rogue that takes Zeon's capitol does not end it, or line 99 could never come about (line 60, AMB-32).
    """

    noun = "victory"
    examples: ClassVar[Mapping[str, str]] = {
        "ends": 'ends = { Z = "E" }',
        "asks": 'asks = { E = "Z" }',
    }

    ends: Mapping[str, str] = field(default_factory=dict)
    asks: Mapping[str, str] = field(default_factory=dict)

    @property
    def factions(self) -> frozenset[str]:
        """The factions that were there from the start."""
        return frozenset({*self.ends, *self.asks, *self.ends.values(), *self.asks.values()})


PRINTED = Conditions(ends={"Z": "E"}, asks={"E": "Z"})
"""How the war of the page ends (line 60), and one of its factions of which nothing else is written."""


class Faction(RuleItem, frozen=True, kw_only=True):
    """A faction at the start: its capitol (None of a rogue one), gold, basic unit, and the classes of units that it may have."""

    noun = "faction"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "E"',
        "name": 'name = "Earth Federation"',
        "colour": 'colour = "#2b6cff"',
        "capitol": 'capitol = "5,-2"',
        "gold": "gold = 100",
        "grunt": 'grunt = "gm"',
        "classes": 'classes = ["ms", "combat", "noncombat", "warship"]',
    }

    id: Text
    name: Text
    colour: Colour
    capitol: At | None = None
    gold: Amount
    grunt: Text
    classes: frozenset[Text]
    rogue: bool = False


class Panel(RuleItem, frozen=True):
    """A panel with something to say: its kind, the gold that it pays on top, its garrison (units) and what stands there."""

    noun = "panel"
    key = "at"
    examples: ClassVar[Mapping[str, str]] = {
        "at": 'at = "5,-2"',
        "kind": 'kind = "capitol"',
        "bonus": "bonus = 20",
        "garrison": 'garrison = ["gm", "gm"]',
        "facility": 'facility = "mining_station"',
    }

    at: At
    kind: Text
    bonus: Amount = 0
    garrison: tuple[Text, ...] = ()
    facility: Text | None = None


class UnitModel(RuleItem, frozen=True, kw_only=True):
    """A model of units: class, attack as printed (None of those that have none), defense, accuracy in percent.

    One that `needs` a model is bought once that is researched, one that needs an upgraded facility where that stands, or on a
    capitol; without `cost` it is not for sale.
    """

    noun = "unit"
    spelled: ClassVar[Mapping[str, str]] = {"unit_class": "class"}
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "gm"',
        "class": 'class = "ms"',
        "attack": 'attack = "2x 1d6"',
        "defense": "defense = 5",
        "accuracy": "accuracy = 60",
        "flags": 'flags = ["flying"]',
        "faction": 'faction = "E"',
        "cost": "cost = 20",
        "needs": 'needs = "guncannon"',
    }

    id: Text
    unit_class: Text
    attack: Text | None = None
    defense: Amount
    accuracy: Annotated[int, Meta(ge=1, le=100)] | None = None
    flags: frozenset[Flag] = frozenset()
    faction: Text | None = None
    cost: Amount | None = None
    needs: Text | None = None


class WarItem(RuleItem, frozen=True):
    """Something that is built `on` kinds of panels, or researched on none; done after so many `turns`, 0 at once."""

    noun = "item"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "mining_station"',
        "on": 'on = ["resource"]',
        "cost": "cost = 40",
        "income": "income = 15",
        "turns": "turns = 2",
        "needs": 'needs = "guncannon"',
    }

    id: Text
    on: tuple[Text, ...] = ()
    cost: Amount | None = None
    income: Amount = 0
    turns: Amount = 0
    needs: Text | None = None


class StartingForce(RuleItem, frozen=True):
    """A force at the start: its units by their models; `commander` is the id of a Discord user."""

    noun = "force"
    key = "name"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "1st Fleet"',
        "kind": 'kind = "fleet"',
        "faction": 'faction = "E"',
        "at": 'at = "4,-1"',
        "units": 'units = ["magellan", "gm"]',
        "commander": "the id of a Discord user, as in commander = 123456789012345678",
    }

    name: Text
    kind: Text
    faction: Text
    at: At
    units: tuple[Text, ...] = ()
    commander: Annotated[int, Meta(ge=1, le=(1 << 63) - 1)] | None = None


class AceValues(RuleItem, frozen=True):
    """What a pilot adds to a unit's values (AMB-59)."""

    noun = "modifiers"

    attempts: Added = 0
    sides: Added = 0
    defense: Added = 0
    accuracy: Added = 0


class Pilot(RuleItem, frozen=True):
    """A named pilot in a unit of a force, by its place there from 1."""

    noun = "pilot"
    key = "name"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "Amuro Ray"',
        "force": 'force = "11th Squadron"',
        "unit": "unit = 1",
        "hero": "hero = true",
        "kills": "kills = 4",
        "modifiers": "modifiers = { attempts = 1 }",
    }

    name: Text
    force: Text
    unit: Least
    hero: bool = False
    kills: Amount = 0
    modifiers: AceValues = AceValues()


class BoardPlan(RuleItem, frozen=True):
    """A board as drawn: rows of signs from row 12 down to row 1."""

    noun = "board"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "debris-field"',
        "map": 'map = "space"',
        "rows": 'rows = ["............"], 12 rows of 12 signs each',
    }

    id: Text
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
