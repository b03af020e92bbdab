"""Infinity CodeOne: success values (infinity-codeone-rolls; a line is a line of that page).

The page breaks off before its Face to Face section; `rules.checks` holds how such a contest is read: failures are
discarded, a critical beats all else (line 72), the higher success wins, and equal ones cancel each other. Who a modifier
belongs to (lines 42-44) is for the one who types it to know: modifiers come as plain signed numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.checks import Check
from rules.errors import RollError
from rules.tables import Number

DIE = Number("die", 20, "Sides of every die", 9)
MODIFIER_CAP = Number("modifier-cap", 12, "Most that all modifiers come to, either way", 34)
NUMBERS = (DIE, MODIFIER_CAP)

HIGHEST_ATTRIBUTE = 99
"""The page gives no range: a house default."""
MAX_BURST = 10
"""Most dice of one side: a house default."""


@dataclass(frozen=True, slots=True)
class Skill:
    """An attribute under modifiers; `criticals` is False for a skill that cannot have them (line 83: "if applicable").

    Raises:
        RollError: the attribute is out of its range.

    """

    attribute: int
    modifiers: tuple[int, ...] = ()
    criticals: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.attribute <= HIGHEST_ATTRIBUTE:
            raise RollError(f"an attribute is 0 to {HIGHEST_ATTRIBUTE}, not {self.attribute}")

    @property
    def modifier_sum(self) -> int:
        """All modifiers added up, before the cap."""
        return sum(self.modifiers)

    @property
    def modifier(self) -> int:
        """What the modifiers come to: the cap holds their sum, not each of them (lines 34-36)."""
        return max(-MODIFIER_CAP.value, min(MODIFIER_CAP.value, self.modifier_sum))

    @property
    def check(self) -> Check:
        """The dice against the success value, which alone decides from here on (lines 15-17, 26, 70-83)."""
        return Check(self.attribute + self.modifier, DIE.value, self.criticals)


def check_burst(burst: int) -> None:
    """Whether so many dice may be rolled by one side.

    Raises:
        RollError: they may not.

    """
    if not 1 <= burst <= MAX_BURST:
        raise RollError(f"a burst is 1 to {MAX_BURST} dice, not {burst}")


def divided(number: int, by: int) -> int:
    """The quotient, fractions rounded up (line 49): half of 5 is 3, half of -3 is -1.

    Raises:
        RollError: the divisor is 0.

    """
    if not by:
        raise RollError("nothing can be divided by 0")
    return -(-number // by)
