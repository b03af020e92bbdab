"""`/roe attack` as it is typed, by people and pets."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe import actors, fight_view
from bot.cogs.roe.actors import ActingCharacter
from bot.cogs.roe.dodges import require_no_wait
from bot.cogs.roe.fight_view import ATTACK, BOOK, PET
from bot.cogs.roe.options import ArmName, Fire, Metres, Targets, TurnForm
from bot.core import state
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import choose_named, label_subject
from bot.rolls.options import Name
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.parsing import option
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
    """An attack as typed; `names` says how often each target is named."""

    names: Mapping[str, int]
    arms: Sequence[Arm]
    weapon: Weapon
    mode: Mode
    inputs: Mapping[str, Any]


def read_attack(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: AttackForm
) -> RollCommand:
    """Read the roll of an attack, by a pet if one is named as character.

    Raises:
        UnaskedQuestion: it would roll at once, but waits for dodges.

    """
    pet = _send_pet(tx, library, person, channels, typed)
    if pet is not None:
        family, parts = (BOOK, PET_ATTACK), [pet]
    else:
        who = actors.find_acting(tx, library, person, channels, typed.character)
        attack = _read_typed(who, typed)
        actors.require_there(tx, who, attack.names)
        family, parts = typed.family, [*_make_parts(tx, who, attack)]
    command = RollCommand(channels, family, parts, modifiers=typed.modifiers, note=typed.note)
    if typed.roll == "now" and typed.dice is None:  # a card asks later, typed dice never wait
        require_no_wait(tx, library, person, command)
    return command


def _read_typed(who: ActingCharacter, typed: AttackForm) -> TypedAttack:
    names = parsing.split_names(typed.target, "target", MAX_TARGETS)
    counts, spelled = Counter(map(name_key, names)), {name_key(name): name for name in reversed(names)}
    arms = [actors.find_carried_weapon(who, typed.weapon)]
    if typed.second is not None:
        arms.append(actors.find_carried_weapon(who, typed.second))
        if arms[1].id == arms[0].id:
            raise BadInput(f"You can't use {arms[0].name} twice at once.", "Name another weapon as the second one.")
    weapon = find_weapon(who.book, arms[0].token)
    inputs = actors.make_attack_inputs(who.book, arms, typed.fire, typed.range)
    mode = find_mode(who.book, weapon, inputs.get("mode") if len(arms) == 1 else None)
    return TypedAttack({spelled[key]: count for key, count in counts.items()}, arms, weapon, mode, inputs)


def _make_parts(tx: Connection, who: ActingCharacter, attack: TypedAttack) -> Iterator[PartRequest]:
    guard = actors.find_shielder(who, [*attack.names])
    others = actors.list_strays(tx, who, next(iter(attack.names)))
    first = ({"covered": True} if guard else {}) | ({"strays": others} if others else {})
    for place, (name, more) in enumerate([*_share_out(who.book, attack)]):
        yield _make_part(who, attack, name, more if place else {**more, **first})
    same = {"sneak": False, **({"only": 0} if len(attack.arms) > 1 and len(attack.names) > 1 else {})}
    if guard and _spreads(who.book, attack):
        yield _make_part(who, attack, guard, {"beside": True, **same})
    if guard:
        yield _make_part(who, attack, guard, {"past": "taken", **same})


def _make_part(who: ActingCharacter, attack: TypedAttack, name: str, more: Mapping[str, Any]) -> PartRequest:
    fuel = actors.list_fuel(who, name)
    return actors.make_part(who.actor, {**attack.inputs, **more, **({"fuel": fuel} if fuel else {})}, name)


def _share_out(book: Book, attack: TypedAttack) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each target with its share of the attack (lines 275, 319, 340, 377)."""
    names, several = [*attack.names], len(attack.names) > 1
    if len(attack.arms) > 1:
        if len(names) > PAIR:
            raise BadInput("Two weapons can attack at most two targets.", "Name one target per weapon.")
        yield from ((name, {"only": place} if several else {}) for place, name in enumerate(names))
    elif _spreads(book, attack):
        yield from ((name, {"beside": True, "sneak": False} if place else {}) for place, name in enumerate(names))
    elif attack.weapon.gun or attack.mode.thrown:
        yield names[0], {"covered": True} if several else {}
        yield from ((name, {"past": "dodged", "sneak": False}) for name in names[1:])
    else:
        yield from _share_swings(book, attack)


def _share_swings(book: Book, attack: TypedAttack) -> Iterator[tuple[str, dict[str, Any]]]:
    most, asked = attack_rolls(book, attack.weapon, attack.mode, attack.inputs["range_m"]), sum(attack.names.values())
    if asked > most:
        what = f"{attack.arms[0].name} has {most} {'swing' if most == 1 else 'swings'} in one Action, not {asked}."
        raise BadInput(what, "Name one target per swing. Repeat a name to strike it again.")
    several = len(attack.names) > 1
    for name, count in attack.names.items():
        yield name, {"rolls": count, "parted": several} if asked > 1 else {}


def _spreads(book: Book, attack: TypedAttack) -> bool:
    fire = attack.weapon.type.id if attack.weapon.type.far_rolls and not attack.mode.thrown else attack.mode.id
    return counts_as_automatic(book, fire, attack.inputs["range_m"])


PET_ATTACK = "pet.attack"
IS_PET, KIND = "pet-level", "pet-type"
OUT = f"{EFFECT}out"
USUAL: Mapping[str, float] = {"melee": 1, "ranged": 10}
"""Default distance (m) of a pet's attack."""


def _send_pet(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: AttackForm
) -> PartRequest | None:
    found = _find_pet(tx, library, person, channels, typed.character) if typed.character else None
    if found is None:
        return None
    if typed.weapon or typed.second or typed.fire:
        raise BadInput("A pet has its own attack and no weapons.", "Leave weapon, second and fire out.")
    pet, owner = found
    who = actors.find_acting(tx, library, person, channels, label_subject(owner))
    others = state.find_values_of_name(tx, who.viewer.campaign.id, OUT).items()
    out = sum(value.get("other") == who.actor.id for subject, value in others if subject != pet.key)
    level, kind = bring_pet(who.book, pet.fields[IS_PET], pet.fields.get(KIND), owner.fields.get("option"), out)
    (target,) = parsing.split_names(typed.target, "target", 1)
    actors.require_there(tx, who, [target])
    metres = USUAL[kind.attack] if typed.range is None else typed.range
    return PartRequest(
        subjects={OWNER: owner.name, ACTOR: pet.name, RESISTER: target},
        ids={OWNER: (owner.id,), ACTOR: (pet.id,)},
        inputs={LEVEL: level.level, TYPE: kind.id, "range_m": metres},
    )


def _find_pet(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str
) -> tuple[Profile, Profile] | None:
    viewer = fight_view.view_here(tx, library, person, channels)
    known = fight_view.list_known(tx, viewer)
    pet = choose_named((item for item in known if IS_PET in item.fields), named)
    if pet is None:
        return None
    owners = [item for item in known if name_key(pet.name) in map(name_key, item.fields.get(PET, ()))]
    owners.sort(key=lambda item: not viewer.owns(item))
    if not owners:
        hint = f"Save it with its owner: /character edit, fields: pets: {pet.name}."
        raise BadInput(f"{pet.name} has no owner.", hint)
    return pet, owners[0]
