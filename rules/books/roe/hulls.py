"""Vehicles and pets as saved units: which class one is of, who is aboard, and what counts in one (lines 502 to 557)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import Pet, Seat, Vehicle
from rules.books.roe.vehicles import builtin, seat_in
from rules.errors import RollError
from rules.facts import Facts
from rules.procedure import Part

VEHICLE, PET = "vehicle", "pet-level"
"""The fields of a unit that is a vehicle or a pet."""
SEAT = "seat"
"""The input of a part that says which seat somebody takes."""
ACTOR, RESISTER = "actor", "resister"
SLOT = f"{ACTOR}.slot"
"""The fact of whoever fires from a weapon slot of a vehicle."""


class Aboard(Struct, frozen=True):
    """How many sit in a vehicle: at its wheel, behind weapon slots, and in other seats."""

    driven: int = 0
    manned: int = 0
    riding: int = 0

    @classmethod
    def of(cls, facts: Facts, role: str) -> Aboard:
        """Return who is known to sit in the vehicle that stands in a role."""
        names = (f"{role}.{name}" for name in ("driven", "manned", "aboard"))
        return cls(*(facts[name].count if name in facts else 0 for name in names))

    def has_room(self, vehicle: Vehicle, seat: Seat) -> bool:
        """Return whether nobody has a seat yet: a driver has a weapon slot too, where there are any (A49)."""
        if not seat.may_fire:
            return vehicle.any_seats or (vehicle.slots > 0 and self.riding < vehicle.seats)
        if seat.moves and self.driven:
            return False
        return self.driven + self.manned < vehicle.slots if vehicle.slots else seat.moves


def vehicle_of(part: Part, book: Book, role: str) -> Vehicle | None:
    """Return the class of whoever stands in a role, None of what is no vehicle."""
    classes = book.listed(Vehicle).values()
    return next((item for item in classes if f"{role}.{VEHICLE}.{item.id}" in part.facts), None)


def vehicle_class(book: Book, fields: Mapping[str, Any]) -> Vehicle | None:
    """Return the class of a unit with these fields; None of what is no vehicle."""
    return book.listed(Vehicle).get(str(fields.get(VEHICLE)))


def slot_weapons(book: Book, fields: Mapping[str, Any]) -> list[str]:
    """Return the weapons of a unit with these fields, as they are written down: the one that its class has already, and its own."""
    vehicle = vehicle_class(book, fields)
    label = None if vehicle is None else builtin(book, vehicle)
    return [] if vehicle is None else [*([label] if label else []), *fields.get("weapons", ())]


def usual_hp(book: Book, fields: Mapping[str, Any]) -> int | None:
    """Return the HP that a unit with these fields has by its class or level; None of what is neither vehicle nor pet."""
    vehicle = vehicle_class(book, fields)
    levels = (item.hp for item in book.listed(Pet).values() if item.level == fields.get(PET))
    return vehicle.hp if vehicle else next(levels, None)


def prepared(part: Part, book: Book) -> Part:
    """Return an attack with what counts out of a weapon slot, where it is made from one: nothing that is the character's (line 522)."""
    if SLOT not in part.facts:
        return part
    own = {f"{ACTOR}.{name}" for name in book.fields}
    facts = {fact: known for fact, known in part.facts.items() if ".".join(fact.split(".")[:2]) not in own}
    return replace(part, facts=facts)


def seat_for(part: Part, book: Book, role: str, wanted: str | None) -> Seat:
    """Return the seat that somebody takes in the vehicle of a role: as wanted, else at the wheel, behind a slot, or riding along."""
    who, vehicle = part.subjects.get(role, "The target"), vehicle_of(part, book, role)
    if vehicle is None:
        raise RollError(
            f"{who} isn't a vehicle. To make it one: /unit edit, fields: {VEHICLE}: {next(iter(book.listed(Vehicle)))}."
        )
    aboard, seats = Aboard.of(part.facts, role), book.listed(Seat)
    asked = seats.values() if wanted is None else [seat_in(book, vehicle, wanted)]
    free = next((seat for seat in asked if aboard.has_room(vehicle, seat)), None)
    if free is None:
        what = "all seats are" if wanted is None else f"all {wanted} seats are"
        raise RollError(f"{who}: {what} taken.")
    return free
