"""Attacks of pets: `/roe attack` with a pet as the character, in the turn of whom it belongs to (lines 544 to 557)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting
from bot.cogs.roe.attacks.around import require_there
from bot.cogs.roe.fight_view import PET, viewer_of_fights
from bot.core import profiles, state
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import label, one_of
from bot.errors import BadInput
from bot.rolls.request import PartRequest
from bot.ui import parsing
from rules.books.roe.aim import ACTOR, RESISTER
from rules.books.roe.vehicles import LEVEL, OWNER, TYPE, pet_brought
from rules.effects import EFFECT
from rules.subjects import name_key

PET_ATTACK = "pet.attack"
IS_PET, KIND = "pet-level", "pet-type"
"""The fields of a unit that is a pet."""
OUT = f"{EFFECT}out"
"""The effect on a pet that is out, whose owner is the `other` of it."""
USUAL: Mapping[str, float] = {"melee": 1, "ranged": 10}
"""From how far away (m) a pet attacks unless somebody says so."""


class TypedErrand(Struct, frozen=True):
    """An attack of a pet as it was typed: who may be one, at whom, from how far away (metres)."""

    pet: str
    target: str
    metres: float | None


def sent(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedErrand
) -> PartRequest | None:
    """Return the attack of a pet, where one is named; None where none is."""
    found = _pet(tx, library, person, channels, typed.pet)
    if found is None:
        return None
    pet, owner = found
    who = acting(tx, library, person, channels, label(owner))
    level, kind = pet_brought(
        who.book, pet.fields[IS_PET], pet.fields.get(KIND), owner.fields.get("option"), _others(tx, who, pet)
    )
    (target,) = parsing.split_names(typed.target, "target", 1)
    require_there(tx, who, [target])
    metres = USUAL[kind.attack] if typed.metres is None else typed.metres
    return PartRequest(
        subjects={OWNER: owner.name, ACTOR: pet.name, RESISTER: target},
        ids={OWNER: (owner.id,), ACTOR: (pet.id,)},
        inputs={LEVEL: level.level, TYPE: kind.id, "range_m": metres},
    )


def _pet(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str
) -> tuple[Profile, Profile] | None:
    """Return the pet of a name among those that the person knows, and whose it is; None of what is no pet."""
    viewer = viewer_of_fights(tx, library, person, locate(tx, person.guild_id, channels))
    known = [item for item in profiles.everyone(tx, viewer.campaign.id) if viewer.knows(item)]
    pet = one_of((item for item in known if IS_PET in item.fields), named)
    if pet is None:
        return None
    owners = [item for item in known if name_key(pet.name) in map(name_key, item.fields.get(PET, ()))]
    owners.sort(key=lambda item: not viewer.owns(item))
    if not owners:
        raise BadInput(
            f"{pet.name} has no owner.", f"Save it with its owner: /character edit, fields: pets: {pet.name}."
        )
    return pet, owners[0]


def _others(tx: Connection, who: Acting, pet: Profile) -> int:
    """Return how many other pets are out with the same owner."""
    kept = state.of_name(tx, who.viewer.campaign.id, OUT)
    return sum(value.get("other") == who.actor.id for subject, value in kept.items() if subject != pet.key)
