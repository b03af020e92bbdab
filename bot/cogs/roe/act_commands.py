"""`/roe act` as it is typed: what is offered, and the roll that it makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from sqlalchemy import Connection

from bot.cogs.roe import flights
from bot.cogs.roe.actors import (
    ActingCharacter,
    find_acting,
    find_carried_weapon,
    list_things,
    list_weapons,
    require_there,
)
from bot.cogs.roe.acts import (
    AMMUNITION,
    ITEM,
    WEAPON,
    WEAPONS,
    TypedTurnAct,
    describe_costs,
    explain_refusal,
    find_act,
    list_bound,
    list_offered,
    preview_actor,
)
from bot.cogs.roe.fight_view import BOOK, MOST
from bot.cogs.roe.flights import CALL, NEAR_BASE, PUBLIC
from bot.cogs.roe.options import NO_CARD, TurnForm, read_acting
from bot.cogs.roe.waiting import UnaskedQuestion
from bot.core import profiles, state
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.subjects import Numbered, label_subjects
from bot.core.visibility import list_suggested
from bot.errors import BadInput, UserError
from bot.rolls.options import (
    CARD_OR_NOW,
    AnyModifiersCompleter,
    Completed,
    Completion,
    Completions,
    Name,
    complete_last,
    filter_labels,
)
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.form import option
from rules.acts import OTHER_ONE
from rules.book import Act
from rules.books.roe.catalog import Ammo, Comlink, VehicleSeat
from rules.books.roe.fights import DRAWN, LYING
from rules.books.roe.vehicles import SEAT, VEHICLE
from rules.books.roe.weapons import find_weapon
from rules.effects import EFFECT
from rules.errors import RollError
from rules.modifiers import mentioned_facts
from rules.procedure import Part
from rules.stages import Tickable, family_tickables
from rules.subjects import name_key

AT_HAND = (DRAWN, LYING)
"""How the marks begin of what can be struck from a hand, or be picked up."""


async def _complete_what(at: Completion, current: str) -> Completions:
    """Offer acts: those that are possible now first, with their costs; the others with the reason why not."""
    with suppress(UserError):  # nobody in particular acts
        found = await read_acting(at, _suggest_acts, at.desk.resolver)
        return [item for item in found if name_key(current) in name_key(item[0])]
    return []


async def _complete_others(at: Completion, current: str) -> Completions:
    """Complete the last of several others in the fight, or of those who could be called into it."""
    found = await read_acting(at, _suggest_others, at.typed("what"), current.rpartition(",")[2])
    return complete_last(current, found)


async def _complete_value(at: Completion, current: str) -> Completions:
    """Offer what an act takes: a seat, a weapon of the actor, or what the target holds or what lies on the ground."""
    return filter_labels(current, await read_acting(at, _suggest_values, at.typed("what"), at.typed("target") or None))


async def _find_modifiers(at: Completion) -> Mapping[str, Tickable]:
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    procedure = book.procedure(find_act(book, at.typed("what")).id)
    return family_tickables(procedure, book)


class ActForm(TurnForm):
    """The options of `/roe act`; targets are separated by commas."""

    what: Annotated[str, Completed(_complete_what, re.compile(r"\)$|: "))] = option(
        "The action. What you can do now comes first"
    )
    target: Annotated[str, Completed(_complete_others)] | None = option(
        "The target, or who you call. Not needed for a hold or for all who could see you", default=None
    )
    value: Annotated[str, Completed(_complete_value)] | None = option(
        "A weapon or metres. For a call: a channel, near base or comlink CPD", default=None
    )
    character: Name | None = option("Who acts. Default: who has the turn", default=None)
    modifiers: Annotated[str, AnyModifiersCompleter(_find_modifiers)] | None = None
    roll: str | None = option(NO_CARD, default=None, choices=CARD_OR_NOW)


def _suggest_acts(tx: Connection, who: ActingCharacter, resolver: Resolver) -> list[tuple[str, str]]:
    """Return all acts that are offered, each as (what is shown of it, title)."""
    part = preview_actor(tx, resolver, who)
    told = [(explain_refusal(who.book, act, part), act) for act in list_offered(who.book)]
    possible = [(_with_cost(act, part), act.title) for why, act in told if why is None]
    return possible + [(f"{act.title}: {why}", act.title) for why, act in told if why is not None]


def _with_cost(act: Act, part: Part) -> str:
    paid = ", ".join(describe_costs(act, part))
    return f"{act.title} ({paid})" if paid else act.title


def _suggest_others(tx: Connection, found: ActingCharacter, what: str, current: str) -> list[str]:
    act = find_act(found.book, what) if what else None
    if act is not None and act.id == CALL:
        return _suggest_callable(tx, found, current.strip())
    others: list[Numbered] = [*found.others, *list_things(tx, found)]
    if act is not None and act.takes == SEAT:
        others = [item for item in list_things(tx, found) if VEHICLE in item.fields]
    if act is not None and act.bound:
        bound = list_bound(tx, found, act)
        others = [item for item in others if (item.id in bound) is not bool(act.beside)]
    return label_subjects(others)


def _suggest_callable(tx: Connection, found: ActingCharacter, wanted: str) -> list[str]:
    """Return the characters that could be called: of whom it is known that they stand in this fight, they do not."""
    there = {item.id for item in found.seen.shown.roster} if found.seen else set()
    known = list_suggested(tx, found.viewer, wanted)
    return label_subjects(item for item in known if item.is_character and item.id not in there)


def _suggest_values(_tx: Connection, found: ActingCharacter, what: str, target: str | None) -> list[str]:
    act = find_act(found.book, what)
    takes = act.takes
    if act.id == CALL:
        return [NEAR_BASE, *(f"{PUBLIC} {entry.label}" for entry in found.book.listed(Comlink).values())]
    if takes == SEAT:
        return [*found.book.listed(VehicleSeat)]
    if takes in {WEAPON, WEAPONS}:
        return [arm.name for arm in list_weapons(found)]
    if takes == AMMUNITION:
        guns = [arm.name for arm in list_weapons(found) if find_weapon(found.book, arm.token).gun]
        return [f"{name}: {kind.label}" for name in guns for kind in found.book.listed(Ammo).values()]
    fight = found.seen.shown if found.seen and takes == ITEM else None
    whose = fight and (fight.combatant(found.actor.id) if target is None else fight.unit(target))
    return [
        mark.partition(".")[2]
        for mark, count in (whose.marks if whose else {}).items()
        if count and mark.startswith(AT_HAND)
    ]


UNSEEN = "unseen"
"""The trait of whoever is hidden from the one who acts."""
NUMBERS = {"metres": 10_000}
"""The kinds of values that are numbers, and the largest of each."""


Cast = tuple[dict[str, str], dict[str, tuple[int | None, ...]]]
"""Who stands in which role, by name, and the numbers where they are known."""


def read_act(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedTurnAct
) -> tuple[RollCommand, bool]:
    """Return the roll of an act, and whether it throws dice.

    Raises:
        UnaskedQuestion: others may interrupt it.

    """
    who = find_acting(tx, library, person, channels, typed.character)
    act = find_act(who.book, typed.what)
    if act.id in flights.NOUNS:
        raise UnaskedQuestion(flights.try_act, channels, typed)
    inputs = _inputs(who, act, typed.value)
    parts = [
        PartRequest(
            subjects={act.actor: who.actor.name, **other}, ids={act.actor: (who.actor.id,), **ids}, inputs=inputs
        )
        for other, ids in _list_others(tx, who, act, typed.target)
    ]
    command = RollCommand(channels, (BOOK, act.id), parts, modifiers=typed.modifiers, note=typed.note)
    return command, bool(who.book.procedure(act.id).method.tables)


def _inputs(who: ActingCharacter, act: Act, value: str | None) -> dict[str, Any]:
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


def _weapon(who: ActingCharacter, value: str | None) -> dict[str, Any]:
    arm = find_carried_weapon(who, value)
    return {WEAPON: arm.name, "token": arm.token}


def _weapons(who: ActingCharacter, value: str | None) -> dict[str, Any]:
    names = [find_carried_weapon(who, name).name for name in (value.split(",") if value else [None])]
    return {WEAPON: ", ".join(names)}


def _ammunition(who: ActingCharacter, value: str | None) -> dict[str, Any]:
    weapon, _, kind = (value or "").rpartition(":")
    if not kind.strip():
        raise BadInput("What is loaded?", "Type it as the value, such as Rifle: AP.")
    return {**_weapon(who, weapon.strip() or None), AMMUNITION: parsing.text(kind, "ammunition")}


ARMS: Mapping[str, Callable[[ActingCharacter, str | None], dict[str, Any]]] = {
    WEAPON: _weapon,
    WEAPONS: _weapons,
    AMMUNITION: _ammunition,
}
"""How a value is read that is about weapons, by its kind."""


def _list_others(tx: Connection, who: ActingCharacter, act: Act, typed: str | None) -> Iterator[Cast]:
    """Yield to whom an act is done, a part for each: whoever is typed, is bound to the character, or could see it."""
    if not act.has_other:
        if typed is not None:
            raise BadInput(f"{act.title} takes no target.", "Leave the target out.")
        yield {}, {}
        return
    each = who.book.procedure(act.id).method.shared(who.book) is not None
    numbers = [item.id for item in who.others] if each else list_bound(tx, who, act)
    known = profiles.read_profiles(tx, who.viewer.campaign.id, numbers)
    first: list[Cast] = [({act.subject: known[number].name}, {act.subject: (number,)}) for number in numbers]
    named: list[Cast] = []
    if typed is not None:
        names, ids = _find_beside(act, first)
        typed_names = parsing.split_names(typed, "target", MOST if each else 1)
        unseen = f"{act.subject}.{UNSEEN}"
        looks = any(unseen in fact for refusal in act.refused for fact in mentioned_facts(refusal.when))
        require_there(tx, who, typed_names, hidden=True, anywhere=looks)
        named = [({act.subject: name, **names}, ids) for name in typed_names]
    if not (named or first or act.headline_alone) or (act.beside and not named):
        _require_bound(tx, who, act)
        raise BadInput(f"{act.title} needs a target.", "Name the target.")
    yield from [*first, *named] if act.beside else named or first or [({}, {})]


def _require_bound(tx: Connection, who: ActingCharacter, act: Act) -> None:
    """Refuse an act on who is bound to the character where nobody is, in the book's own words."""
    if state.get_value(tx, who.viewer.campaign.id, who.actor.key, f"{EFFECT}{act.bound}") is None:
        alone = (f"!{act.actor}.{act.bound}",)
        for refusal in act.refused:
            if alone in refusal.when:
                raise RollError(refusal.words.format_map({act.actor: who.actor.name, act.subject: OTHER_ONE}))


def _find_beside(act: Act, first: Sequence[Cast]) -> Cast:
    """Return whoever is bound to the character in the role that an act has beside whom it is done to, if it has one."""
    if not act.beside or not first:
        return {}, {}
    ((names, ids),) = first
    return {act.beside: names[act.subject]}, {act.beside: ids[act.subject]}
