"""What can be ordered in a war, each with who orders it: a player, or None for a game master."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rules.books.total_war.orders import Order as BoardOrder
from rules.geometry.hexes import Hex


class Deed(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """An order and who gives it."""

    actor: str | None = None


class Move(Deed, frozen=True):
    """A force moves along a path; `followers` are squadrons that ride along with a fleet."""

    who: str
    path: tuple[str, ...]
    followers: tuple[str, ...] = ()


class Follow(Deed, frozen=True):
    """A squadron's commander pledges that it rides along with a fleet, which takes it along when it moves (AMB-16).

    `after` is the panel to which it goes on then, by an order of its own.
    """

    who: str
    fleet: str
    after: Hex | None = None


class Build(Deed, frozen=True):
    """A faction builds an item on a panel; of what garrisons it, so many, of a model or of its basic unit (None)."""

    faction: str
    item: str
    at: Hex
    number: int = 1
    model: str | None = None


class Buy(Deed, frozen=True):
    """A faction buys units of a model, made on a panel."""

    faction: str
    model: str
    at: Hex
    number: int = 1


class Research(Deed, frozen=True):
    """A faction researches a model."""

    faction: str
    model: str


class Promote(Deed, frozen=True):
    """A player gets another rank."""

    player: str
    rank: str


class Assign(Deed, frozen=True):
    """A force gets another commander."""

    who: str
    player: str


class Delegate(Deed, frozen=True):
    """A faction hands the allotting of units to a fleet commander, or takes it back (None)."""

    faction: str
    player: str | None = None


class Allot(Deed, frozen=True):
    """Units out of the faction's pool come into a force."""

    who: str
    model: str
    number: int = 1


class Rogue(Deed, frozen=True):
    """A player goes rogue."""

    player: str


class Found(Deed, frozen=True):
    """The leader of a rogue faction chooses its name and colour."""

    faction: str
    name: str
    colour: str


class Petition(Deed, frozen=True):
    """A lone rogue asks a faction to be taken in."""

    player: str
    faction: str


class Admit(Deed, frozen=True):
    """A faction's leader answers a lone rogue who has asked."""

    player: str
    takes: bool


class Answer(Deed, frozen=True):
    """A faction's leader answers whether the war ends with a captured capitol."""

    faction: str
    answer: Literal["end", "on"]


class Fight(Deed, frozen=True):
    """An order on the board of the battle on a panel."""

    at: Hex
    order: BoardOrder


class Retreat(Deed, frozen=True):
    """A beaten force goes to a panel; to none where none is free."""

    who: str
    to: Hex | None = None


class Advance(Deed, frozen=True):
    """The turn ends."""


class Join(Deed, frozen=True):
    """A player joins a faction; `owner` is the id of who plays them, which is shown to nobody."""

    player: str
    faction: str
    owner: str | None = None


AnyDeed = (
    Move
    | Follow
    | Build
    | Buy
    | Research
    | Promote
    | Assign
    | Delegate
    | Allot
    | Rogue
    | Found
    | Petition
    | Admit
    | Answer
    | Fight
    | Retreat
    | Advance
)


class SetOwner(Deed, frozen=True):
    """A panel becomes a faction's, or nobody's, as it stands."""

    at: Hex
    faction: str


class SetGold(Deed, frozen=True):
    """A faction has so much gold."""

    faction: str
    gold: int


class AddUnits(Deed, frozen=True):
    """Units of a model come into a force, or into the garrison of a panel."""

    to: str | Hex
    model: str
    number: int = 1


class RemoveUnit(Deed, frozen=True):
    """A unit is gone."""

    unit: str


class SetUnit(Deed, frozen=True):
    """A unit has so many kills, or another pilot, or none (""); None leaves it as it is."""

    unit: str
    kills: int | None = None
    pilot: str | None = None


class AddForce(Deed, frozen=True):
    """There is a new force of a piece with units of these models."""

    name: str
    piece: str
    faction: str
    at: Hex
    units: tuple[str, ...] = ()
    commander: str | None = None


class PlaceForce(Deed, frozen=True):
    """A force is put on another panel, which is no move of its own."""

    who: str
    at: Hex


class RemoveForce(Deed, frozen=True):
    """A force is gone."""

    who: str


class SetRank(Deed, frozen=True):
    """A player has a rank."""

    player: str
    rank: str


class SetPost(Deed, frozen=True):
    """A faction's leader or delegate is a player, or nobody."""

    faction: str
    post: Literal["leader", "delegate"]
    player: str | None = None


class SetPrice(Deed, frozen=True):
    """A unit or an item costs so much."""

    of: Literal["unit", "item"]
    name: str
    cost: int


class SetSwitch(Deed, frozen=True):
    """A switch of the scenario is set otherwise."""

    name: str
    value: bool | int | str | tuple[int, ...]


class SetSource(Deed, frozen=True):
    """A faction is supplied from a panel too, or no more (AMB-22)."""

    faction: str
    at: Hex | None = None


class Strike(Deed, frozen=True):
    """What a game master rules to be destroyed: units, and panels with all that is on them (AMB-79)."""

    units: tuple[str, ...] = ()
    panels: tuple[Hex, ...] = ()


Ruling = (
    SetOwner
    | SetGold
    | AddUnits
    | RemoveUnit
    | SetUnit
    | AddForce
    | PlaceForce
    | RemoveForce
    | SetRank
    | SetPost
    | SetPrice
    | SetSwitch
    | SetSource
    | Strike
)
"""What a game master alone sets and rules."""

Given = AnyDeed | Ruling | Join
"""All that changes a war."""
