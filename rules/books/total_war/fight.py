"""A battle as it stands: its board, its units, whose half of the turn it is, and what has been destroyed so far (lines 110 to 275)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.board import Battlefield, Ground, Mover, Shooter
from rules.books.total_war.catalog import Where
from rules.books.total_war.ending import Ended, ended
from rules.books.total_war.refusal import Refused
from rules.books.total_war.shooting import Attack
from rules.books.total_war.terms import Terms
from rules.geometry.squares import Square
from rules.phrases import known_list

Counts = Mapping[str, int]
UnitT = TypeVar("UnitT")


class Fighter(Struct, frozen=True):
    """A unit on the board: its side, class and stats, the turn of its last fire, and what it has done in this turn."""

    side: str
    kind: str
    at: Square
    attack: Attack | None
    defense: int
    flags: frozenset[str] = frozenset()
    ace: int = 0
    hero: bool = False
    fired: int | None = None
    moved: bool = False
    attacked: bool = False

    def shooter(self, *, melee: bool = False) -> Shooter:
        """Return the unit as it attacks."""
        return Shooter(self.kind, self.at, self.flags, melee)

    def mover(self, where: Where) -> Mover:
        """Return the unit as it moves on such a board."""
        return Mover(self.kind, self.at, where, self.flags)


class Fight(Struct, frozen=True):
    """A battle: units by their ids, those that are left; kills by unit, losses by side.

    A turn is one half of every one of the `sides`, in this order (AMB-39, 63); `active` is the one whose half it is.
    """

    where: Where
    ground: Ground
    sides: tuple[str, ...]
    active: str
    units: Mapping[str, Fighter]
    turn: int = 1
    kills: Counts = field(default_factory=dict)
    lost: Counts = field(default_factory=dict)
    withdrawn: tuple[str, ...] = ()
    met: str | None = None

    @property
    def left(self) -> dict[str, int]:
        """How many units each side has left."""
        standing = [unit.side for unit in self.units.values()]
        return {side: standing.count(side) for side in self.sides}

    @property
    def ended(self) -> Ended:
        """Whether it is over, and who has won."""
        return ended(self.left, self.withdrawn, self.met)

    def around(self, terms: Terms, name: str) -> Battlefield:
        """Return the board as a unit finds it."""
        held = frozenset(unit.at for other, unit in self.units.items() if other != name)
        return Battlefield(terms, self.ground, held)

    def unit(self, name: str) -> Fighter:
        """Return a unit that is left.

        Raises:
            Refused: E_NO_TARGET.

        """
        if name not in self.units:
            raise Refused("E_NO_TARGET", f"No unit {name} is on the board{known_list(self.units)}.")
        return self.units[name]

    def own(self, name: str) -> Fighter:
        """Return a unit of the side whose half of the turn it is.

        Raises:
            Refused: E_NO_TARGET or E_NOT_YOURS.

        """
        found = self.unit(name)
        if found.side != self.active:
            what = f"this half of turn {self.turn} is {self.active}'s"
            raise Refused("E_NOT_YOURS", f"{name} belongs to {found.side}: {what}.")
        return found

    def changed(self, names: Iterable[str], **change: object) -> Fight:
        """Return the battle with units changed."""
        changed = {name: replace(self.units[name], **change) for name in names}
        return replace(self, units={**self.units, **changed})

    def without(self, destroyed: Collection[str], credit: Mapping[str, int]) -> Fight:
        """Return the battle after units are destroyed, with the kills that count for others; those of the destroyed are gone."""
        sides = [self.units[name].side for name in destroyed]
        kills = {
            name: kills
            for name in self.units
            if name not in destroyed and (kills := self.kills.get(name, 0) + credit.get(name, 0))
        }
        lost = {side: self.lost.get(side, 0) + sides.count(side) for side in self.sides}
        return replace(self, units=_but(self.units, destroyed), kills=kills, lost=lost)

    def handed_on(self) -> Fight:
        """Return the battle in the next side's half; after the last one's a turn begins, in which all may act anew."""
        following = self.sides[self.sides.index(self.active) + 1 :]
        standing = [side for side, units in self.left.items() if units and side not in self.withdrawn]
        after = next((side for side in following if side in standing), None)
        if after is not None:
            return replace(self, active=after)
        first = replace(self, active=next(iter(standing), self.active), turn=self.turn + 1)
        return first.changed(first.units, moved=False, attacked=False)


def begun(
    where: Where, ground: Ground, units: Mapping[str, Fighter], *, turn: int = 1, active: str | None = None
) -> Fight:
    """Return a battle in which the active side begins, or that of the first unit."""
    holders: dict[Square, str] = {}
    for name, unit in units.items():
        if unit.at in holders:
            raise Refused(
                "E_OCCUPIED",
                f"{name} can't be on {unit.at}: {holders[unit.at]} is there, and a tile has room for 1 unit.",
            )
        holders[unit.at] = name
    sides = [*dict.fromkeys(unit.side for unit in units.values())]
    first = sides[0] if active is None else active
    return Fight(where, ground, (first, *_others(sides, first)), first, units, turn)


def _others(sides: Sequence[str], but: str) -> list[str]:
    return [side for side in sides if side != but]


def _but(units: Mapping[str, UnitT], names: Collection[str]) -> dict[str, UnitT]:
    return {name: unit for name, unit in units.items() if name not in names}
