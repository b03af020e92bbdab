"""A battle on its board: units, halves of turns, losses, and the end (lines 110 to 275)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.board import Battlefield, Fighter, Ground
from rules.books.total_war.catalog import CoinFace, Refused, Terms, Where
from rules.geometry import Square
from rules.phrases import list_known

Result = Literal["won", "lost", "withdrew"]


class BattleEnd(Struct, frozen=True):
    """Whether a battle is over, and its winner; None if no unit is left."""

    over: bool
    winner: str | None = None

    def require_running(self, called: str | None = None) -> None:
        """Refuse acts after the end; `called` names the winner."""
        if self.over:
            won = "no unit is left" if self.winner is None else f"{called or self.winner} has won"
            raise Refused("E_BATTLE_OVER", f"The battle is over: {won}.")


def battle_end(left: Mapping[str, int], withdrawn: Collection[str] = (), met: str | None = None) -> BattleEnd:
    """Decide a battle by the units `left` per side, withdrawals and a `met` condition (lines 228, 275, X4, AMB-39, 61)."""
    if met is not None:
        return BattleEnd(over=True, winner=met)
    remaining = [side for side, units in left.items() if units and side not in withdrawn]
    if len(remaining) > 1 or len(remaining) == len(left):
        return BattleEnd(over=False)
    return BattleEnd(over=True, winner=next(iter(remaining), None))


def battle_result(state: BattleEnd, side: str, withdrawn: Collection[str] = ()) -> Result:
    """Return a side's result of a finished battle; all lose if no unit is left."""
    if side == state.winner:
        return "won"
    return "withdrew" if side in withdrawn else "lost"


class Fight(Struct, frozen=True):
    """A battle on its board; a turn is one half per side, and `active` has the current one (AMB-39, 63)."""

    where: Where
    ground: Ground
    sides: tuple[str, ...]
    active: str
    units: Mapping[str, Fighter]
    turn: int = 1
    kills: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, int] = field(default_factory=dict)
    withdrawn: tuple[str, ...] = ()
    met: str | None = None

    @property
    def unit_counts(self) -> dict[str, int]:
        """Units left by side."""
        sides = [unit.side for unit in self.units.values()]
        return {side: sides.count(side) for side in self.sides}

    @property
    def outcome(self) -> BattleEnd:
        """Whether the battle is over, and who won."""
        return battle_end(self.unit_counts, self.withdrawn, self.met)

    def around(self, terms: Terms, name: str) -> Battlefield:
        """Return the board for a unit, with the tiles that others occupy."""
        occupied = frozenset(unit.at for other, unit in self.units.items() if other != name)
        return Battlefield(terms, self.ground, occupied)

    def unit(self, name: str) -> Fighter:
        """Return a unit that is left."""
        if name not in self.units:
            raise Refused("E_NO_TARGET", f"No unit {name} is on the board{list_known(self.units)}.")
        return self.units[name]

    def own(self, name: str) -> Fighter:
        """Return a unit of the active side; refuse others."""
        found = self.unit(name)
        if found.side != self.active:
            what = f"this half of turn {self.turn} is {self.active}'s"
            raise Refused("E_NOT_YOURS", f"{name} belongs to {found.side}: {what}.")
        return found

    def with_units(self, names: Iterable[str], **change: object) -> Fight:
        """Return the battle with units changed."""
        changed = {name: replace(self.units[name], **change) for name in names}
        return replace(self, units={**self.units, **changed})

    def without(self, destroyed: Collection[str], credit: Mapping[str, int]) -> Fight:
        """Return the battle without destroyed units; `credit` has new kills by unit."""
        sides = [self.units[name].side for name in destroyed]
        lost = {side: self.lost.get(side, 0) + sides.count(side) for side in self.sides}
        left = {name: unit for name, unit in self.units.items() if name not in destroyed}
        kills = {name: kills for name in left if (kills := self.kills.get(name, 0) + credit.get(name, 0))}
        return replace(self, units=left, kills=kills, lost=lost)

    def next_half(self) -> Fight:
        """Begin the next side's half; after the last one a turn, in which all may act again."""
        following = self.sides[self.sides.index(self.active) + 1 :]
        remaining = [side for side, units in self.unit_counts.items() if units and side not in self.withdrawn]
        after = next((side for side in following if side in remaining), None)
        if after is not None:
            return replace(self, active=after)
        first = replace(self, active=next(iter(remaining), self.active), turn=self.turn + 1)
        return first.with_units(first.units, moved=False, attacked=False)


def begin_fight(
    where: Where, ground: Ground, units: Mapping[str, Fighter], *, turn: int = 1, active: str | None = None
) -> Fight:
    """Begin a battle with the half of the active side, else of the first unit's."""
    holders: dict[Square, str] = {}
    for name, unit in units.items():
        if unit.at in holders:
            what = f"{name} can't be on {unit.at}: {holders[unit.at]} is there, and a tile has room for 1 unit."
            raise Refused("E_OCCUPIED", what)
        holders[unit.at] = name
    sides = [*dict.fromkeys(unit.side for unit in units.values())]
    first = sides[0] if active is None else active
    return Fight(where, ground, (first, *(side for side in sides if side != first)), first, units, turn)


class MoveUnit(Struct, frozen=True, tag="Move"):
    """A unit goes to a tile."""

    unit: str
    to: Square


class Shoot(Struct, frozen=True, tag=True):
    """A ranged attack, maybe combined with others."""

    unit: str
    target: str | tuple[str, ...]
    others: tuple[str, ...] = ()


class Clash(Struct, frozen=True, tag=True):
    """A melee attack, with the coin's call if it needs one."""

    unit: str
    target: str
    call: CoinFace | None = None


class Fire(Struct, frozen=True, tag=True):
    """A warship fires down the lane in a direction."""

    unit: str
    way: str


class Next(Struct, frozen=True, tag=True):
    """A side ends its half of the turn."""

    side: str


class Withdraw(Struct, frozen=True, tag=True):
    """A side withdraws, in either half."""

    side: str


class MeetCondition(Struct, frozen=True, tag="Condition"):
    """A game master says that a side met its special condition (line 230)."""

    side: str


Order = MoveUnit | Shoot | Clash | Fire | Next | Withdraw | MeetCondition
"""Orders in a battle (lines 130 to 230)."""
