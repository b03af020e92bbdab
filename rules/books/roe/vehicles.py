"""Vehicles and pets, also as saved units, and who is aboard (lines 502 to 558)."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from rules import errors, modifiers
from rules.book import Book
from rules.books.roe.catalog import ACTOR, Pet, PetType, Vehicle, VehicleSeat, WeaponToken, entry_of
from rules.books.roe.characters import find_option
from rules.procedure import Part

OWNER = "owner"
"""The role of a pet's owner; the pet is the actor."""
LEVEL, TYPE = "level", "type"
VEHICLE, PET = "vehicle", "pet-level"
SEAT = "seat"
SLOT = f"{ACTOR}.slot"


def find_builtin(book: Book, vehicle: Vehicle) -> str | None:
    """Return the token of a vehicle's built-in weapon, or None."""
    return None if vehicle.builtin is None else book.entries_of(WeaponToken)[vehicle.builtin].label


def find_seat(book: Book, vehicle: Vehicle, role: str) -> VehicleSeat:
    """Return a seat by its id; without weapon slots, only the driver's is possible."""
    seat = entry_of(book.entries_of(VehicleSeat), role)
    if not (vehicle.slots or seat.moves):
        raise errors.RollError(f"{vehicle.label}: it has no weapon slot and no other seats.")
    return seat


def bring_pet(
    book: Book, level: int, kind: str | None = None, racial: str | None = None, out: int = 0
) -> tuple[Pet, PetType]:
    """Return a pet's level and type, the first type by default; refuse it if too many are `out`."""
    levels = {pet.level: pet for pet in book.entries_of(Pet).values()}
    if level not in levels:
        raise errors.RollError(f"Pets have level {min(levels)} to {max(levels)}, not {level}.")
    if racial is not None and (option := find_option(book, racial)).rules.get("pet-allowed") is False:
        raise errors.RollError(f"{option.label}: pets aren't allowed.")
    if not 0 <= out < book.number("pets"):
        raise errors.RollError(f"Only {book.number('pets')} pet can be out at a time.")
    types = book.entries_of(PetType)
    return levels[level], entry_of(types, next(iter(types)) if kind is None else kind)


def find_vehicle(part: Part, book: Book, role: str) -> Vehicle | None:
    """Return the vehicle class of a role, if it's a vehicle."""
    classes = book.entries_of(Vehicle).values()
    return next((item for item in classes if f"{role}.{VEHICLE}.{item.id}" in part.facts), None)


def vehicle_class(book: Book, fields: Mapping[str, Any]) -> Vehicle | None:
    """Return the vehicle class in a saved unit's fields, or None."""
    return book.entries_of(Vehicle).get(str(fields.get(VEHICLE)))


def slot_weapons(book: Book, fields: Mapping[str, Any]) -> list[str]:
    """Return a vehicle's weapons as written, the built-in one first; empty for other units."""
    vehicle = vehicle_class(book, fields)
    label = None if vehicle is None else find_builtin(book, vehicle)
    return [] if vehicle is None else [*([label] if label else []), *fields.get("weapons", ())]


def usual_hp(book: Book, fields: Mapping[str, Any]) -> int | None:
    """Return a unit's full HP by its vehicle class or pet level; None for others."""
    vehicle = vehicle_class(book, fields)
    levels = (item.hp for item in book.entries_of(Pet).values() if item.level == fields.get(PET))
    return vehicle.hp if vehicle else next(levels, None)


def strip_rider(part: Part, book: Book) -> Part:
    """Leave out facts from the actor's own fields when they fire from a weapon slot (line 522)."""
    if SLOT not in part.facts:
        return part
    own = {f"{ACTOR}.{name}" for name in book.fields}
    facts = {fact: known for fact, known in part.facts.items() if ".".join(fact.split(".")[:2]) not in own}
    return replace(part, facts=facts)


def choose_seat(part: Part, book: Book, role: str, wanted: str | None) -> VehicleSeat:
    """Return the wanted seat, or the first free one; refuse taken ones."""
    who, vehicle = part.subjects.get(role, "The target"), find_vehicle(part, book, role)
    if vehicle is None:
        raise errors.RollError(
            f"{who} isn't a vehicle. To make it one: /roster edit, fields: {VEHICLE}: {next(iter(book.entries_of(Vehicle)))}."
        )
    asked = book.entries_of(VehicleSeat).values() if wanted is None else [find_seat(book, vehicle, wanted)]
    free = next((seat for seat in asked if _is_free(seat, vehicle, part.facts, role)), None)
    if free is None:
        what = "all seats are" if wanted is None else f"all {wanted} seats are"
        raise errors.RollError(f"{who}: {what} taken.")
    return free


def _is_free(seat: VehicleSeat, vehicle: Vehicle, facts: modifiers.Facts, role: str) -> bool:
    names = (f"{role}.{name}" for name in ("driven", "manned", "aboard"))
    driven, manned, riding = (facts[name].count if name in facts else 0 for name in names)
    if not seat.may_fire:
        return vehicle.any_seats or (vehicle.slots > 0 and riding < vehicle.seats)
    if seat.moves and driven:
        return False
    return driven + manned < vehicle.slots if vehicle.slots else seat.moves  # a driver has a slot too (A49)
