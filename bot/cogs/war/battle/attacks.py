"""How a unit acts as it is typed: whether it attacks, in which way, and whether it moves before or after that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from bot.errors import BadInput
from rules.books.total_war.board_roles import MANEUVER

THEN_MOVE: Final = ", then move"
ATTACKS: Mapping[str, str] = {"shoot": "Shoot", "melee": "Melee", "broadside": "Broadside"}
ORDERS: Mapping[str, str] = {
    **ATTACKS,
    **{f"{family}{THEN_MOVE}": f"{label}{THEN_MOVE}" for family, label in ATTACKS.items()},
}
"""How a unit may attack, and whether it moves after that, by what is picked."""


class TypedAct(Struct, frozen=True):
    """An act of a unit as it was typed; those who combine with it are parted by commas."""

    unit: str
    to: str | None = None
    attack: str | None = None
    target: str | None = None
    others: str | None = None
    call: str | None = None
    toward: str | None = None

    @property
    def family(self) -> str:
        """What it is rolled as: as was picked, else as what else was typed has it.

        Raises:
            BadInput: there is no such attack.

        """
        if self.attack is None:
            return "broadside" if self.toward else "melee" if self.call else "shoot" if self.target else MANEUVER
        picked = self.attack.partition(",")[0].strip().casefold()
        if picked not in ATTACKS:
            raise BadInput(f"There is no attack {self.attack[:60]!r}.", f"Pick one: {', '.join(ATTACKS)}.")
        return picked

    @property
    def attacks_first(self) -> bool:
        """Whether it moves after it has attacked."""
        return self.attack is not None and self.attack.casefold().endswith(THEN_MOVE)

    @property
    def usual(self) -> str:
        """How it is rolled where nobody says: what only moves throws no die, and is done at once."""
        return "now" if self.family == MANEUVER else "card"
