"""What Total War lists: pieces, panels and what is built on them, classes of units, terrain, steps, switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rules.kinds import CatalogEntry, PrintedNumber

Enter = Literal["all", "none", "flying", "amphibious"]
"""Which units enter a tile: all, none, or those with a flag."""

Where = Literal["space", "land"]
"""The two kinds of boards."""

Setting = bool | int | str | tuple[int, ...]
"""What a switch is set to."""

SUIT, SHIP, RESEARCH = "mobile_suit", "warship", "research"
"""What is ordered besides items."""


class Piece(CatalogEntry, frozen=True):
    """A kind of force: how many panels it moves at most, `straight` in one direction or each step anywhere.

    It is drawn as the shape `drawn`. One that `attacks` opens a fight by entering. `takes-passing`: every panel that it enters becomes its faction's;
    `takes-ending`: an installation without a garrison does where it ends. One that `follows` rides along with fleets.
    """

    kind = "piece"
    most: int
    straight: bool = False
    attacks: bool = False
    takes_passing: bool = False
    takes_ending: bool = False
    follows: bool = False
    drawn: str = "disc"


class PanelKind(CatalogEntry, frozen=True):
    """A kind of panel: a `seat` is a faction's capitol, a `stronghold` holds a rogue faction, one that `pays` has gold on top.

    `ships` are made there, and `suits`, or suits with one of these facilities. On maps it has the shape `drawn`, if any.
    """

    kind = "panel"
    seat: bool = False
    stronghold: bool = False
    pays: bool = False
    ships: bool = False
    suits: bool = False
    suits_with: tuple[str, ...] = ()
    drawn: str | None = None


class Item(CatalogEntry, frozen=True):
    """Something that is built `on` kinds of panels; it may be what `upgrades` another.

    It `gives` a facility there, one more unit of the garrison (of the basic unit, or of a `choice` of models), or a force of its own.
    """

    kind = "item"
    on: tuple[str, ...]
    upgrades: str | None = None
    gives: Literal["facility", "garrison", "force"] = "facility"
    choice: bool = False


class UnitClass(CatalogEntry, frozen=True):
    """A class of units: tiles that it moves in space and on land, `straight` only or not, and how far it shoots.

    `lanes` are fired down by warships instead; `fire` is the chance (percent) to be destroyed by that, as `fire_line` of the page says. An `armoured` one is
    no vehicle: it has aces, and melee against it is decided by a coin. It is drawn as the shape `drawn`.
    """

    kind = "class"
    space: int
    land: int
    fire: int
    fire_line: int
    straight: bool = False
    range: int | None = None
    lanes: bool = False
    melee: bool = False
    armoured: bool = False
    drawn: str = "disc"

    def moves(self, where: Where) -> int:
        """Return how many tiles it moves at most."""
        return self.space if where == "space" else self.land


class Terrain(CatalogEntry, frozen=True):
    """What a tile is: its `sign` in a board's rows, who may `enter`, and whether it `obstructs` attacks over it.

    Those with the flag `opened-to` enter it too where the switch `opened-by` says so. A unit on it is `hit-by` those with a
    flag alone, or `hit-from` tiles of the same terrain alone. Its tiles have a colour on boards `in-space` and `on-land`.
    """

    kind = "terrain"
    sign: str
    enter: Enter
    opened_to: str | None = None
    opened_by: str | None = None
    obstructs: bool = False
    hit_by: str | None = None
    hit_from: str | None = None
    in_space: str = "#000000"
    on_land: str = "#000000"

    def colour(self, where: Where) -> str:
        """Return the colour of its tiles on a kind of board."""
        return self.in_space if where == "space" else self.on_land


class AceLevel(CatalogEntry, frozen=True):
    """A level of aces and the chance (percent) that a warship's shot destroys one; how many kills it takes is a switch."""

    kind = "ace"
    level: int
    fire: int
    kills_line: int


class Tier(CatalogEntry, frozen=True):
    """A tier of squadrons and how many battles it takes."""

    kind = "tier"
    tier: int
    battles: int


class GoldBonus(CatalogEntry, frozen=True):
    """What a victory in less than so many turns pays."""

    kind = "bonus"
    under: int
    gold: int


class Resupply(CatalogEntry, frozen=True):
    """For how many units lost one basic unit is given, by how a battle went, and whether that `pays` gold."""

    kind = "resupply"
    losses: int
    pays: bool = False


class Switch(CatalogEntry, frozen=True):
    """What a scenario settles: one of `options`, a number from `least` to `most`, or yes and no."""

    kind = "switch"
    default: Setting
    options: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None


_KINDS = (Piece, PanelKind, Item, UnitClass, Terrain, AceLevel, Tier, GoldBonus, Resupply, Switch, PrintedNumber)
CATALOG: Mapping[str, type[CatalogEntry]] = {kind.kind: kind for kind in _KINDS}
