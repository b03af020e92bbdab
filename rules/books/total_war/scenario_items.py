"""What may stand in a scenario file: one model for each kind of item. Keys are written with hyphens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar
from typing import Literal as Literally

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from rules.books.total_war.scenario import Fog, MapKind, Orders
from rules.geometry.hexes import Hex
from rules.items import Item
from rules.kinds import Name, Text
from rules.schema import SourceItem


def _panel(value: str) -> str:
    try:
        Hex.parse(value)
    except ValueError as error:
        kind = "panel"
        raise PydanticCustomError(kind, "isn't a panel", {"mend": 'write "q,r", such as "4,-1"'}) from error
    return value


def _colour(value: str) -> str:
    if re.fullmatch("#[0-9a-fA-F]{6}", value):
        return value
    kind = "colour"
    raise PydanticCustomError(kind, "isn't a colour", {"mend": 'write "#rrggbb", such as "#d62828"'})


Amount = Annotated[int, Field(ge=0, le=1_000_000)]
Least = Annotated[int, Field(ge=1, le=1_000_000)]
UserId = Annotated[int, Field(ge=1, lt=1 << 63)]
Change = Annotated[int, Field(ge=-100, le=100)]
At = Annotated[str, AfterValidator(_panel)]
Texts = Annotated[list[Text], Field(default_factory=list)]
Colour = Annotated[str, AfterValidator(_colour)]
Raw = dict[str, object]
Raws = Annotated[list[Raw], Field(default_factory=list)]


class HeadItem(Item):
    """`[scenario]`: what the war is."""

    kind = "scenario"
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
    source: SourceItem
    full_squadron: Least
    second: Name | None = None
    fog: Fog = "open"
    sight: Least | None = None
    orders: Orders = "sealed"


class VictoryItem(Item):
    """`[victory]`: whose capitol ends the war, or makes leaders be asked, when whom takes it."""

    kind = "victory"
    examples: ClassVar[Mapping[str, str]] = {
        "ends": 'ends = { Z = "E" }',
        "asks": 'asks = { E = "Z" }',
    }
    ends: Annotated[dict[str, str], Field(default_factory=dict)]
    asks: Annotated[dict[str, str], Field(default_factory=dict)]


class MapItem(Item):
    """`[map]`: the disc about 0,0, or every panel there is."""

    kind = "map"
    examples: ClassVar[Mapping[str, str]] = {
        "radius": "radius = 5",
        "panels": 'panels = ["0,0", "1,0"]',
        "blocked": 'blocked = ["0,0"]',
        "owners": 'owners = { E = ["1,0"], Z = ["-1,0"] }',
    }
    radius: Annotated[int, Field(ge=0, le=30)] | None = None
    panels: list[At] | None = None
    blocked: Annotated[list[At], Field(default_factory=list)]
    owners: Annotated[dict[str, list[At]], Field(default_factory=dict)]


class FactionItem(Item):
    """One of the factions."""

    kind = "faction"
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
    name_: Annotated[Text, Field(alias="name")]
    colour: Colour
    capitol: At | None = None
    gold: Amount
    grunt: Text
    classes: list[Text]
    rogue: bool = False


class RankItem(Item):
    """A rank and what it holds."""

    kind = "rank"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "Ensign"',
        "squadron-size": "squadron-size = 4",
        "squadrons": "squadrons = 1",
        "fleets": "fleets = 0",
    }
    name_: Annotated[Text, Field(alias="name")]
    squadron_size: Amount
    squadrons: Amount
    fleets: Amount


class PanelItem(Item):
    """A panel that has something to say."""

    kind = "panel"
    examples: ClassVar[Mapping[str, str]] = {
        "at": 'at = "5,-2"',
        "kind": 'kind = "capitol"',
        "bonus": "bonus = 20",
        "garrison": 'garrison = ["gm", "gm"]',
        "facility": 'facility = "mining_station"',
    }
    at: At
    kind_: Annotated[Text, Field(alias="kind")]
    bonus: Amount = 0
    garrison: Texts
    facility: Text | None = None


class UnitItem(Item):
    """A model of units."""

    kind = "unit"
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
    class_: Annotated[Text, Field(alias="class")]
    attack: Text | None = None
    defense: Amount
    accuracy: Annotated[int, Field(ge=1, le=100)] | None = None
    flags: Annotated[list[Literally["flying", "amphibious"]], Field(default_factory=list)]
    faction: Text | None = None
    cost: Amount | None = None
    needs: Text | None = None


class BuildItem(Item):
    """Something to build or to research."""

    kind = "item"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "mining_station"',
        "on": 'on = ["resource"]',
        "cost": "cost = 40",
        "income": "income = 15",
        "turns": "turns = 2",
        "needs": 'needs = "guncannon"',
    }
    id: Text
    on: Texts
    cost: Amount | None = None
    income: Amount = 0
    turns: Amount = 0
    needs: Text | None = None


class ForceItem(Item):
    """A force at the start."""

    kind = "force"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "1st Fleet"',
        "kind": 'kind = "fleet"',
        "faction": 'faction = "E"',
        "at": 'at = "4,-1"',
        "units": 'units = ["magellan", "gm"]',
        "commander": "the id of a Discord user, as in commander = 123456789012345678",
    }
    name_: Annotated[Text, Field(alias="name")]
    kind_: Annotated[Text, Field(alias="kind")]
    faction: Text
    at: At
    units: Texts
    commander: UserId | None = None


class ModifiersItem(Item):
    """What a pilot adds."""

    kind = "modifiers"
    attempts: Change = 0
    sides: Change = 0
    defense: Change = 0
    accuracy: Change = 0


class PilotItem(Item):
    """A named pilot."""

    kind = "pilot"
    examples: ClassVar[Mapping[str, str]] = {
        "name": 'name = "Amuro Ray"',
        "force": 'force = "11th Squadron"',
        "unit": "unit = 1",
        "hero": "hero = true",
        "kills": "kills = 4",
        "modifiers": "modifiers = { attempts = 1 }",
    }
    name_: Annotated[Text, Field(alias="name")]
    force: Text
    unit: Least
    hero: bool = False
    kills: Amount = 0
    modifiers: ModifiersItem | None = None


class BoardItem(Item):
    """A board as drawn."""

    kind = "board"
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "debris-field"',
        "map": 'map = "space"',
        "rows": 'rows = ["............"], 12 rows of 12 signs each',
    }
    id: Text
    map: MapKind
    rows: list[str]


class ScenarioFile(Item):
    """A whole file: its sections."""

    kind = "file"
    linked = frozenset(
        {*("scenario", "switches", "victory", "map", "factions", "ranks", "panels", "units", "items", "forces")}
        | {"pilots", "boards"}
    )
    examples: ClassVar[Mapping[str, str]] = {
        "scenario": '[scenario] with id = "first-days"',
        "map": "[map] with radius = 5",
    }
    scenario: Raw
    switches: Annotated[Raw, Field(default_factory=dict)]
    victory: Annotated[Raw, Field(default_factory=dict)]
    map: Raw
    factions: Raws
    ranks: Raws
    panels: Raws
    units: Raws
    items: Raws
    forces: Raws
    pilots: Raws
    boards: Raws
