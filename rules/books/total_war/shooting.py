"""Ranged attacks: stats as they are printed, tries, attacks that are combined at close range (lines 165 to 188)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import PERCENT, Die, Throw
from rules.dice import MAX_DICE, MAX_SIDES, MIN_SIDES
from rules.geometry.squares import Square, touches

Try = Literal["miss", "held", "beats"]
"""How a try comes out: it misses by its accuracy, the defense holds, or the roll is higher than that."""

_STAT = re.compile(r"\s*([0-9]{1,4})\s*[xX]\s*([0-9]{1,4})[dD]([0-9]{1,5})\s*")


class Attack(Struct, frozen=True):
    """An attack: so many attempts with one die of so many sides, and how many percent of them hit, None for all."""

    attempts: int
    sides: int
    accuracy: int | None = None

    def __str__(self) -> str:
        return f"{self.attempts}x 1d{self.sides}"


class Shooting(Struct, frozen=True):
    """A unit that is to shoot: its attack, its tile (None where it touches the target), and whether it has attacked in this turn."""

    attack: Attack
    at: Square | None = None
    attacked: bool = False


class Shot(Struct, frozen=True):
    """How the tries of a ranged attack came out; the last is the first that beats, if one does."""

    tries: tuple[Try, ...]

    @property
    def destroyed(self) -> bool:
        """Whether the target is destroyed."""
        return "beats" in self.tries


def attack_of(text: str, accuracy: int | None = None) -> Attack:
    """Read an attack such as `2x 1d6`.

    Raises:
        Refused: E_BAD_STAT.

    """
    match = _STAT.fullmatch(text)
    if match is None:
        raise Refused("E_BAD_STAT", f"{text!r} isn't an attack. Write one such as 2x 1d6.")
    attempts, dice, sides = map(int, match.groups())
    if not 1 <= attempts <= MAX_DICE:
        raise Refused("E_BAD_STAT", f"{text!r} has {attempts} attempts. 1 to {MAX_DICE} are possible.")
    if dice != 1:
        raise Refused("E_BAD_STAT", f"{text!r} rolls {dice} dice at once. Each attempt is one die.")
    if not MIN_SIDES <= sides <= MAX_SIDES:
        raise Refused("E_BAD_STAT", f"{text!r} has a die of {sides} sides. {MIN_SIDES} to {MAX_SIDES} are possible.")
    if accuracy is not None and not 1 <= accuracy <= PERCENT:
        raise Refused("E_BAD_STAT", f"An accuracy of {accuracy}% won't work. 1% to {PERCENT}% are possible.")
    return Attack(attempts, sides, accuracy)


def combined(terms: Terms, units: Sequence[Shooting], target: Square | None = None) -> Attack:
    """Return the one attack that units of a side make on a target, each as its own or all together (lines 186 to 188).

    That has the most attempts of theirs, one die with as many sides as theirs have together, and their lowest accuracy
    (AMB-51).
    """
    most = terms.setting("combine-limit", int)
    if len(units) > most:
        raise Refused("E_COMBINE_LIMIT", f"{len(units)} units are too many: {most} can combine an attack.")
    for unit in units:
        who = f"The unit on {unit.at}" if unit.at else "That unit"
        if unit.attacked:
            raise Refused("E_ALREADY_ATTACKED", f"{who} has already attacked this turn.")
        if len(units) > 1 and unit.at and target and not touches(unit.at, target):
            raise Refused("E_NOT_CLOSE", f"{who} isn't next to {target}. Only units next to the target can combine.")
    attacks = [unit.attack for unit in units]
    sides = sum(attack.sides for attack in attacks)
    if sides > MAX_SIDES:
        raise Refused("E_BAD_STAT", f"Together that makes a die of {sides} sides. {MAX_SIDES} is the limit.")
    accuracies = [attack.accuracy for attack in attacks if attack.accuracy is not None]
    return Attack(max(attack.attempts for attack in attacks), sides, min(accuracies, default=None))


def credited(attacks: Sequence[Attack]) -> int:
    """Return the place of the one to whom a kill counts: who has most attempts, else the first (AMB-51)."""
    attempts = [attack.attempts for attack in attacks]
    return attempts.index(max(attempts))


def chance(attack: Attack, defense: int) -> Fraction:
    """Return how likely an attack destroys a target: one try at least hits and rolls higher than its defense (line 182)."""
    higher = min(attack.sides, max(0, attack.sides - defense))
    each = Fraction(higher, attack.sides) * Fraction(PERCENT if attack.accuracy is None else attack.accuracy, PERCENT)
    return 1 - (1 - each) ** attack.attempts


def shoot(attack: Attack, defense: int, throw: Throw) -> Shot:
    """Return how the tries come out; after one that beats no more are made (AMB-50)."""
    tries: list[Try] = []
    for attempt in range(1, attack.attempts + 1):
        tries.append(_tried(attack, defense, attempt, throw))
        if tries[-1] == "beats":
            break
    return Shot(tuple(tries))


def _tried(attack: Attack, defense: int, attempt: int, throw: Throw) -> Try:
    if attack.accuracy is not None and throw(Die("accuracy", PERCENT, attempt)) > attack.accuracy:
        return "miss"
    return "beats" if throw(Die("damage", attack.sides, attempt)) > defense else "held"
