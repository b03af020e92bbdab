"""`/roe attack` as it is typed: attacks of people and pets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import (
    ATTACK,
    ActingCharacter,
    find_acting,
    find_carried_weapon,
    find_shielder,
    list_fuel,
    list_strays,
    make_attack_inputs,
    make_part,
    require_there,
)
from bot.cogs.roe.dodges import require_no_wait
from bot.cogs.roe.fight_view import BOOK, PET, list_known, view_here
from bot.cogs.roe.options import ArmName, Fire, Metres, Targets, TurnForm
from bot.core import state
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import choose_named, label_subject
from bot.errors import BadInput
from bot.rolls.options import Name
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.form import option
from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, Mode
from rules.books.roe.characters import Arm
from rules.books.roe.vehicles import LEVEL, OWNER, TYPE, bring_pet
from rules.books.roe.weapons import Weapon, attack_rolls, counts_as_automatic, find_mode, find_weapon
from rules.effects import EFFECT
from rules.subjects import name_key

MAX_TARGETS, PAIR = 9, 2


class AttackForm(TurnForm):
    """The options of `/roe attack`; the range is in metres."""

    family = (BOOK, ATTACK)
    target: Targets = option("The target. After commas: who is next to it, in the line of fire or hit too")
    weapon: ArmName | None = option("The weapon. Default: the character's first", default=None)
    second: ArmName | None = option("A second weapon, used at the same time", default=None)
    fire: Fire | None = option("Mode of fire: single, auto, suppress, throw, or sneak for a sneak attack", default=None)
    range: Metres | None = option("Distance in metres. Default: 10, or 1 in melee", default=None)
    character: Name | None = option("Who attacks, or a pet. Default: who has the turn", default=None)


class TypedAttack(Struct, frozen=True):
    """What is meant by it: whom it is made on (names, each with how often it was named), with what, and the inputs of all its parts."""

    names: Mapping[str, int]
    arms: Sequence[Arm]
    weapon: Weapon
    mode: Mode
    inputs: Mapping[str, Any]


def read_attack(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: AttackForm
) -> RollCommand:
    """Return the roll of an attack: that of a pet, where one is named as the character.

    Raises:
        UnaskedQuestion: it would be rolled at once, and waits for those who dodge it.

    """
    pet = _send_pet(tx, library, person, channels, typed)
    family, parts = (
        ((BOOK, PET_ATTACK), [pet]) if pet else (typed.family, _read_own(tx, library, person, channels, typed))
    )
    command = RollCommand(channels, family, parts, modifiers=typed.modifiers, note=typed.note, here=None)
    if typed.asks_first:
        require_no_wait(tx, library, person, command)
    return command


def _read_own(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: AttackForm
) -> list[PartRequest]:
    who = find_acting(tx, library, person, channels, typed.character)
    meant = _read_typed(who, typed)
    require_there(tx, who, meant.names)
    return [*_parts(tx, who, meant)]


def _read_typed(who: ActingCharacter, typed: AttackForm) -> TypedAttack:
    names = parsing.split_names(typed.target, "target", MAX_TARGETS)
    counts, spelled = Counter(map(name_key, names)), {name_key(name): name for name in reversed(names)}
    arms = [*_arms(who, typed)]
    weapon = find_weapon(who.book, arms[0].token)
    inputs = make_attack_inputs(who.book, arms, typed.fire, typed.range)
    mode = find_mode(who.book, weapon, inputs.get("mode") if len(arms) == 1 else None)
    return TypedAttack({spelled[key]: count for key, count in counts.items()}, arms, weapon, mode, inputs)


def _arms(who: ActingCharacter, typed: AttackForm) -> Iterator[Arm]:
    first = find_carried_weapon(who, typed.weapon)
    yield first
    if typed.second is not None:
        second = find_carried_weapon(who, typed.second)
        if second.id == first.id:
            raise BadInput(f"You can't use {first.name} twice at once.", "Name another weapon as the second one.")
        yield second


def _parts(tx: Connection, who: ActingCharacter, meant: TypedAttack) -> Iterator[PartRequest]:
    """Yield a part for each target, and for whoever shields the first one from it."""
    guard = find_shielder(who, [*meant.names])
    others = list_strays(tx, who, next(iter(meant.names)))
    first = ({"covered": True} if guard else {}) | ({"strays": others} if others else {})
    for place, (name, more) in enumerate([*_share_out(who.book, meant)]):
        yield _part(who, meant, name, more if place else {**more, **first})
    same = {"sneak": False, **({"only": 0} if len(meant.arms) > 1 and len(meant.names) > 1 else {})}
    if guard and _spreads(who.book, meant):
        yield _part(who, meant, guard, {"beside": True, **same})
    if guard:
        yield _part(who, meant, guard, {"past": "taken", **same})


def _part(who: ActingCharacter, meant: TypedAttack, name: str, more: Mapping[str, Any]) -> PartRequest:
    fuel = list_fuel(who, name)
    return make_part(who.actor, {**meant.inputs, **more, **({"fuel": fuel} if fuel else {})}, name)


def _share_out(book: Book, meant: TypedAttack) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each target with what it has of the attack (lines 275, 319, 340, 377).

    Behind the first stand those beside it under automatic fire, or in the way of a shot; swings are shared out, and of two
    weapons each may have its own target.
    """
    names, several = [*meant.names], len(meant.names) > 1
    if len(meant.arms) > 1:
        if len(names) > PAIR:
            raise BadInput("Two weapons can attack at most two targets.", "Name one target per weapon.")
        yield from ((name, {"only": place} if several else {}) for place, name in enumerate(names))
    elif _spreads(book, meant):
        yield from ((name, {"beside": True, "sneak": False} if place else {}) for place, name in enumerate(names))
    elif meant.weapon.gun or meant.mode.thrown:
        yield names[0], {"covered": True} if several else {}
        yield from ((name, {"past": "dodged", "sneak": False}) for name in names[1:])
    else:
        yield from _share_swings(book, meant)


def _share_swings(book: Book, meant: TypedAttack) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each target with its swings: all of them where there is one, which is named once."""
    most, asked = attack_rolls(book, meant.weapon, meant.mode, meant.inputs["range_m"]), sum(meant.names.values())
    if asked > most:
        what = f"{meant.arms[0].name} has {most} {'swing' if most == 1 else 'swings'} in one Action, not {asked}."
        raise BadInput(what, "Name one target per swing. Repeat a name to strike it again.")
    several = len(meant.names) > 1
    for name, count in meant.names.items():
        yield name, {"rolls": count, "parted": several} if asked > 1 else {}


def _spreads(book: Book, meant: TypedAttack) -> bool:
    fire = meant.weapon.type.id if meant.weapon.type.far_rolls and not meant.mode.thrown else meant.mode.id
    return counts_as_automatic(book, fire, meant.inputs["range_m"])


PET_ATTACK = "pet.attack"
IS_PET, KIND = "pet-level", "pet-type"
"""The fields of a unit that is a pet."""
OUT = f"{EFFECT}out"
"""The effect on a pet that is out, whose owner is the `other` of it."""
USUAL: Mapping[str, float] = {"melee": 1, "ranged": 10}
"""From how far away (m) a pet attacks unless somebody says so."""


def _send_pet(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: AttackForm
) -> PartRequest | None:
    """Return the attack of a pet, where one is named as the character; None where none is."""
    found = _find_pet(tx, library, person, channels, typed.character) if typed.character else None
    if found is None:
        return None
    if typed.weapon or typed.second or typed.fire:
        raise BadInput("A pet has its own attack and no weapons.", "Leave weapon, second and fire out.")
    pet, owner = found
    who = find_acting(tx, library, person, channels, label_subject(owner))
    level, kind = bring_pet(
        who.book, pet.fields[IS_PET], pet.fields.get(KIND), owner.fields.get("option"), _count_out(tx, who, pet)
    )
    (target,) = parsing.split_names(typed.target, "target", 1)
    require_there(tx, who, [target])
    metres = USUAL[kind.attack] if typed.range is None else typed.range
    return PartRequest(
        subjects={OWNER: owner.name, ACTOR: pet.name, RESISTER: target},
        ids={OWNER: (owner.id,), ACTOR: (pet.id,)},
        inputs={LEVEL: level.level, TYPE: kind.id, "range_m": metres},
    )


def _find_pet(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str
) -> tuple[Profile, Profile] | None:
    """Return the pet of a name among those that the person knows, and whose it is; None of what is no pet."""
    viewer = view_here(tx, library, person, channels)
    known = list_known(tx, viewer)
    pet = choose_named((item for item in known if IS_PET in item.fields), named)
    if pet is None:
        return None
    owners = [item for item in known if name_key(pet.name) in map(name_key, item.fields.get(PET, ()))]
    owners.sort(key=lambda item: not viewer.owns(item))
    if not owners:
        raise BadInput(
            f"{pet.name} has no owner.", f"Save it with its owner: /character edit, fields: pets: {pet.name}."
        )
    return pet, owners[0]


def _count_out(tx: Connection, who: ActingCharacter, pet: Profile) -> int:
    kept = state.find_values_of_name(tx, who.viewer.campaign.id, OUT)
    return sum(value.get("other") == who.actor.id for subject, value in kept.items() if subject != pet.key)
