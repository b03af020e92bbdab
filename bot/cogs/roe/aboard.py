"""Who sits in vehicles, in which seats, and with which weapons (lines 502 to 520)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import profiles, state
from bot.core.profiles import Profile
from rules.book import Book
from rules.books.roe.catalog import Seat
from rules.books.roe.hulls import slot_weapons
from rules.books.roe.marks import SEATED
from rules.effects import EFFECT
from rules.subjects import subject_number


class Aboard(Struct, frozen=True):
    """Who sits in a vehicle, and in which seat."""

    who: Profile
    seat: Seat


def aboard(tx: Connection, campaign_id: int, book: Book, vehicle: int) -> list[Aboard]:
    """Return who sits in a vehicle (number); who has no seat of its own rides along."""
    kept = state.of_name(tx, campaign_id, SEATED)
    numbers = {subject_number(subject) for subject, value in kept.items() if value.get("other") == vehicle}
    people = profiles.read(tx, campaign_id, {number for number in numbers if number is not None})
    if not people:
        return []
    seats = {EFFECT + (book.deeds[seat.deed].effect or ""): seat for seat in book.listed(Seat).values()}
    taken = state.named(tx, campaign_id, {item.key for item in people.values()}, seats)
    by_key = {subject: seats[name] for subject, name in taken}
    last = [*seats.values()][-1]
    return [Aboard(item, by_key.get(item.key, last)) for item in people.values()]


def armed_aboard(
    tx: Connection, campaign_id: int, book: Book, item: Profile, seat: Mapping[str, Any] | None
) -> Profile:
    """Return somebody with the weapons of the vehicle whose weapon slot they have, before their own; `seat` is what is kept of that."""
    vehicle = profiles.read(tx, campaign_id, {seat["other"]}).get(seat["other"]) if seat and seat.get("other") else None
    weapons = [] if vehicle is None else slot_weapons(book, vehicle.fields)
    own = item.fields.get("weapons", ())
    return replace(item, fields={**item.fields, "weapons": [*weapons, *own]}) if weapons else item
