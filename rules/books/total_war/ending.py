"""How a battle ends: a side has no units left or withdraws, or a special condition is met (lines 224 to 230)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct

from rules.books.total_war.refusal import Refused

Result = Literal["won", "lost", "withdrew"]
"""How a battle went for a side."""


class Ended(Struct, frozen=True):
    """Whether a battle is over, and who has won: nobody where all are gone at once."""

    over: bool
    winner: str | None = None


def ended(left: Mapping[str, int], withdrawn: Collection[str] = (), met: str | None = None) -> Ended:
    """Return how a battle stands by the units that each side has `left` over all its players (AMB-39).

    It ends as a side loses its last unit (line 228, X4): where one side stands alone from the start, nobody has lost any, and
    it goes on. Who withdraws has lost (line 275, AMB-61); who has `met` a special condition has won.
    """
    if met is not None:
        return Ended(over=True, winner=met)
    standing = [side for side, units in left.items() if units and side not in withdrawn]
    if len(standing) > 1 or len(standing) == len(left):
        return Ended(over=False)
    return Ended(over=True, winner=next(iter(standing), None))


def require_running(state: Ended, called: str | None = None) -> None:
    """Refuse whatever comes after the end; `called` is what the winner is called, if not as the board has it."""
    if state.over:
        won = "no unit is left" if state.winner is None else f"{called or state.winner} has won"
        raise Refused("E_BATTLE_OVER", f"The battle is over: {won}.")


def result(state: Ended, side: str, withdrawn: Collection[str] = ()) -> Result:
    """Return how a battle that is over went for a side; it is lost for all where nobody is left."""
    if side == state.winner:
        return "won"
    return "withdrew" if side in withdrawn else "lost"
