"""The sections of a scenario file: map, factions, ranks, panels, units, items, forces, pilots and boards."""

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from rules.books.total_war.catalog import Setting
from rules.geometry import Hex
from rules.kinds import Amount, BadSpelling, Name, RuleItem, Spelling, Text
from rules.tables import Source

Fog = Literal["open", "near"]
Orders = Literal["sealed", "at-once"]
_MapKind = Literal["space", "land"]
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
    """How a war ends; a rogue that takes Zeon's capitol doesn't end it (lines 60, 99, AMB-32)."""

    noun = "victory"
    examples: ClassVar[Mapping[str, str]] = {"ends": 'ends = { Z = "E" }', "asks": 'asks = { E = "Z" }'}

    ends: Mapping[str, str] = field(default_factory=dict)
    asks: Mapping[str, str] = field(default_factory=dict)

    @property
    def factions(self) -> frozenset[str]:
        """All factions that the conditions mention."""
        return frozenset({*self.ends, *self.asks, *self.ends.values(), *self.asks.values()})


PRINTED = Conditions(ends={"Z": "E"}, asks={"E": "Z"})


class Rank(RuleItem, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What a player of a rank may command."""

    noun = "rank"
    key = "name"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "Ensign"',
        "squadron-size": "squadron-size = 4",
        "squadrons": "squadrons = 1",
        "fleets": "fleets = 0",
    }

    name: Text
    squadron_size: Amount
    squadrons: Amount
    fleets: Amount


class Faction(RuleItem, frozen=True, kw_only=True):
    """A faction at the start; a rogue one has no capitol."""

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
    """A panel that isn't plain; `garrison` lists models."""

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
    """A model of units; without `attack` it never shoots, without `cost` it isn't for sale."""

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
    """Something built on kinds of panels, or researched; done after `turns`, 0 at once."""

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
    """A force at the start; `commander` is a Discord user id."""

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
    """What a pilot adds to a unit (AMB-59)."""

    noun = "modifiers"

    attempts: Added = 0
    sides: Added = 0
    defense: Added = 0
    accuracy: Added = 0


class Pilot(RuleItem, frozen=True):
    """A named pilot; `unit` is the place in the force, from 1."""

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
    """A board as rows of signs, from row 12 down to row 1."""

    noun = "board"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "debris-field"',
        "map": 'map = "space"',
        "rows": 'rows = ["............"], 12 rows of 12 signs each',
    }

    id: Text
    map: _MapKind
    rows: tuple[str, ...]


class Scenario(Struct, frozen=True):
    """A scenario as read; `sight` counts panels in fog, `numbered` seeds the ids of units."""

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
    def ids_without_price(self) -> tuple[str, ...]:
        """Units and items without a price."""
        costs = [(item.id, item.cost) for item in self.units.values()]
        costs += [(item.id, item.cost) for item in self.items.values()]
        return tuple(dict.fromkeys(name for name, cost in costs if cost is None))

    @property
    def has_fog(self) -> bool:
        """Whether anything is hidden; the page hides nothing."""
        return self.fog == "near"


Raw = dict[str, object]
Raws = tuple[Raw, ...]


class HeadItem(RuleItem, frozen=True, kw_only=True):
    """The section `[scenario]`."""

    noun = "scenario"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "first-days"',
        "source": 'source = { book = "House default", section = "Example" }',
        "title": 'title = "First days"',
        "full-squadron": "full-squadron = 6",
        "second": 'second = "first-days-on-earth"',
        "fog": 'fog = "open"',
        "sight": "sight = 1",
        "orders": 'orders = "sealed"',
    }
    id: Name
    title: Text
    source: Source
    full_squadron: Least
    second: Name | None = None
    fog: Fog = "open"
    sight: Least | None = None
    orders: Orders = "sealed"


class MapItem(RuleItem, frozen=True):
    """The section `[map]`: a disc around 0,0, or all panels."""

    noun = "map"
    examples: ClassVar[Mapping[str, str]] = {
        "radius": "radius = 5",
        "panels": 'panels = ["0,0", "1,0"]',
        "blocked": 'blocked = ["0,0"]',
        "owners": 'owners = { E = ["1,0"], Z = ["-1,0"] }',
    }
    radius: Annotated[int, Meta(ge=0, le=30)] | None = None
    panels: tuple[At, ...] | None = None
    blocked: tuple[At, ...] = ()
    owners: Mapping[str, tuple[At, ...]] = field(default_factory=dict)


class ScenarioFile(RuleItem, frozen=True, kw_only=True):
    """The sections of a file."""

    noun = "file"
    linked = frozenset(
        {*("scenario", "switches", "victory", "map", "factions", "ranks", "panels", "units", "items", "forces")}
        | {"pilots", "boards"}
    )
    examples: ClassVar[Mapping[str, str]] = {
        "scenario": '[scenario] with id = "first-days"',
        "map": "[map] with radius = 5",
    }
    scenario: Raw
    switches: Raw = field(default_factory=dict)
    victory: Raw = field(default_factory=dict)
    map: Raw
    factions: Raws = ()
    ranks: Raws = ()
    panels: Raws = ()
    units: Raws = ()
    items: Raws = ()
    forces: Raws = ()
    pilots: Raws = ()
    boards: Raws = ()


_FEWEST_DIGITS = 3


def number_of(key: str, place: int) -> int:
    """Return the number of a unit by its place (from 1); in a row without a `key`."""
    if not key:
        return place
    digits, left = _FEWEST_DIGITS, place - 1
    while left >= len(_draw_numbers(key, digits)):
        left -= len(_draw_numbers(key, digits))
        digits += 1
    return _draw_numbers(key, digits)[left]


@lru_cache(maxsize=32)
def _draw_numbers(key: str, digits: int) -> tuple[int, ...]:
    numbers = range(10 ** (digits - 1), 10**digits)
    by_chance = ((sha256(f"{key}:{number}".encode()).digest(), number) for number in numbers)
    return tuple(number for _, number in sorted(by_chance))
