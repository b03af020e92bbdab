"""An act as it is typed: who does what to whom, made into the parts of a roll of the act's family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting, weapon_of
from bot.cogs.roe.acts.named import AMMUNITION, WEAPON, WEAPONS, TypedAct, act_named
from bot.cogs.roe.acts.possible import bound_to
from bot.cogs.roe.attacks.around import require_there
from bot.cogs.roe.fight_view import BOOK, MOST
from bot.cogs.roe.flights import service as flights
from bot.cogs.roe.waiting import AsksFirst
from bot.core import profiles, state
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from rules.acts import OTHER_ONE
from rules.book import Act
from rules.effects import EFFECT
from rules.errors import RollError
from rules.facts import mentioned_facts

UNSEEN = "unseen"
"""The trait of whoever is hidden from the one who acts."""
NUMBERS = {"metres": 10_000}
"""The kinds of values that are numbers, and the largest of each."""


Cast = tuple[dict[str, str], dict[str, tuple[int | None, ...]]]
"""Who stands in which role, by name, and the numbers where they are known."""


def command_of(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedAct
) -> tuple[RollCommand, bool]:
    """Return the roll of an act, and whether it throws dice.

    Raises:
        AsksFirst: others may interrupt it.

    """
    who = acting(tx, library, person, channels, typed.character)
    act = act_named(who.book, typed.what)
    if act.id in flights.NOUNS:
        raise AsksFirst(flights.make, channels, typed)
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
    """Return what an act takes besides, by the kind of it."""
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


def _others(tx: Connection, who: Acting, act: Act, typed: str | None) -> Iterator[Cast]:
    """Yield to whom an act is done, a part for each: whoever is typed, is bound to the character, or could see it."""
    if not act.has_other:
        if typed is not None:
            raise BadInput(f"{act.title} takes no target.", "Leave the target out.")
        yield {}, {}
        return
    each = who.book.procedure(act.id).method.shared(who.book) is not None
    numbers = _seeing(who) if each else bound_to(tx, who, act)
    known = profiles.read(tx, who.viewer.campaign.id, numbers)
    first: list[Cast] = [({act.subject: known[number].name}, {act.subject: (number,)}) for number in numbers]
    named: list[Cast] = []
    if typed is not None:
        names, ids = _beside(act, first)
        typed_names = parsing.split_names(typed, "target", MOST if each else 1)
        unseen = f"{act.subject}.{UNSEEN}"
        looks = any(unseen in fact for refusal in act.refused for fact in mentioned_facts(refusal.when))
        require_there(tx, who, typed_names, hidden=True, anywhere=looks)
        named = [({act.subject: name, **names}, ids) for name in typed_names]
    if not (named or first or act.headline_alone) or (act.beside and not named):
        _require_bound(tx, who, act)
        raise BadInput(f"{act.title} needs a target.", "Name the target.")
    yield from [*first, *named] if act.beside else named or first or [({}, {})]


def _require_bound(tx: Connection, who: Acting, act: Act) -> None:
    """Refuse an act on who is bound to the character where nobody is, in the book's own words."""
    if state.get(tx, who.viewer.campaign.id, who.actor.key, f"{EFFECT}{act.bound}") is None:
        alone = (f"!{act.actor}.{act.bound}",)
        for refusal in act.refused:
            if alone in refusal.when:
                raise RollError(refusal.words.format_map({act.actor: who.actor.name, act.subject: OTHER_ONE}))


def _beside(act: Act, first: Sequence[Cast]) -> Cast:
    """Return whoever is bound to the character in the role that an act has beside whom it is done to, if it has one."""
    if not act.beside or not first:
        return {}, {}
    ((names, ids),) = first
    return {act.beside: names[act.subject]}, {act.beside: ids[act.subject]}


def _seeing(who: Acting) -> list[int]:
    """Return who could see an act: all others in the fight of whom the person knows, by their numbers."""
    return [] if who.seen is None else [item.id for item in who.seen.shown.roster if item.id != who.actor.id]
