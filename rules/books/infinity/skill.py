"""Infinity CodeOne: success values and the dice against them (infinity-codeone-rolls; a line is a line of that page).

Who a modifier belongs to (lines 42-44) is for the one who types it to know: modifiers come as plain signed numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from rules.checks import Check, Fall, best
from rules.dice import DiceTerm
from rules.errors import RollError
from rules.facts import JsonObject
from rules.procedure import Throw
from rules.tables import Number, Source

if TYPE_CHECKING:
    from rules.dice import Dice

PAGE = "infinity-codeone-rolls"
DIE = Number("die", 20, "Sides of every die", 9)
MODIFIER_CAP = Number("modifier-cap", 12, "Limit for all modifiers together, up or down", 34)
LOWEST = Number("lowest-value", 1, "Success value below which no die is rolled", 77)
HIGHEST = Number("highest-value", 20, "Success value above which the rest is added to the die", 81)
NUMBERS = (DIE, MODIFIER_CAP, LOWEST, HIGHEST)

HIGHEST_ATTRIBUTE = 99
"""The page gives no range: a house default."""
MAX_BURST = 10
"""Most dice of one side: a house default."""

ON_IT, AT_MOST = 70, 17
"""The lines of a die that shows the success value, and of any other."""

SECTIONS: Mapping[int, str] = {
    AT_MOST: "Successful Roll",
    ON_IT: "Criticals",
    LOWEST.line: "Success Values Below 1",
    HIGHEST.line: "Success Values Above 20",
}
"""The sections that these lines stand in."""

WORDS: Mapping[str, str] = {
    "critical": "critical",
    "success": "success",
    "failure": "failure",
    "auto_failure": "automatic failure, no dice rolled",
}


class Skill(Struct, frozen=True):
    """An attribute under modifiers; `criticals` is False for a skill that cannot have them (line 83: "if applicable")."""

    attribute: int
    modifiers: tuple[int, ...] = ()
    criticals: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.attribute <= HIGHEST_ATTRIBUTE:
            raise RollError(f"An attribute is 0 to {HIGHEST_ATTRIBUTE}, not {self.attribute}.")

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


class Side(Struct, frozen=True):
    """One who rolls: the skill and how many dice.

    Raises:
        RollError: the burst is out of its range.

    """

    skill: Skill
    burst: int = 1

    def __post_init__(self) -> None:
        check_burst(self.burst)

    @classmethod
    def of(cls, inputs: JsonObject) -> Side:
        """Return a side as the inputs of a roll have it: `attribute`, and where they are given `mods`, `burst` and `crits`.

        Raises:
            RollError: attribute or burst is out of its range.

        """
        skill = Skill(inputs["attribute"], tuple(inputs.get("mods", ())), inputs.get("crits", True))
        return cls(skill, inputs.get("burst", 1))

    def inputs(self) -> dict[str, object]:
        """Return the same as inputs of a roll."""
        skill = self.skill
        mods, crits = list(skill.modifiers), skill.criticals
        return {"attribute": skill.attribute, "mods": mods, "burst": self.burst, "crits": crits}

    @property
    def check(self) -> Check:
        """The dice against the success value."""
        return self.skill.check

    def throw(self, dice: Dice, name: str = "") -> tuple[tuple[Fall, ...], Throw]:
        """Throw the dice, none below a value of 1; return what each came to and an account of it, headed by the name."""
        rolls = () if self.check.auto_fail else (dice.roll(DiceTerm(self.burst, DIE.value)),)
        falls = self.check.read([face for roll in rolls for face in roll.faces])
        line = self._line(best(falls))
        source = Source(PAGE, SECTIONS[line])
        title = f"{name}, {self}" if name else f"{self}".capitalize()
        return falls, Throw(title, ", ".join(map(self._fall_text, falls)), rolls, source, line)

    def lines(self) -> Iterator[str]:
        """Yield what can be told before the dice: how the value comes about, and what it means for them."""
        check = self.check
        yield f"Success value {check.value}: {self.skill_text}."
        if check.auto_fail:
            yield "Below 1: automatic failure, no dice rolled."
        if check.bonus:
            yield f"Above {check.sides}: every die succeeds and gets +{check.bonus}."
        if self.burst > 1:
            yield f"{self.burst} dice."
        if not check.criticals:
            yield "This skill has no criticals."

    @property
    def skill_text(self) -> str:
        """Attribute and modifiers, each as it was given, their sum, and the cap where it holds them."""
        skill = self.skill
        modifiers = " ".join(f"{value:+d}" for value in skill.modifiers)
        text = f"attribute {skill.attribute}" + (f", {modifiers}" if modifiers else "")
        text += f" = {skill.modifier_sum:+d}" if len(skill.modifiers) > 1 else ""
        return text + (f", limited to {skill.modifier:+d}" if skill.modifier != skill.modifier_sum else "")

    def __str__(self) -> str:
        return f"{self.skill_text}: success value {self.check.value}"

    def _fall_text(self, fall: Fall) -> str:
        """Return the outcome of a die, with the bonus of a value above 20 added up (line 89: 4 + 3 = 7)."""
        bonus = self.check.bonus
        added = f"{(fall.result or 0) - bonus} + {bonus} = {fall.result}: " if bonus else ""
        return f"{added}{WORDS[fall.outcome]}"

    def _line(self, fall: Fall) -> int:
        if self.check.auto_fail:
            return LOWEST.line
        if self.check.bonus:
            return HIGHEST.line
        return ON_IT if fall.outcome == "critical" else AT_MOST


def fall_record(check: Check, fall: Fall) -> dict[str, object]:
    """Return what the best die of a side came to, as records and the command line have it."""
    return {"sv": check.value, "outcome": fall.outcome, "result": fall.result}


def check_burst(burst: int) -> None:
    """Check that so many dice may be rolled by one side."""
    if not 1 <= burst <= MAX_BURST:
        raise RollError(f"A burst is 1 to {MAX_BURST} dice, not {burst}.")


def divide_up(number: int, by: int) -> int:
    """Return the quotient, fractions rounded up (line 49): half of 5 is 3, half of -3 is -1."""
    if not by:
        raise RollError("Nothing can be divided by 0.")
    return -(-number // by)
