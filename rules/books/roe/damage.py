"""What the dice of an attack come to: several dice and types of damage, doubling, damage reduction, hit points (C13, C16)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rules.book import Book


class Hit(Struct, frozen=True, forbid_unknown_fields=True):
    """The damage die of an attack that hit, and whether it was a critical hit."""

    die: int
    critical: bool = False


class Typed(Struct, frozen=True, forbid_unknown_fields=True):
    """What is added to damage of a type that hit, and what the target has against it."""

    type: str
    mod: int = 0
    dr: int = 0


class Blow(Struct, frozen=True):
    """What the hits of an action come to: multiplied dice, the sum of modifiers, damage before and after `dr` is subtracted."""

    dice: int
    mod: int
    before_dr: int
    dr: int
    damage: int


class Strike(Struct, frozen=True):
    """What is known of an attack besides its dice: an `aimed` shot or `sneak` attack helps only if `alone` (one attack roll)."""

    aimed: bool = False
    sneak: bool = False
    pierced: bool = False
    alone: bool = True

    def doubles(self, dr: int) -> bool:
        """Return whether the die is doubled: in a sneak attack, and where an aim finds no damage reduction (lines 345, 360)."""
        return self.alone and (self.sneak or (self.aimed and dr <= 0))

    @property
    def ignores_dr(self) -> bool:
        """Whether damage reduction does not help. A sneak attack has no other benefit of an aimed one (line 364)."""
        return self.pierced or (self.alone and self.aimed and not self.sneak)


def dominant(values: Sequence[int]) -> int:
    """Return the largest value and half of each other, rounded down by itself (line 341): 10, 5 and 3 come to 13."""
    first, *others = sorted(values, reverse=True) or [0]
    return first + sum(value // 2 for value in others)


def reduction(book: Book, values: Sequence[int]) -> int:
    """Return the damage reduction against all types of an action, within its cap; below 0 it adds to the damage."""
    return min(book.number("dr-cap"), dominant(values))


def multiplied(hits: Sequence[Hit], *, doubled: bool) -> int:
    """Return the sum of dice, each taken twice where it is doubled or critical, and three times where it is both (line 350)."""
    return sum(hit.die * (1 + hit.critical + doubled) for hit in hits)


def blow(book: Book, dice: int, typed: Sequence[Typed], untyped: int = 0, *, ignores_dr: bool = False) -> Blow:
    """Add modifiers once to the multiplied dice, and subtract damage reduction once (lines 105, 106, 341); none hit without a type.

    Of the types' own modifiers the largest counts, and half of each other; one of no type (`untyped`) counts once and in full.
    """
    if not typed:
        return Blow(0, 0, 0, 0, 0)
    mod = min(book.number("modifier-cap"), dominant([each.mod for each in typed]) + untyped)
    dr = reduction(book, [each.dr for each in typed])
    dr = min(dr, 0) if ignores_dr else dr
    before = max(0, dice + mod)
    return Blow(dice, mod, before, dr, max(0, before - dr))


def strength_bonus(strength: int, *, improvised: bool) -> int:
    """Return what strength adds to damage: half of it, rounded down, to that of improvised weapons (line 394)."""
    return strength // 2 if improvised else strength
