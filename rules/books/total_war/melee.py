"""Melee: a certain kill against whatever is no suit, else a call of the coin and a counterattack (lines 190 to 196)."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from rules.books.total_war.aiming import require_attacker
from rules.books.total_war.catalog import UnitClass
from rules.books.total_war.refusal import Missing
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import COIN, Die, Side, Throw, Use


class Melee(Struct, frozen=True):
    """How a melee attack came out, and the dice that were thrown for it."""

    target_destroyed: bool
    attacker_destroyed: bool
    dice: tuple[Use, ...]


class MeleeOdds(Struct, frozen=True):
    """How likely a melee attack destroys the target, the attacker, or nobody."""

    target: Fraction
    attacker: Fraction
    nobody: Fraction


def is_called(terms: Terms, target: str) -> bool:
    """Return whether a coin is called for a melee attack on such a unit (line 194, AMB-52)."""
    return terms.of(UnitClass, target).armoured


def require_call(terms: Terms, attacker: str, target: str, call: Side | None, whom: str = "") -> None:
    """Refuse a melee attack that is not possible, or for which the coin is not called; `whom` is what the target is called."""
    require_attacker(terms, attacker, melee=True)
    if call is None and is_called(terms, target):
        label = terms.of(UnitClass, target).label.lower()
        against = f"{whom}, a {label}," if whom else f"a {label}"
        raise Missing("E_NO_CALL", f"Melee against {against} is decided by a coin. Call {' or '.join(COIN)}.")


def melee(terms: Terms, attacker: str, target: str, call: Side | None, throw: Throw) -> Melee:
    """Return how a melee attack comes out."""
    require_call(terms, attacker, target, call)
    if not is_called(terms, target):
        return Melee(target_destroyed=True, attacker_destroyed=False, dice=())
    if COIN[throw(Die("coin", terms.number("melee-coin"))) - 1] == call:
        return Melee(target_destroyed=True, attacker_destroyed=False, dice=("coin",))
    countered = throw(Die("counter", terms.number("counter-die"))) == terms.number("counter-face")
    return Melee(target_destroyed=False, attacker_destroyed=countered, dice=("coin", "counter"))


def odds(terms: Terms, attacker: str, target: str) -> MeleeOdds:
    """Return how likely each end of a melee attack is.

    Raises:
        Refused: E_NO_MELEE.

    """
    require_attacker(terms, attacker, melee=True)
    hit = Fraction(1, terms.number("melee-coin")) if is_called(terms, target) else Fraction(1)
    countered = (1 - hit) * Fraction(1, terms.number("counter-die"))
    return MeleeOdds(hit, countered, 1 - hit - countered)
