"""After a battle: basic units for those that were lost, gold, and the records of squadrons and of units (lines 232 to 275)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from rules.books.total_war.catalog import Resupply, Tier
from rules.books.total_war.economy import victory_gold
from rules.books.total_war.ranks import require_no_rogue
from rules.books.total_war.refusal import Refused
from rules.books.total_war.terms import Terms


class Standing(Struct, frozen=True):
    """A force after a battle: whether its panel is its own faction's and supplied, and whether it is a lone rogue's."""

    own: bool = True
    supplied: bool = True
    lone_rogue: bool = False


class Record(Struct, frozen=True):
    """How many battles a squadron has fought, and how many of them it has won."""

    fought: int
    won: int


def grunts(terms: Terms, result: str, lost: int) -> int:
    """Return how many basic units a squadron gets for those that it has lost, by how the battle went for it."""
    return lost // terms.of(Resupply, result).losses


def require_resupply(force: Standing) -> None:
    """Refuse basic units where there are none (lines 82, 89, AMB-67).

    Raises:
        Refused: E_ROGUE or E_CUT_OFF.

    """
    require_no_rogue("free resupply", lone_rogue=force.lone_rogue)
    if force.own and not force.supplied:
        raise Refused("E_CUT_OFF", "That panel is cut off from the capitol, so it gets no basic units.")


def gold(terms: Terms, result: str, turns: int | None, *, lone_rogue: bool = False) -> int | None:
    """Return what a battle pays the faction; None where nobody says how many turns a victory took."""
    if lone_rogue or not terms.of(Resupply, result).pays:
        return 0
    return None if turns is None else victory_gold(terms, turns)


def tier(terms: Terms, fought: int) -> int | None:
    """Return the tier of a squadron by the battles that it has fought; None before the first (AMB-64)."""
    reached = [each for each in terms.book.listed(Tier).values() if fought >= each.battles]
    return max(reached, key=_battles).tier if reached else None


def rating(record: Record) -> Fraction | None:
    """Return the share of battles won; None before the first (AMB-65)."""
    return Fraction(record.won, record.fought) if record.fought else None


def ace_level(terms: Terms, kills: int) -> int:
    """Return the level of aces that so many kills make, 0 for none (lines 256 to 262)."""
    return sum(kills >= least for least in terms.ace_kills)


def kills_of(enemies: Iterable[int], *, destroyed: bool = False) -> int:
    """Return the kills that count for a unit over all its battles: enemies alone, and none once it is destroyed (line 264)."""
    return 0 if destroyed else sum(enemies)


def _battles(item: Tier) -> int:
    return item.battles
