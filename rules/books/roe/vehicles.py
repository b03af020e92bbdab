"""Vehicles and pets, also as saved units: what they have, who is aboard, and what counts in one (lines 502 to 558)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, Pet, PetType, Vehicle, VehicleSeat, WeaponToken, entry_of
from rules.books.roe.characters import find_option
from rules.errors import RollError
from rules.modifiers import Facts
from rules.procedure import Part

OWNER = "owner"
"""The role in an attack of a pet of whom it belongs to; the pet itself is the actor."""
LEVEL, TYPE = "level", "type"
"""The inputs of such an attack that say what pet it is."""
VEHICLE, PET = "vehicle", "pet-level"
"""The fields of a unit that is a vehicle or a pet."""
SEAT = "seat"
"""The input of a part that says which seat somebody takes."""

SLOT = f"{ACTOR}.slot"
"""The fact of whoever fires from a weapon slot of a vehicle."""


def find_builtin(book: Book, vehicle: Vehicle) -> str | None:
    """Return the token of the weapon that a vehicle has already, which stays in it."""
    return None if vehicle.builtin is None else book.listed(WeaponToken)[vehicle.builtin].label


def find_seat(book: Book, vehicle: Vehicle, role: str) -> VehicleSeat:
    """Return what somebody in a vehicle does there."""
    seat = entry_of(book.listed(VehicleSeat), role)
    if not (vehicle.slots or seat.moves):
        raise RollError(f"{vehicle.label}: it has no weapon slot and no other seats.")
    return seat


def bring_pet(
    book: Book, level: int, kind: str | None = None, racial: str | None = None, out: int = 0
) -> tuple[Pet, PetType]:
    """Return what a pet has by its level, and by its type, the first one where none is named."""
    levels = {pet.level: pet for pet in book.listed(Pet).values()}
    if level not in levels:
        raise RollError(f"Pets have level {min(levels)} to {max(levels)}, not {level}.")
    if racial is not None and (option := find_option(book, racial)).rules.get("pet-allowed") is False:
        raise RollError(f"{option.label}: pets aren't allowed.")
    if not 0 <= out < book.number("pets"):
        raise RollError(f"Only {book.number('pets')} pet can be out at a time.")
    types = book.listed(PetType)
    return levels[level], entry_of(types, next(iter(types)) if kind is None else kind)


class SeatsTaken(Struct, frozen=True):
    """How many sit in a vehicle: at its wheel, behind weapon slots, and in other seats."""

    driven: int = 0
    manned: int = 0
    riding: int = 0

    @classmethod
    def of(cls, facts: Facts, role: str) -> SeatsTaken:
        """Return who is known to sit in the vehicle that stands in a role."""
        names = (f"{role}.{name}" for name in ("driven", "manned", "aboard"))
        return cls(*(facts[name].count if name in facts else 0 for name in names))

    def has_room(self, vehicle: Vehicle, seat: VehicleSeat) -> bool:
        """Return whether nobody has a seat yet: a driver has a weapon slot too, where there are any (A49)."""
        if not seat.may_fire:
            return vehicle.any_seats or (vehicle.slots > 0 and self.riding < vehicle.seats)
        if seat.moves and self.driven:
            return False
        return self.driven + self.manned < vehicle.slots if vehicle.slots else seat.moves


def find_vehicle(part: Part, book: Book, role: str) -> Vehicle | None:
    """Return the class of whoever stands in a role, None of what is no vehicle."""
    classes = book.listed(Vehicle).values()
    return next((item for item in classes if f"{role}.{VEHICLE}.{item.id}" in part.facts), None)


def vehicle_class(book: Book, fields: Mapping[str, Any]) -> Vehicle | None:
    """Return the class of a unit with these fields; None of what is no vehicle."""
    return book.listed(Vehicle).get(str(fields.get(VEHICLE)))


def slot_weapons(book: Book, fields: Mapping[str, Any]) -> list[str]:
    """Return the weapons of a unit with these fields, as they are written down: the one that its class has already, and its own."""
    vehicle = vehicle_class(book, fields)
    label = None if vehicle is None else find_builtin(book, vehicle)
    return [] if vehicle is None else [*([label] if label else []), *fields.get("weapons", ())]


def usual_hp(book: Book, fields: Mapping[str, Any]) -> int | None:
    """Return the HP that a unit with these fields has by its class or level; None of what is neither vehicle nor pet."""
    vehicle = vehicle_class(book, fields)
    levels = (item.hp for item in book.listed(Pet).values() if item.level == fields.get(PET))
    return vehicle.hp if vehicle else next(levels, None)


def strip_rider(part: Part, book: Book) -> Part:
    """Return an attack with what counts out of a weapon slot, where it is made from one: nothing that is the character's (line 522)."""
    if SLOT not in part.facts:
        return part
    own = {f"{ACTOR}.{name}" for name in book.fields}
    facts = {fact: known for fact, known in part.facts.items() if ".".join(fact.split(".")[:2]) not in own}
    return replace(part, facts=facts)


def choose_seat(part: Part, book: Book, role: str, wanted: str | None) -> VehicleSeat:
    """Return the seat that somebody takes in the vehicle of a role: as wanted, else at the wheel, behind a slot, or riding along."""
    who, vehicle = part.subjects.get(role, "The target"), find_vehicle(part, book, role)
    if vehicle is None:
        raise RollError(
            f"{who} isn't a vehicle. To make it one: /unit edit, fields: {VEHICLE}: {next(iter(book.listed(Vehicle)))}."
        )
    aboard, seats = SeatsTaken.of(part.facts, role), book.listed(VehicleSeat)
    asked = seats.values() if wanted is None else [find_seat(book, vehicle, wanted)]
    free = next((seat for seat in asked if aboard.has_room(vehicle, seat)), None)
    if free is None:
        what = "all seats are" if wanted is None else f"all {wanted} seats are"
        raise RollError(f"{who}: {what} taken.")
    return free
