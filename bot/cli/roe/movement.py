"""Ways of the RoE book: metres of movement, vehicles, pets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cli.questions import Op, Question
from rules.books.roe.catalog import Vehicle, entry_of
from rules.books.roe.movement import Way, metres
from rules.books.roe.sides import Mods
from rules.books.roe.vehicles import builtin, pet_brought, seat_in
from rules.ruleset import RuleSet


class MoveQuestion(Question, frozen=True):
    """Who moves, and how."""

    racial: str | None = None
    stance: str | None = None
    sprint: bool = False
    vehicle: str | None = None
    mods: Mods = ()
    climbing: bool = False
    obstacles: int = 0
    pet: bool = False


class VehicleQuestion(Question, frozen=True, rename={"vehicle_class": "class"}):
    """A class of vehicles, and what somebody does in it."""

    vehicle_class: str
    role: str | None = None


class PetQuestion(Question, frozen=True):
    """A pet by level and type, and its owner."""

    level: int
    type: str | None = None
    racial: str | None = None
    out: int = 0
    owner_down: bool = False


def move(asked: MoveQuestion, book: RuleSet) -> dict[str, int]:
    """Return the metres of one movement phase."""
    way = Way(asked.stance, asked.sprint, asked.vehicle, asked.pet, asked.climbing, asked.obstacles)
    return {"metres": metres(book, way, asked.racial, asked.mods)}


def vehicle(asked: VehicleQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what a vehicle has, and what somebody does in it."""
    found = entry_of(book.listed(Vehicle), asked.vehicle_class)
    answered: dict[str, Any] = {
        "hp": found.hp,
        "weapon_slots": found.slots,
        "protected": found.protected,
        "builtin": builtin(book, found),
    }
    if asked.role is not None:
        seat = seat_in(book, found, asked.role)
        answered |= {"rolls_dodge": seat.rolls_dodge, "moves": seat.moves, "may_fire": seat.may_fire}
    return answered


def pet(asked: PetQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what a pet has, and whether it stays."""
    level, kind = pet_brought(book, asked.level, asked.type, asked.racial, asked.out)
    state = "withdrawn" if asked.owner_down else "out"
    return {"hp": level.hp, "damage_sides": level.die, "attack": kind.attack, "state": state}


OPS: Mapping[str, Op] = {
    "move": Op(MoveQuestion, move),
    "vehicle": Op(VehicleQuestion, vehicle),
    "pet": Op(PetQuestion, pet),
}
