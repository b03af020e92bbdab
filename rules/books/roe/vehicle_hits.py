"""Attacks on vehicles, and what can't hurt them (lines 502 to 537)."""

from __future__ import annotations

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Ammo, DamageKind, Vehicle
from rules.books.roe.weapons import Weapon, damage_sides, mode_of

TOP = 100
"""The natural accuracy die that hurts what is immune, and is a critical hit on what is not."""


class Against(Struct, frozen=True):
    """What a vehicle is attacked with, and the `natural` accuracy die of the attack; `sides` are those of its damage die."""

    size: str
    kind: DamageKind
    pierces: bool
    sides: int
    natural: int


def against_token(book: Book, named: Weapon, ammo: Ammo | None, natural: int) -> Against:
    """Return what a weapon is against vehicles."""
    kind = book.listed(DamageKind)[named.damage_type]
    usual = mode_of(book, named)
    sides = max(damage_sides(book, named, usual, range_m) for range_m in (0, None))
    return Against(named.token.size, kind, named.type.pierces_armour or _pierces(kind, ammo), sides, natural)


def hurts(vehicle: Vehicle, against: Against) -> bool:
    """Return whether a weapon hurts a vehicle: a natural 100 always does (line 517)."""
    return against.natural == TOP or not is_immune(vehicle, against)


def is_immune(vehicle: Vehicle, against: Against) -> bool:
    """Return whether a weapon does nothing to a vehicle but by a natural 100 (lines 517, 531)."""
    if not against.kind.stopped or (against.pierces and vehicle.immune_ballistic):
        return False
    return against.size in (*vehicle.immune, *(vehicle.immune_ballistic if against.kind.guns else ()))


def _pierces(kind: DamageKind, ammo: Ammo | None) -> bool:
    return ammo is not None and ammo.pierces_armour and kind.guns and kind.stopped
