"""What may stand in a scenario file besides the items of a scenario: the whole file, its head, its map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from msgspec import Meta, field

from rules.books.total_war.scenario import At, Fog, Least, Orders
from rules.kinds import Name, RuleItem, Text
from rules.tables import Source

Raw = dict[str, object]
Raws = tuple[Raw, ...]


class HeadItem(RuleItem, frozen=True, kw_only=True):
    """`[scenario]`: what the war is."""

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
    """`[map]`: the disc about 0,0, or every panel there is."""

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
    """A whole file: its sections."""

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
