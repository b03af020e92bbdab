"""What is ready: weapons from turn to turn, with what they owe (lines 264 to 274, 293, 319, 518)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from rules.books.roe.catalog import Mode
from rules.books.roe.weapons import Owed, Weapon, owed
from rules.errors import RollError

Handled = Literal["reload", "bolt", "move", "other"]
"""What else than firing a weapon a turn can be spent on."""


class Readiness(Struct, frozen=True):
    """What a weapon owes: Actions of reloading, the bolt, the racking; `used` are turns of fire since the last reload."""

    used: int = 0
    reload: int = 0
    bolt: bool = False
    rack: bool = False

    @property
    def owes(self) -> Owed | None:
        """What comes before the next shot."""
        return "reload" if self.reload else "bolt" if self.bolt else "rack" if self.rack else None


_FIRST: Mapping[Owed, str] = {
    "reload": "reload first",
    "bolt": "work its bolt first",
    "rack": "let a turn pass without firing it first",
}
"""What is to be done before a weapon fires that owes something."""


def fired(weapon: Weapon, mode: Mode, state: Readiness, name: str | None = None) -> Readiness:
    """Return what a weapon, which may have a `name` of its own, owes after it was used in a mode."""
    if state.owes:
        raise RollError(f"{name or weapon.token.label} isn't ready: {_FIRST[state.owes]}.")
    used = state.used + mode.reload
    if mode.reload and used >= weapon.type.cycle:
        return Readiness(0, weapon.type.reload)
    due = owed(weapon, mode)
    return Readiness(used, bolt=due == "bolt", rack=due == "rack")


def handled(weapon: Weapon, how: Handled, state: Readiness, name: str | None = None) -> Readiness:
    """Return what a weapon, which may have a `name` of its own, owes after a turn without firing it: any such turn racks it."""
    rested, called = replace(state, rack=False), name or weapon.token.label
    match how:
        case "reload" if not weapon.gun:
            raise RollError(f"{called} doesn't need reloading.")
        case "reload" if state.reload or state.used:
            return replace(rested, used=0, reload=(state.reload or weapon.type.reload) - 1)
        case "bolt" if not weapon.type.bolt:
            raise RollError(f"{called} has no bolt.")
        case "bolt":
            return replace(rested, bolt=False)
        case "move":
            return moved(weapon, rested)
    return rested


def moved(weapon: Weapon, state: Readiness) -> Readiness:
    """Return what a weapon owes after moving: a reload of several Actions begins anew."""
    return replace(state, reload=weapon.type.reload) if state.reload else state
