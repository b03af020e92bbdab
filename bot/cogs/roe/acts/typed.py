"""An act as it is typed: who does what to whom, made into the parts of a roll of the act's family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting, weapon_of
from bot.cogs.roe.acts.named import AMMUNITION, WEAPON, WEAPONS, act_named
from bot.cogs.roe.fights.looking import BOOK, MOST
from bot.core import profiles, state
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from rules.book import OTHER, Act
from rules.effects import EFFECT

NUMBERS = {"metres": 10_000}
"""The kinds of values that are numbers, and the largest of each."""


class TypedAct(Struct, frozen=True):
    """An act as it was typed; targets are parted by commas."""

    what: str
    target: str | None
    value: str | None
    character: str | None
    modifiers: str | None
    note: str | None


def command_of(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedAct
) -> tuple[RollCommand, bool]:
    """Return the roll of an act, and whether it throws dice.

    Raises:
        UserError, RollError: it is nobody's to do, or not so.

    """
    who = acting(tx, library, person, channels, typed.character)
    act = act_named(who.book, typed.what)
    inputs = _inputs(who, act, typed.value)
    parts = [
        PartRequest(
            subjects={act.actor: who.actor.name, **other}, ids={act.actor: (who.actor.id,), **ids}, inputs=inputs
        )
        for other, ids in _others(tx, who, act, typed.target)
    ]
    command = RollCommand(channels, (BOOK, act.id), parts, modifiers=typed.modifiers, note=typed.note)
    return command, bool(who.book.procedure(act.id).method.tables)


def _inputs(who: Acting, act: Act, value: str | None) -> dict[str, Any]:
    """Return what an act takes besides, by the kind of it.

    Raises:
        UserError, RollError: it takes none, or none of this kind.

    """
    if act.takes is None:
        if value is not None:
            raise BadInput(f"{act.title} takes no value.", "Leave it out.")
        return {}
    if act.takes in ARMS:
        return ARMS[act.takes](who, value)
    if value is None:
        return {}
    if act.takes in NUMBERS:
        return {act.takes: parsing.whole(value, act.takes, 0, NUMBERS[act.takes])}
    return {act.takes: parsing.text(value, act.takes)}


def _weapon(who: Acting, value: str | None) -> dict[str, Any]:
    arm = weapon_of(who, value)
    return {WEAPON: arm.name, "token": arm.token}


def _weapons(who: Acting, value: str | None) -> dict[str, Any]:
    """Return weapons that are parted by commas."""
    names = [weapon_of(who, name).name for name in (value.split(",") if value else [None])]
    return {WEAPON: ", ".join(names)}


def _ammunition(who: Acting, value: str | None) -> dict[str, Any]:
    """Return a weapon and, behind a colon, what is loaded into it."""
    weapon, _, kind = (value or "").rpartition(":")
    if not kind.strip():
        raise BadInput("What is loaded?", "Type it as the value, such as Rifle: AP.")
    return {**_weapon(who, weapon.strip() or None), AMMUNITION: parsing.text(kind, "ammunition")}


ARMS: Mapping[str, Callable[[Acting, str | None], dict[str, Any]]] = {
    WEAPON: _weapon,
    WEAPONS: _weapons,
    AMMUNITION: _ammunition,
}
"""How a value is read that is about weapons, by its kind."""


def _others(
    tx: Connection, who: Acting, act: Act, typed: str | None
) -> Iterator[tuple[dict[str, str], dict[str, tuple[int | None, ...]]]]:
    """Yield to whom an act is done, a part for each: whoever is typed, is bound to the character by it, or could see it.

    Raises:
        UserError: somebody has to be named, or nobody can be.

    """
    if not act.has_other:
        if typed is not None:
            raise BadInput(f"{act.title} is done to nobody.", "Leave the target out.")
        yield {}, {}
        return
    each = who.book.procedure(act.id).method.shared(who.book) is not None
    if typed is not None:
        for name in parsing.split_names(typed, "target", MOST if each else 1):
            yield {act.subject: name}, {}
        return
    numbers = _seeing(who) if each else _bound(tx, who, act)
    if not numbers and not act.headline_alone:
        raise BadInput(f"{act.title}: whom do you mean?", "Name the target.")
    known = profiles.read(tx, who.viewer.campaign.id, numbers)
    for number in numbers:
        yield {act.subject: known[number].name}, {act.subject: (number,)}
    if not numbers:
        yield {}, {}


def _seeing(who: Acting) -> list[int]:
    """Return who could see an act: all others in the fight of whom the person knows, by their numbers."""
    return [] if who.seen is None else [item.id for item in who.seen.shown.roster if item.id != who.actor.id]


def _bound(tx: Connection, who: Acting, act: Act) -> list[int]:
    """Return who is bound to the character (number) by what the act asks for, such as a hold."""
    about = f"{act.actor}."
    traits = [fact.removeprefix(about).removesuffix(OTHER) for fact in act.facts if fact.endswith(OTHER)]
    kept = state.beginning(tx, who.viewer.campaign.id, {who.actor.key}, EFFECT)
    known = {number for number, item in (who.seen.people if who.seen else {}).items() if who.viewer.knows(item)}
    others = (kept.get((who.actor.key, EFFECT + trait), {}).get("other") for trait in sorted(traits))
    return [number for number in others if number in known][:1]
