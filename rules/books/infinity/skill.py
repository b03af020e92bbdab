"""Infinity CodeOne: success values and the dice against them (infinity-codeone-rolls; a line is a line of that page).

A die at or under the value is a success, exactly on it a critical. Who a modifier belongs to (lines 42-44) is for the one
who types it to know: modifiers come as plain signed numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from rules.dice import Dice, DiceTerm
from rules.errors import RollError, WrongDice
from rules.modifiers import JsonObject
from rules.procedure import Throw
from rules.tables import Number, Source

Outcome = Literal["auto_failure", "failure", "success", "critical"]
Winner = Literal["a", "b", "none"]
Reason = Literal["critical", "higher_success", "only_success", "both_failed", "tie", "both_critical", "no_roll"]
Standing = tuple[int, int]
"""How a die stands against others, the greater the better: what it is, then how high where that counts."""

_FAILED, _SUCCEEDED, _CRITICAL = range(3)
_RANKS = {"auto_failure": _FAILED, "failure": _FAILED, "success": _SUCCEEDED, "critical": _CRITICAL}
_TIES: tuple[Reason, ...] = ("both_failed", "tie", "both_critical")


class DieResult(Struct, frozen=True):
    """What one die came to. `result` is the face with its bonus, None where no die is rolled."""

    outcome: Outcome
    result: int | None

    @property
    def succeeded(self) -> bool:
        """Whether it is a success, critical or not."""
        return _RANKS[self.outcome] > _FAILED

    @property
    def standing(self) -> Standing:
        """Failures stand alike, and criticals do; between successes the result decides."""
        return _RANKS[self.outcome], (self.result or 0) if self.outcome == "success" else 0


NOT_ROLLED = DieResult("auto_failure", None)


class Check(Struct, frozen=True):
    """Dice of `sides` sides against `value`, any whole number; `criticals` says whether the skill can have them."""

    value: int
    sides: int
    criticals: bool = True

    @property
    def auto_fail(self) -> bool:
        """Whether no face is low enough, so that no die is rolled."""
        return self.value < 1

    @property
    def effective(self) -> int:
        """The value, but never above the highest face."""
        return min(self.value, self.sides)

    @property
    def bonus(self) -> int:
        """By how much the value is above the highest face; it is added to each face."""
        return max(0, self.value - self.sides)

    def read(self, faces: Sequence[int]) -> tuple[DieResult, ...]:
        """Return what each die comes to; one automatic failure where none is rolled."""
        if self.auto_fail:
            if faces:
                raise WrongDice(f"You don't roll at a success value of {self.value}.")
            return (NOT_ROLLED,)
        if not faces:
            raise WrongDice(f"The roll needs another d{self.sides}, but you gave no more faces.")
        return tuple(map(self._read, faces))

    def standings(self, dice: int) -> dict[Standing, int]:
        """Return how many of all sides**dice falls have their best die at each standing.

        All dice stand at or below a standing in as many ways as one die does, to the power of the dice; those where
        none stands right at it are taken off.
        """
        faces = range(1, self.sides + 1)
        ways = Counter((NOT_ROLLED if self.auto_fail else self._read(face)).standing for face in faces)
        best, below = {}, 0
        for standing in sorted(ways):
            # Ways in which one die stands here or lower.
            upto = below + ways[standing]
            best[standing] = upto**dice - below**dice
            below = upto
        return best

    def _read(self, face: int) -> DieResult:
        if not 1 <= face <= self.sides:
            raise WrongDice(f"A d{self.sides} has no face {face}.")
        result = face + self.bonus
        if result > self.effective and not self.bonus:
            return DieResult("failure", result)
        return DieResult("critical" if self.criticals and result >= self.effective else "success", result)


class OpposedResult(Struct, frozen=True):
    """How two sides came out: their best dice, who won and why, and how many of the winner's dice count as hits."""

    winner: Winner
    reason: Reason
    hits: int
    a: DieResult
    b: DieResult


def find_best(falls: Sequence[DieResult]) -> DieResult:
    """Return the die that stands best; of equal ones the highest."""
    return max(falls, key=lambda fall: (fall.standing, fall.result or 0))


def compare_sides(a: Sequence[DieResult], b: Sequence[DieResult]) -> OpposedResult:
    """Let the side whose best die stands higher win, with all its dice that stand above the best one of the other side."""
    best_a, best_b = find_best(a), find_best(b)
    if best_a.standing == best_b.standing:
        return OpposedResult("none", _why_nobody(best_a, best_b), 0, best_a, best_b)
    a_won = best_a.standing > best_b.standing
    falls, won, lost = (a, best_a, best_b) if a_won else (b, best_b, best_a)
    hits = sum(fall.standing > lost.standing for fall in falls)
    return OpposedResult("a" if a_won else "b", _why(won, lost), hits, best_a, best_b)


def _why(won: DieResult, lost: DieResult) -> Reason:
    if won.outcome == "critical":
        return "critical"
    return "higher_success" if lost.succeeded else "only_success"


def _why_nobody(a: DieResult, b: DieResult) -> Reason:
    if a == b == NOT_ROLLED:
        return "no_roll"
    rank, _ = a.standing
    return _TIES[rank]


class CheckOdds(Struct, frozen=True):
    """Out of `of` equally likely falls: at least one critical, a success but no critical, neither."""

    of: int
    critical: int
    plain_success: int
    failure: int


class ContestOdds(Struct, frozen=True):
    """Out of `of` equally likely falls: how many each side wins, and how many nobody does."""

    of: int
    a_wins: int
    b_wins: int
    none: int


def check_odds(check: Check, dice: int = 1) -> CheckOdds:
    """Return the exact odds of the best of several dice. Dice that are not rolled count as falls that fail."""
    ways: Counter[int] = Counter()
    for (rank, _), count in check.standings(dice).items():
        ways[rank] += count
    return CheckOdds(check.sides**dice, ways[_CRITICAL], ways[_SUCCEEDED], ways[_FAILED])


def contest_odds(a: Check, a_dice: int, b: Check, b_dice: int) -> ContestOdds:
    """Return the exact odds of a contest. Dice that are not rolled count as falls that fail."""
    ours, theirs = a.standings(a_dice), b.standings(b_dice)
    pairs = [(mine, other, ours[mine] * theirs[other]) for mine in ours for other in theirs]
    a_wins = sum(count for mine, other, count in pairs if mine > other)
    b_wins = sum(count for mine, other, count in pairs if mine < other)
    of = a.sides**a_dice * b.sides**b_dice
    return ContestOdds(of, a_wins, b_wins, of - a_wins - b_wins)


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


class RollSide(Struct, frozen=True):
    """One who rolls: an attribute under modifiers, and how many dice; `criticals` is False for a skill that can't have them (line 83: "if applicable")."""

    attribute: int
    modifiers: tuple[int, ...] = ()
    burst: int = 1
    criticals: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.attribute <= HIGHEST_ATTRIBUTE:
            raise RollError(f"An attribute is 0 to {HIGHEST_ATTRIBUTE}, not {self.attribute}.")
        check_burst(self.burst)

    @classmethod
    def of(cls, inputs: JsonObject) -> RollSide:
        """Return a side as the inputs of a roll have it: `attribute`, and where they are given `mods`, `burst` and `crits`."""
        mods, burst, crits = tuple(inputs.get("mods", ())), inputs.get("burst", 1), inputs.get("crits", True)
        return cls(inputs["attribute"], mods, burst, crits)

    def inputs(self) -> dict[str, object]:
        """Return the same as inputs of a roll."""
        mods = list(self.modifiers)
        return {"attribute": self.attribute, "mods": mods, "burst": self.burst, "crits": self.criticals}

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

    def throw(self, dice: Dice, name: str = "") -> tuple[tuple[DieResult, ...], Throw]:
        """Throw the dice, none below a value of 1; return what each came to and an account of it, headed by the name."""
        rolls = () if self.check.auto_fail else (dice.roll(DiceTerm(self.burst, DIE.value)),)
        falls = self.check.read([face for roll in rolls for face in roll.faces])
        line = self._line(find_best(falls))
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
        modifiers = " ".join(f"{value:+d}" for value in self.modifiers)
        text = f"attribute {self.attribute}" + (f", {modifiers}" if modifiers else "")
        text += f" = {self.modifier_sum:+d}" if len(self.modifiers) > 1 else ""
        return text + (f", limited to {self.modifier:+d}" if self.modifier != self.modifier_sum else "")

    def __str__(self) -> str:
        return f"{self.skill_text}: success value {self.check.value}"

    def _fall_text(self, fall: DieResult) -> str:
        """Return the outcome of a die, with the bonus of a value above 20 added up (line 89: 4 + 3 = 7)."""
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
    """Return what the best die of a side came to, as records and the command line have it."""
    return {"sv": check.value, "outcome": fall.outcome, "result": fall.result}


def check_burst(burst: int) -> None:
    """Check that so many dice may be rolled by one side."""
    if not 1 <= burst <= MAX_BURST:
        raise RollError(f"A burst is 1 to {MAX_BURST} dice, not {burst}.")
