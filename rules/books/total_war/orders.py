"""What can be ordered in a battle (lines 130 to 230)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rules.books.total_war.refusal import Refused
from rules.books.total_war.thrown import Side
from rules.geometry.squares import Square


class Move(Struct, frozen=True, tag=True):
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
    call: Side | None = None


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


Order = Move | Shoot | Clash | Fire | Next | Withdraw | Condition
