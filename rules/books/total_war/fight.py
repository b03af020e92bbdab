"""A battle as it stands on its board: units, whose half of the turn it is, what was destroyed, and how it ends (lines 110 to 275)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.board import Battlefield, Ground, Mover, Shooter
from rules.books.total_war.catalog import Where
from rules.books.total_war.order_kinds import CoinFace
from rules.books.total_war.terms import Refused, Terms
from rules.geometry import Square
from rules.phrases import known_list

Result = Literal["won", "lost", "withdrew"]
"""How a battle went for a side."""


class BattleEnd(Struct, frozen=True):
    """Whether a battle is over, and who has won: nobody where all are gone at once."""

    over: bool
    winner: str | None = None


def battle_end(left: Mapping[str, int], withdrawn: Collection[str] = (), met: str | None = None) -> BattleEnd:
    """Return how a battle stands by the units that each side has `left` over all its players (AMB-39).

    It ends as a side loses its last unit (line 228, X4): where one side stands alone from the start, nobody has lost any, and
    it goes on. Who withdraws has lost (line 275, AMB-61); who has `met` a special condition has won.
    """
    if met is not None:
        return BattleEnd(over=True, winner=met)
    standing = [side for side, units in left.items() if units and side not in withdrawn]
    if len(standing) > 1 or len(standing) == len(left):
        return BattleEnd(over=False)
    return BattleEnd(over=True, winner=next(iter(standing), None))


def require_running(state: BattleEnd, called: str | None = None) -> None:
    """Refuse whatever comes after the end; `called` is what the winner is called, if not as the board has it."""
    if state.over:
        won = "no unit is left" if state.winner is None else f"{called or state.winner} has won"
        raise Refused("E_BATTLE_OVER", f"The battle is over: {won}.")


def battle_result(state: BattleEnd, side: str, withdrawn: Collection[str] = ()) -> Result:
    """Return how a battle that is over went for a side; it is lost for all where nobody is left."""
    if side == state.winner:
        return "won"
    return "withdrew" if side in withdrawn else "lost"


Counts = Mapping[str, int]


class Attack(Struct, frozen=True):
    """An attack: so many attempts with one die of so many sides, and how many percent of them hit, None for all."""

    attempts: int
    sides: int
    accuracy: int | None = None

    def __str__(self) -> str:
        return f"{self.attempts}x 1d{self.sides}"


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
    def ended(self) -> BattleEnd:
        """Whether it is over, and who has won."""
        return battle_end(self.left, self.withdrawn, self.met)

    def around(self, terms: Terms, name: str) -> Battlefield:
        """Return the board as a unit finds it."""
        held = frozenset(unit.at for other, unit in self.units.items() if other != name)
        return Battlefield(terms, self.ground, held)

    def unit(self, name: str) -> Fighter:
        """Return a unit that is left."""
        if name not in self.units:
            raise Refused("E_NO_TARGET", f"No unit {name} is on the board{known_list(self.units)}.")
        return self.units[name]

    def own(self, name: str) -> Fighter:
        """Return a unit of the side whose half of the turn it is."""
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
        left = {name: unit for name, unit in self.units.items() if name not in destroyed}
        return replace(self, units=left, kills=kills, lost=lost)

    def handed_on(self) -> Fight:
        """Return the battle in the next side's half; after the last one's a turn begins, in which all may act anew."""
        following = self.sides[self.sides.index(self.active) + 1 :]
        standing = [side for side, units in self.left.items() if units and side not in self.withdrawn]
        after = next((side for side in following if side in standing), None)
        if after is not None:
            return replace(self, active=after)
        first = replace(self, active=next(iter(standing), self.active), turn=self.turn + 1)
        return first.changed(first.units, moved=False, attacked=False)


def begin_fight(
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
    return Fight(where, ground, (first, *(side for side in sides if side != first)), first, units, turn)


class Step(Struct, frozen=True, tag="Move"):
    """A unit goes to a tile."""

    unit: str
    to: Square


class Shoot(Struct, frozen=True, tag=True):
    """A unit attacks a target at range, alone or combined with others."""

    unit: str
    target: str | tuple[str, ...]
    others: tuple[str, ...] = ()


class Clash(Struct, frozen=True, tag=True):
    """A unit attacks a target in melee, on the call of a coin where one is needed."""

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
    """A side withdraws, in anybody's half of the turn."""

    side: str


class Condition(Struct, frozen=True, tag=True):
    """A side has met the special condition of the battle, as a game master says (line 230)."""

    side: str


def require_one_target(unit: str, target: str | Sequence[str]) -> None:
    """Refuse a list of targets for an attack at range: all of a unit's attempts are at one (line 182)."""
    if not isinstance(target, str):
        raise Refused("E_ONE_TARGET", f"{len(target)} targets: {unit} attacks 1 in a turn, with all its attempts.")


Order = Step | Shoot | Clash | Fire | Next | Withdraw | Condition
"""What can be ordered in a battle (lines 130 to 230)."""
