"""Attacks on vehicles: what cannot hurt them, their hit points, and what becomes of those inside (lines 502 to 537)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Ammo, DamageDie, DamageKind, Vehicle
from rules.books.roe.damage import Hit, Typed, blow, multiplied
from rules.books.roe.weapons import Weapon, damage_sides, mode_of, size_sides

TOP = 100
"""The natural accuracy die that hurts what is immune, and is a critical hit on what is not."""


class Against(Struct, frozen=True):
    """What a vehicle is attacked with, and the `natural` accuracy die of the attack; `sides` are those of its damage die."""

    size: str
    kind: DamageKind
    pierces: bool
    sides: int
    natural: int


class Wreck(Struct, frozen=True):
    """A vehicle after an attack: HP left, and the HP of those who were in it."""

    hp: int
    occupants: Mapping[str, int]

    @property
    def destroyed(self) -> bool:
        """Whether it is out of the fight, with all who were inside."""
        return self.hp == 0

    @property
    def downed(self) -> list[str]:
        """Who is down, of those it threw out."""
        return [name for name, hp in self.occupants.items() if not hp] if self.destroyed else []


def against_token(book: Book, named: Weapon, ammo: Ammo | None, natural: int) -> Against:
    """Return what a weapon is against vehicles."""
    kind = book.listed(DamageKind)[named.damage_type]
    usual = mode_of(book, named)
    sides = max(damage_sides(book, named, usual, range_m) for range_m in (0, None))
    return Against(named.token.size, kind, named.type.pierces_armour or _pierces(kind, ammo), sides, natural)


def against_like(book: Book, line: DamageDie, kind: DamageKind, ammo: Ammo | None, natural: int) -> Against:
    """Return what a weapon of a size and a type of damage is; of explosives and magika the die may be that of either table."""
    tables = [kind.guns] if kind.stopped else [True, False]
    sides = max(size_sides(book, line.id, gun=gun) for gun in tables)
    return Against(line.id, kind, _pierces(kind, ammo), sides, natural)


def hurts(vehicle: Vehicle, against: Against) -> bool:
    """Return whether a weapon hurts a vehicle: a natural 100 always does (line 517)."""
    return against.natural == TOP or not is_immune(vehicle, against)


def damage_to(book: Book, vehicle: Vehicle, against: Against, die: int, mod: int) -> tuple[int, bool]:
    """Return the damage to a vehicle, and whether its die was doubled: not on one that is immune but for the natural 100."""
    if not hurts(vehicle, against):
        return 0, False
    doubled = against.natural == TOP and not is_immune(vehicle, against)
    dice = multiplied([Hit(die, doubled)], doubled=False)
    return blow(book, dice, [Typed(against.kind.id, mod)]).damage, doubled


def is_immune(vehicle: Vehicle, against: Against) -> bool:
    """Return whether a weapon does nothing to a vehicle but by a natural 100 (lines 517, 531)."""
    if not against.kind.stopped or (against.pierces and vehicle.immune_ballistic):
        return False
    return against.size in (*vehicle.immune, *(vehicle.immune_ballistic if against.kind.guns else ()))


def wreck(book: Book, hp: int, damage: int, occupants: Mapping[str, int]) -> Wreck:
    """Return a vehicle after damage: without HP left it throws its occupants out, who lose some of theirs."""
    left = max(0, hp - damage)
    lost = 0 if left else book.number("ejected-hp")
    return Wreck(left, {name: max(0, each - lost) for name, each in occupants.items()})


def _pierces(kind: DamageKind, ammo: Ammo | None) -> bool:
    return ammo is not None and ammo.pierces_armour and kind.guns and kind.stopped
