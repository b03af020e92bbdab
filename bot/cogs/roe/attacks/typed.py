"""An attack as it is typed: who attacks whom with what, made into the parts of a roll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting, weapon_of
from bot.cogs.roe.attacks import ATTACK
from bot.cogs.roe.attacks.around import fuel_of, require_there, shielder, strays
from bot.cogs.roe.attacks.completions import ArmName, Fire, Targets
from bot.cogs.roe.attacks.inputs import inputs_of
from bot.cogs.roe.fight_view import BOOK
from bot.cogs.roe.turn_form import Metres, TurnForm
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls.options import Name
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.form import option
from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER
from rules.books.roe.arms import Arm
from rules.books.roe.bystanders import counts_as_automatic
from rules.books.roe.catalog import Mode
from rules.books.roe.weapons import Weapon, attack_rolls, mode_of, weapon_named
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


class Meant(Struct, frozen=True):
    """What is meant by it: whom it is made on (names, each with how often it was named), with what, and the inputs of all its parts."""

    names: Mapping[str, int]
    arms: Sequence[Arm]
    weapon: Weapon
    mode: Mode
    inputs: Mapping[str, Any]


def command_of(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: AttackForm
) -> RollCommand:
    """Return the roll of an attack."""
    who = acting(tx, library, person, channels, typed.character)
    meant = _meant(who, typed)
    require_there(tx, who, meant.names)
    parts = [*_parts(tx, who, meant)]
    return RollCommand(channels, typed.family, parts, modifiers=typed.modifiers, note=typed.note, here=None)


def _meant(who: Acting, typed: AttackForm) -> Meant:
    names = parsing.split_names(typed.target, "target", MAX_TARGETS)
    counts, spelled = Counter(map(name_key, names)), {name_key(name): name for name in reversed(names)}
    arms = [*_arms(who, typed)]
    weapon = weapon_named(who.book, arms[0].token)
    inputs = inputs_of(who.book, arms, typed.fire, typed.range)
    mode = mode_of(who.book, weapon, inputs.get("mode") if len(arms) == 1 else None)
    return Meant({spelled[key]: count for key, count in counts.items()}, arms, weapon, mode, inputs)


def _arms(who: Acting, typed: AttackForm) -> Iterator[Arm]:
    """Yield the weapons that are used: the first of the character's unless one is named."""
    first = weapon_of(who, typed.weapon)
    yield first
    if typed.second is not None:
        second = weapon_of(who, typed.second)
        if second.id == first.id:
            raise BadInput(f"You can't use {first.name} twice at once.", "Name another weapon as the second one.")
        yield second


def _parts(tx: Connection, who: Acting, meant: Meant) -> Iterator[PartRequest]:
    """Yield a part for each target, and for whoever shields the first one from it."""
    guard = shielder(who, [*meant.names])
    others = strays(tx, who, next(iter(meant.names)))
    first = ({"covered": True} if guard else {}) | ({"strays": others} if others else {})
    for place, (name, more) in enumerate([*_shared(who.book, meant)]):
        yield _part(who, meant, name, more if place else {**more, **first})
    same = {"sneak": False, **({"only": 0} if len(meant.arms) > 1 and len(meant.names) > 1 else {})}
    if guard and _spreads(who.book, meant):
        yield _part(who, meant, guard, {"beside": True, **same})
    if guard:
        yield _part(who, meant, guard, {"past": "taken", **same})


def _part(who: Acting, meant: Meant, name: str, more: Mapping[str, Any]) -> PartRequest:
    fuel = fuel_of(who, name)
    inputs = {**meant.inputs, **more, **({"fuel": fuel} if fuel else {})}
    return PartRequest(subjects={ACTOR: who.actor.name, RESISTER: name}, ids={ACTOR: (who.actor.id,)}, inputs=inputs)


def _shared(book: Book, meant: Meant) -> Iterator[tuple[str, dict[str, Any]]]:
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
        yield from _swings(book, meant)


def _swings(book: Book, meant: Meant) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each target with its swings: all of them where there is one, which is named once."""
    most, asked = attack_rolls(book, meant.weapon, meant.mode, meant.inputs["range_m"]), sum(meant.names.values())
    if asked > most:
        what = f"{meant.arms[0].name} has {most} {'swing' if most == 1 else 'swings'} in one Action, not {asked}."
        raise BadInput(what, "Name one target per swing. Repeat a name to strike it again.")
    several = len(meant.names) > 1
    for name, count in meant.names.items():
        yield name, {"rolls": count, "parted": several} if asked > 1 else {}


def _spreads(book: Book, meant: Meant) -> bool:
    """Return whether it is automatic fire for those beside the target."""
    fire = meant.weapon.type.id if meant.weapon.type.far_rolls and not meant.mode.thrown else meant.mode.id
    return counts_as_automatic(book, fire, meant.inputs["range_m"])
