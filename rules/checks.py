"""Checks of dice against a value: at or under it is a success, exactly on it a critical; alone or against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from rules.errors import WrongDice

Outcome = Literal["auto_failure", "failure", "success", "critical"]
Winner = Literal["a", "b", "none"]
Reason = Literal["critical", "higher_success", "only_success", "both_failed", "tie", "both_critical", "no_roll"]
Standing = tuple[int, int]
"""How a die stands against others, the greater the better: what it is, then how high where that counts."""

_FAILED, _SUCCEEDED, _CRITICAL = range(3)
_RANKS = {"auto_failure": _FAILED, "failure": _FAILED, "success": _SUCCEEDED, "critical": _CRITICAL}
_TIES: tuple[Reason, ...] = ("both_failed", "tie", "both_critical")


class Fall(Struct, frozen=True):
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


NO_DIE = Fall("auto_failure", None)


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

    def read(self, faces: Sequence[int]) -> tuple[Fall, ...]:
        """Return what each die comes to; one automatic failure where none is rolled."""
        if self.auto_fail:
            if faces:
                raise WrongDice(f"You don't roll at a success value of {self.value}.")
            return (NO_DIE,)
        if not faces:
            raise WrongDice(f"The roll needs another d{self.sides}, but you gave no more faces.")
        return tuple(map(self._read, faces))

    def standings(self, dice: int) -> dict[Standing, int]:
        """Return how many of all sides**dice falls have their best die at each standing.

        All dice stand at or below a standing in as many ways as one die does, to the power of the dice; those where
        none stands right at it are taken off.
        """
        faces = range(1, self.sides + 1)
        ways = Counter((NO_DIE if self.auto_fail else self._read(face)).standing for face in faces)
        best, below = {}, 0
        for standing in sorted(ways):
            # Ways in which one die stands here or lower.
            upto = below + ways[standing]
            best[standing] = upto**dice - below**dice
            below = upto
        return best

    def _read(self, face: int) -> Fall:
        if not 1 <= face <= self.sides:
            raise WrongDice(f"A d{self.sides} has no face {face}.")
        result = face + self.bonus
        if result > self.effective and not self.bonus:
            return Fall("failure", result)
        return Fall("critical" if self.criticals and result >= self.effective else "success", result)


class Contest(Struct, frozen=True):
    """How two sides came out: their best dice, who won and why, and how many of the winner's dice count as hits."""

    winner: Winner
    reason: Reason
    hits: int
    a: Fall
    b: Fall


def best(falls: Sequence[Fall]) -> Fall:
    """Return the die that stands best; of equal ones the highest."""
    return max(falls, key=lambda fall: (fall.standing, fall.result or 0))


def contest(a: Sequence[Fall], b: Sequence[Fall]) -> Contest:
    """Let the side whose best die stands higher win, with all its dice that stand above the best one of the other side."""
    best_a, best_b = best(a), best(b)
    if best_a.standing == best_b.standing:
        return Contest("none", _why_nobody(best_a, best_b), 0, best_a, best_b)
    a_won = best_a.standing > best_b.standing
    falls, won, lost = (a, best_a, best_b) if a_won else (b, best_b, best_a)
    hits = sum(fall.standing > lost.standing for fall in falls)
    return Contest("a" if a_won else "b", _why(won, lost), hits, best_a, best_b)


def _why(won: Fall, lost: Fall) -> Reason:
    if won.outcome == "critical":
        return "critical"
    return "higher_success" if lost.succeeded else "only_success"


def _why_nobody(a: Fall, b: Fall) -> Reason:
    if a == b == NO_DIE:
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
