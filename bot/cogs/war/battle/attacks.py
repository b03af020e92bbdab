"""How a unit acts as it is typed: whether it attacks, in which way, and whether it moves before or after that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from bot.errors import BadInput, MissingInput
from rules.books.total_war.board_roles import MANEUVER

THEN_MOVE: Final = ", then move"
ATTACKS: Mapping[str, str] = {"shoot": "Shoot", "melee": "Melee", "broadside": "Broadside"}
ORDERS: Mapping[str, str] = {
    **ATTACKS,
    **{f"{family}{THEN_MOVE}": f"{label}{THEN_MOVE}" for family, label in ATTACKS.items()},
}
"""How a unit may attack, and whether it moves after that, by what is picked."""
TAKES: Mapping[str, Sequence[str]] = {
    "shoot": ("target", "with"),
    "melee": ("target", "call"),
    "broadside": ("toward",),
    MANEUVER: (),
}
"""Which options besides its unit and tile each act takes."""
NEEDED: Mapping[str, Sequence[str]] = {
    "shoot": ("target",),
    "melee": ("target",),
    "broadside": ("toward",),
    MANEUVER: (),
}
"""Which of these each act needs."""


class TypedAct(Struct, frozen=True):
    """An act of a unit as it was typed; those who combine with it are separated by commas. `roll` says whether a card comes first, `dice` are faces rolled by hand."""

    unit: str
    to: str | None = None
    attack: str | None = None
    target: str | None = None
    others: str | None = None
    call: str | None = None
    toward: str | None = None
    roll: str | None = None
    dice: str | None = None

    @property
    def family(self) -> str:
        """What it is rolled as: as was picked, else as what else was typed has it."""
        if self.attack is None:
            return "broadside" if self.toward else "melee" if self.call else "shoot" if self.target else MANEUVER
        picked = self.attack.partition(",")[0].strip().casefold()
        if picked not in ATTACKS:
            raise BadInput(f"{self.attack[:60]!r} isn't an attack.", f"Pick one: {', '.join(ATTACKS)}.")
        return picked

    def require_fitting(self) -> None:
        """Refuse options that would count for nothing: of another attack, or a move after it that goes nowhere."""
        family = self.family
        given = {"target": self.target, "with": self.others, "call": self.call, "toward": self.toward}
        for name in (name for name, value in given.items() if value and name not in TAKES[family]):
            whose = " and ".join(label for attack, label in ATTACKS.items() if name in TAKES[attack])
            raise BadInput(
                f"{ATTACKS.get(family, 'A move')} doesn't use “{name}”.",
                f"Leave it out, or pick an attack that uses it: {whose}.",
            )
        if self.attacks_first and self.to is None:
            raise MissingInput(
                f"{ATTACKS[family]}, then move: where to?", "Name the tile in “to”, or pick only the attack."
            )

    @property
    def attacks_first(self) -> bool:
        """Whether it moves after it has attacked."""
        return self.attack is not None and self.attack.casefold().endswith(THEN_MOVE)

    @property
    def picked(self) -> str:
        """How it attacks, as it is picked; a maneuver where it doesn't."""
        return f"{self.family}{THEN_MOVE}" if self.attacks_first else self.family

    @property
    def usual(self) -> str:
        """How it is rolled where nobody says: what only moves throws no die, and is done at once."""
        return "now" if self.family == MANEUVER else "card"
