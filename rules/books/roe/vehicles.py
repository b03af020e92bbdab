"""Vehicles with those who sit in them, and pets (lines 502 to 558)."""

from __future__ import annotations

from rules.book import Book
from rules.books.roe.catalog import Pet, PetType, Seat, Token, Vehicle, entry_of
from rules.books.roe.sides import option_named
from rules.errors import RollError

OWNER = "owner"
"""The role in an attack of a pet of whom it belongs to; the pet itself is the actor."""
LEVEL, TYPE = "level", "type"
"""The inputs of such an attack that say what pet it is."""


def builtin(book: Book, vehicle: Vehicle) -> str | None:
    """Return the token of the weapon that a vehicle has already, which stays in it."""
    return None if vehicle.builtin is None else book.listed(Token)[vehicle.builtin].label


def seat_in(book: Book, vehicle: Vehicle, role: str) -> Seat:
    """Return what somebody in a vehicle does there."""
    seat = entry_of(book.listed(Seat), role)
    if not (vehicle.slots or seat.moves):
        raise RollError(f"{vehicle.label}: it has no weapon slot and no other seats.")
    return seat


def pet_brought(
    book: Book, level: int, kind: str | None = None, racial: str | None = None, out: int = 0
) -> tuple[Pet, PetType]:
    """Return what a pet has by its level, and by its type, the first one where none is named."""
    levels = {pet.level: pet for pet in book.listed(Pet).values()}
    if level not in levels:
        raise RollError(f"Pets have level {min(levels)} to {max(levels)}, not {level}.")
    if racial is not None and (option := option_named(book, racial)).rules.get("pet-allowed") is False:
        raise RollError(f"{option.label}: pets aren't allowed.")
    if not 0 <= out < book.number("pets"):
        raise RollError(f"Only {book.number('pets')} pet can be out at a time.")
    types = book.listed(PetType)
    return levels[level], entry_of(types, next(iter(types)) if kind is None else kind)
