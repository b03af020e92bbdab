"""Infinity CodeOne: success values and the dice against them (infinity-codeone-rolls; a line is a line of that page).

A die at or under the value succeeds, exactly on it is critical. Modifiers are plain signed numbers (lines 42-44).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from rules import errors, tables
from rules.dice import Dice, DiceTerm
from rules.modifiers import JsonObject
from rules.procedure import Throw

Outcome = Literal["auto_failure", "failure", "success", "critical"]
Winner = Literal["a", "b", "none"]
Reason = Literal["critical", "higher_success", "only_success", "both_failed", "tie", "both_critical", "no_roll"]
Rank = tuple[int, int]
"""How a die ranks, greater is better: what it is, then how high if that counts."""

_FAILED, _SUCCEEDED, _CRITICAL = range(3)
_ORDER = {"auto_failure": _FAILED, "failure": _FAILED, "success": _SUCCEEDED, "critical": _CRITICAL}
_TIES: tuple[Reason, ...] = ("both_failed", "tie", "both_critical")


class DieResult(Struct, frozen=True):
    """One die; `result` is the face with its bonus, None if not rolled."""

    outcome: Outcome
    result: int | None

    @property
    def is_success(self) -> bool:
        """Whether it succeeds, critically or not."""
        return _ORDER[self.outcome] > _FAILED

    @property
    def rank(self) -> Rank:
        """Its kind, then its result if it's a plain success."""
        return _ORDER[self.outcome], (self.result or 0) if self.outcome == "success" else 0


NOT_ROLLED = DieResult("auto_failure", None)


class Check(Struct, frozen=True):
    """Dice against `value`; some skills have no `criticals`."""

    value: int
    sides: int
    criticals: bool = True

    @property
    def auto_fail(self) -> bool:
        """Whether no face is low enough to roll."""
        return self.value < 1

    @property
    def effective(self) -> int:
        """The value, at most the highest face."""
        return min(self.value, self.sides)

    @property
    def bonus(self) -> int:
        """What a value above the highest face adds to each die."""
        return max(0, self.value - self.sides)

    def read(self, faces: Sequence[int]) -> tuple[DieResult, ...]:
        """Return each die's result; one automatic failure without dice."""
        if self.auto_fail:
            if faces:
                raise errors.WrongDice(f"You don't roll at a success value of {self.value}.")
            return (NOT_ROLLED,)
        if not faces:
            raise errors.WrongDice(f"The roll needs another d{self.sides}, but you gave no more faces.")
        return tuple(map(self._read, faces))

    def count_ranks(self, dice: int) -> dict[Rank, int]:
        """Count the throws of some dice by the rank of their best die.

        Of the throws with all dice at or below a rank, those without any right at it are subtracted.
        """
        faces = range(1, self.sides + 1)
        ways = Counter((NOT_ROLLED if self.auto_fail else self._read(face)).rank for face in faces)
        best, below = {}, 0
        for rank in sorted(ways):
            up_to = below + ways[rank]  # ways of one die to rank here or lower
            best[rank] = up_to**dice - below**dice
            below = up_to
        return best

    def _read(self, face: int) -> DieResult:
        if not 1 <= face <= self.sides:
            raise errors.WrongDice(f"A d{self.sides} has no face {face}.")
        result = face + self.bonus
        if result > self.effective and not self.bonus:
            return DieResult("failure", result)
        return DieResult("critical" if self.criticals and result >= self.effective else "success", result)


class OpposedResult(Struct, frozen=True):
    """Two sides' best dice, who won and why, and the winner's hits."""

    winner: Winner
    reason: Reason
    hits: int
    a: DieResult
    b: DieResult


def find_best(falls: Sequence[DieResult]) -> DieResult:
    """Return the best die, the highest of equals."""
    return max(falls, key=lambda fall: (fall.rank, fall.result or 0))


def compare_sides(a: Sequence[DieResult], b: Sequence[DieResult]) -> OpposedResult:
    """Compare both best dice; the winner's dice above the loser's best are hits."""
    best_a, best_b = find_best(a), find_best(b)
    reason: Reason
    if best_a.rank == best_b.rank:
        reason = "no_roll" if best_a == best_b == NOT_ROLLED else _TIES[best_a.rank[0]]
        return OpposedResult("none", reason, 0, best_a, best_b)
    a_won = best_a.rank > best_b.rank
    falls, won, lost = (a, best_a, best_b) if a_won else (b, best_b, best_a)
    reason = "critical" if won.outcome == "critical" else "higher_success" if lost.is_success else "only_success"
    hits = sum(fall.rank > lost.rank for fall in falls)
    return OpposedResult("a" if a_won else "b", reason, hits, best_a, best_b)


class CheckOdds(Struct, frozen=True):
    """Throws out of `of`: with a critical, with only plain successes, and failed."""

    of: int
    critical: int
    plain_success: int
    failure: int


class ContestOdds(Struct, frozen=True):
    """Throws out of `of` that `a`, `b` or no side wins."""

    of: int
    a_wins: int
    b_wins: int
    none: int


def check_odds(check: Check, dice: int = 1) -> CheckOdds:
    """Return the exact odds of the best of some dice; a value below 1 always fails."""
    ways: Counter[int] = Counter()
    for (kind, _), count in check.count_ranks(dice).items():
        ways[kind] += count
    return CheckOdds(check.sides**dice, ways[_CRITICAL], ways[_SUCCEEDED], ways[_FAILED])


def contest_odds(a: Check, a_dice: int, b: Check, b_dice: int) -> ContestOdds:
    """Return the exact odds of a contest; a side whose value is below 1 always fails."""
    ours, theirs = a.count_ranks(a_dice), b.count_ranks(b_dice)
    pairs = [(mine, other, ours[mine] * theirs[other]) for mine in ours for other in theirs]
    a_wins = sum(count for mine, other, count in pairs if mine > other)
    b_wins = sum(count for mine, other, count in pairs if mine < other)
    of = a.sides**a_dice * b.sides**b_dice
    return ContestOdds(of, a_wins, b_wins, of - a_wins - b_wins)


PAGE = "infinity-codeone-rolls"
DIE = tables.Number("die", 20, "Sides of every die", 9)
MODIFIER_CAP = tables.Number("modifier-cap", 12, "Limit for all modifiers together, up or down", 34)
LOWEST = tables.Number("lowest-value", 1, "Success value below which no die is rolled", 77)
HIGHEST = tables.Number("highest-value", 20, "Success value above which the rest is added to the die", 81)
NUMBERS = (DIE, MODIFIER_CAP, LOWEST, HIGHEST)

HIGHEST_ATTRIBUTE = 99  # a house default, since the page gives no range
MAX_BURST = 10  # a house default

ON_IT, AT_MOST = 70, 17
"""The lines of a die on the success value, and of any other."""

SECTIONS: Mapping[int, str] = {
    AT_MOST: "Successful Roll",
    ON_IT: "Criticals",
    LOWEST.line: "Success Values Below 1",
    HIGHEST.line: "Success Values Above 20",
}

WORDS: Mapping[str, str] = {
    "critical": "critical",
    "success": "success",
    "failure": "failure",
    "auto_failure": "automatic failure, no dice rolled",
}


class RollSide(Struct, frozen=True):
    """One side: attribute, modifiers and dice (line 83 on `criticals`)."""

    attribute: int
    modifiers: tuple[int, ...] = ()
    burst: int = 1
    criticals: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.attribute <= HIGHEST_ATTRIBUTE:
            raise errors.RollError(f"An attribute is 0 to {HIGHEST_ATTRIBUTE}, not {self.attribute}.")
        check_burst(self.burst)

    @classmethod
    def of(cls, inputs: JsonObject) -> RollSide:
        """Read a side from a roll's inputs."""
        mods, burst, crits = tuple(inputs.get("mods", ())), inputs.get("burst", 1), inputs.get("crits", True)
        return cls(inputs["attribute"], mods, burst, crits)

    def inputs(self) -> dict[str, object]:
        """Return the side as inputs of a roll, which `of` reads."""
        mods = list(self.modifiers)
        return {"attribute": self.attribute, "mods": mods, "burst": self.burst, "crits": self.criticals}

    @property
    def modifier_sum(self) -> int:
        """All modifiers, before the cap."""
        return sum(self.modifiers)

    @property
    def modifier(self) -> int:
        """The modifiers, capped as a sum (lines 34-36)."""
        return max(-MODIFIER_CAP.value, min(MODIFIER_CAP.value, self.modifier_sum))

    @property
    def check(self) -> Check:
        """The dice against the success value (lines 15-17, 26, 70-83)."""
        return Check(self.attribute + self.modifier, DIE.value, self.criticals)

    def throw(self, dice: Dice, name: str = "") -> tuple[tuple[DieResult, ...], Throw]:
        """Throw the dice; return each die's result, and a throw that describes them under a name."""
        rolls = () if self.check.auto_fail else (dice.roll(DiceTerm(self.burst, DIE.value)),)
        falls = self.check.read([face for roll in rolls for face in roll.faces])
        line = self._line(find_best(falls))
        source = tables.Source(PAGE, SECTIONS[line])
        title = f"{name}, {self}" if name else f"{self}".capitalize()
        return falls, Throw(title, ", ".join(map(self._fall_text, falls)), rolls, source, line)

    def lines(self) -> Iterator[str]:
        """Describe the success value before the dice."""
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
        """Attribute, modifiers, their sum and the cap."""
        modifiers = " ".join(f"{value:+d}" for value in self.modifiers)
        text = f"attribute {self.attribute}" + (f", {modifiers}" if modifiers else "")
        text += f" = {self.modifier_sum:+d}" if len(self.modifiers) > 1 else ""
        return text + (f", limited to {self.modifier:+d}" if self.modifier != self.modifier_sum else "")

    def __str__(self) -> str:
        return f"{self.skill_text}: success value {self.check.value}"

    def _fall_text(self, fall: DieResult) -> str:
        bonus = self.check.bonus
        added = f"{(fall.result or 0) - bonus} + {bonus} = {fall.result}: " if bonus else ""
        return f"{added}{WORDS[fall.outcome]}"

    def _line(self, fall: DieResult) -> int:
        if self.check.auto_fail:
            return LOWEST.line
        if self.check.bonus:
            return HIGHEST.line
        return ON_IT if fall.outcome == "critical" else AT_MOST


def fall_record(check: Check, fall: DieResult) -> dict[str, object]:
    """Return a side's success value and best die, as records store them."""
    return {"sv": check.value, "outcome": fall.outcome, "result": fall.result}


def check_burst(burst: int) -> None:
    """Refuse too many or too few dice."""
    if not 1 <= burst <= MAX_BURST:
        raise errors.RollError(f"A burst is 1 to {MAX_BURST} dice, not {burst}.")
