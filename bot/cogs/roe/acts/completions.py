"""What is offered while an act is typed: acts, what is possible now first, and what they take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated

from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting, things, weapons_of
from bot.cogs.roe.acts.named import AMMUNITION, ITEM, WEAPON, WEAPONS, act_named, offered
from bot.cogs.roe.acts.possible import as_it_is, bound_to, costs, why_not
from bot.cogs.roe.fight_view import BOOK
from bot.cogs.roe.flights.answering import CALL, NEAR_BASE, PUBLIC
from bot.cogs.roe.turn_form import NO_CARD, TurnForm
from bot.core.permissions import Person
from bot.core.subjects import Numbered, label_each
from bot.core.visibility import suggested
from bot.errors import UserError
from bot.rolls.desk import channels
from bot.rolls.options import (
    CARD_OR_NOW,
    AnyModifiersCompleter,
    Completed,
    Completion,
    Completions,
    Name,
    completing_last,
    containing,
)
from bot.rolls.resolver import Resolver
from bot.ui.form import option
from rules.book import Act
from rules.books.roe.catalog import Ammo, Comlink, Seat
from rules.books.roe.hulls import SEAT, VEHICLE
from rules.books.roe.marks import DRAWN, LYING
from rules.books.roe.weapons import weapon_named
from rules.procedure import Part
from rules.stages import Tickable, family_tickables
from rules.subjects import name_key

AT_HAND = (DRAWN, LYING)
"""How the marks begin of what can be struck from a hand, or be picked up."""
Asked = tuple[Resolver, Person, list[int], str | None]


async def _complete_what(at: Completion, current: str) -> Completions:
    """Offer acts: those that are possible now first, with their costs; the others with the reason why not."""
    return [item for item in await at.desk.database.read(_acts, *_asked(at)) if name_key(current) in name_key(item[0])]


async def _complete_others(at: Completion, current: str) -> Completions:
    """Complete the last of several others in the fight, or of those who could be called into it."""
    found = await at.desk.database.read(_others, *_asked(at), at.typed("what"), current.rpartition(",")[2])
    return completing_last(current, found)


async def _complete_value(at: Completion, current: str) -> Completions:
    """Offer what an act takes: a seat, a weapon of the actor, or what the target holds or what lies on the ground."""
    typed = at.typed("what"), at.typed("target") or None
    return containing(current, await at.desk.database.read(_items, *_asked(at), *typed))


async def _find_modifiers(at: Completion) -> Mapping[str, Tickable]:
    """Return the modifiers of the act that is typed."""
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    procedure = book.procedure(act_named(book, at.typed("what")).id)
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


def _asked(at: Completion) -> Asked:
    return at.desk.resolver, at.person, channels(at.interaction), at.typed("character") or None


def _acts(tx: Connection, resolver: Resolver, by: Person, where: list[int], named: str | None) -> list[tuple[str, str]]:
    """Return all acts that are offered, as (what is told of it, title)."""
    with suppress(UserError):  # nobody in particular acts: all of them are offered, as they are
        who = acting(tx, resolver.library, by, where, named)
        part = as_it_is(tx, resolver, who.viewer, who.book, who.actor)
        told = [(why_not(who.book, act, part), act) for act in offered(who.book)]
        possible = [(_with_cost(act, part), act.title) for why, act in told if why is None]
        return possible + [(f"{act.title}: {why}", act.title) for why, act in told if why is not None]
    return []


def _with_cost(act: Act, part: Part) -> str:
    paid = ", ".join(costs(act, part))
    return f"{act.title} ({paid})" if paid else act.title


def _others(
    tx: Connection, resolver: Resolver, by: Person, where: list[int], named: str | None, what: str, current: str
) -> list[str]:
    found = acting(tx, resolver.library, by, where, named)
    act = act_named(found.book, what) if what else None
    if act is not None and act.id == CALL:
        return _callable(tx, found, current.strip())
    fighters = [] if found.seen is None else [item for item in found.seen.shown.roster if item.id != found.actor.id]
    others: list[Numbered] = [*fighters, *things(tx, found)]
    if act is not None and act.takes == SEAT:
        others = [item for item in things(tx, found) if VEHICLE in item.fields]
    if act is not None and act.bound:
        bound = bound_to(tx, found, act)
        others = [item for item in others if (item.id in bound) is not bool(act.beside)]
    return label_each(others)


def _callable(tx: Connection, found: Acting, wanted: str) -> list[str]:
    """Return the characters that could be called: of whom it is known that they stand in this fight, they do not."""
    there = {item.id for item in found.seen.shown.roster} if found.seen else set()
    known = suggested(tx, found.viewer, wanted)
    return label_each(item for item in known if item.is_character and item.id not in there)


def _items(
    tx: Connection,
    resolver: Resolver,
    by: Person,
    where: list[int],
    named: str | None,
    what: str,
    target: str | None,
) -> list[str]:
    found = acting(tx, resolver.library, by, where, named)
    act = act_named(found.book, what)
    takes = act.takes
    if act.id == CALL:
        return [NEAR_BASE, *(f"{PUBLIC} {entry.label}" for entry in found.book.listed(Comlink).values())]
    if takes == SEAT:
        return [*found.book.listed(Seat)]
    if takes in {WEAPON, WEAPONS}:
        return [arm.name for arm in weapons_of(found)]
    if takes == AMMUNITION:
        guns = [arm.name for arm in weapons_of(found) if weapon_named(found.book, arm.token).gun]
        return [f"{name}: {kind.label}" for name in guns for kind in found.book.listed(Ammo).values()]
    fight = found.seen.shown if found.seen and takes == ITEM else None
    whose = fight and (fight.combatant(found.actor.id) if target is None else fight.unit(target))
    return [
        mark.partition(".")[2]
        for mark, count in (whose.marks if whose else {}).items()
        if count and mark.startswith(AT_HAND)
    ]
