"""An attack as it is typed: who attacks whom with what, made into the parts of a roll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting, weapons_of
from bot.cogs.roe.attacks import SNEAK
from bot.cogs.roe.fights.transaction import BOOK
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from rules.book import Book
from rules.books.roe.aim import ACTOR, RESISTER
from rules.books.roe.arms import Arm, arm_named
from rules.books.roe.bystanders import counts_as_automatic
from rules.books.roe.catalog import Mode
from rules.books.roe.weapons import Weapon, mode_of, reach_m, weapon_named
from rules.subjects import name_key

ATTACK = "turn.attack"
MAX_TARGETS = 9
CLOSE, REACHED = 10, 1
"""From how far away (m) an attack is made unless somebody says so: with what shoots, and in melee."""


class TypedAttack(Struct, frozen=True):
    """An attack as it was typed; targets are parted by commas, and the range is in metres."""

    target: str
    weapon: str | None
    second: str | None
    fire: str | None
    metres: float | None
    character: str | None
    modifiers: str | None
    note: str | None


def command_of(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedAttack
) -> RollCommand:
    """Return the roll of an attack.

    Raises:
        UserError, RollError: it is nobody's to make, or nothing that these weapons can do.

    """
    who = acting(tx, library, person, channels, typed.character)
    arms = [*_arms(who, typed)]
    names = parsing.split_names(typed.target, "target", MAX_TARGETS)
    inputs = _inputs(who.book, arms, typed)
    parts = [*_parts(who, names, inputs, arms)]
    return RollCommand(channels, (BOOK, ATTACK), parts, modifiers=typed.modifiers, note=typed.note, here=None)


def _arms(who: Acting, typed: TypedAttack) -> Iterator[Arm]:
    """Yield the weapons that are used: the first of the character's unless one is named."""
    known = weapons_of(who)
    yield known[0] if typed.weapon is None else arm_named(known, typed.weapon)
    if typed.second is not None:
        yield arm_named(known, typed.second)


def _inputs(book: Book, arms: Sequence[Arm], typed: TypedAttack) -> dict[str, Any]:
    weapon = weapon_named(book, arms[0].token)
    reach = reach_m(book, weapon)
    usual = REACHED if reach is not None and reach < CLOSE else CLOSE
    inputs: dict[str, Any] = {
        "tokens": [arm.token for arm in arms],
        "names": [arm.name for arm in arms],
        "mods": [[list(mod) for mod in arm.mods] for arm in arms],
        "range_m": usual if typed.metres is None else typed.metres,
    }
    if typed.fire == SNEAK:
        return {**inputs, "sneak": True}
    return inputs | ({"mode": typed.fire} if typed.fire else {})


def _parts(who: Acting, names: Sequence[str], inputs: Mapping[str, Any], arms: Sequence[Arm]) -> Iterator[PartRequest]:
    """Yield a part for each target: of automatic fire those behind the first stand beside it, and swings are shared out.

    Raises:
        BadInput: one shot has several targets.

    """
    counts = Counter(map(name_key, names))
    spelled = {name_key(name): name for name in reversed(names)}
    for place, key in enumerate(counts):
        subjects = {ACTOR: who.actor.name, RESISTER: spelled[key]}
        more = _shared(who.book, inputs, arms, place, counts[key]) if len(names) > 1 else {}
        yield PartRequest(subjects=subjects, ids={ACTOR: (who.actor.id,)}, inputs={**inputs, **more})


def _shared(book: Book, inputs: Mapping[str, Any], arms: Sequence[Arm], place: int, count: int) -> dict[str, Any]:
    """Return what a target has of an attack on several (lines 275, 377)."""
    weapon = weapon_named(book, arms[0].token)
    mode = mode_of(book, weapon, inputs.get("mode"))
    if _spreads(book, weapon, mode, inputs["range_m"]):
        return {"beside": True} if place else {}
    if weapon.gun or len(arms) > 1:
        raise BadInput("One shot has one target.", "Several are for automatic fire, or for swings in melee.")
    return {"rolls": count}


def _spreads(book: Book, weapon: Weapon, mode: Mode, metres: float) -> bool:
    fire = weapon.type.id if weapon.type.far_rolls else mode.id
    return counts_as_automatic(book, fire, metres)
