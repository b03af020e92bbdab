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
from bot.cogs.roe.fights.looking import BOOK
from bot.cogs.roe.flights.answering import CALL, NEAR_BASE, PUBLIC
from bot.cogs.roe.turn_form import NO_CARD, TurnForm
from bot.core.permissions import Person
from bot.core.subjects import Numbered, label, twins
from bot.core.visibility import suggested
from bot.errors import UserError
from bot.rolls.desk import channels
from bot.rolls.options import (
    CARD_OR_NOW,
    AnyModifiersCompleter,
    Completed,
    Completion,
    Name,
    completing_last,
    containing,
)
from bot.rolls.resolver import Resolver
from bot.ui.form import option
from bot.ui.reply import person
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


class WhatCompleter(Completed):
    """An act: those that are possible now come first, each with its cost; the others with the reason why not."""

    decorated = re.compile(r"\)$|: ")

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return titles with what is told of each."""
        return [
            item for item in await at.desk.database.read(_acts, *_asked(at)) if name_key(current) in name_key(item[0])
        ]


class OthersCompleter(Completed):
    """Who stands in the fight beside whoever acts, or could be called into it, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        found = await at.desk.database.read(_others, *_asked(at), _typed(at, "what") or "", current.rpartition(",")[2])
        return completing_last(current, found)


class ValueCompleter(Completed):
    """What an act takes: a seat, a weapon of whoever acts, or what is in the other one's hands or lies on the ground."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return their names, where the act takes one."""
        typed = _typed(at, "what") or "", _typed(at, "target")
        return containing(current, await at.desk.database.read(_items, *_asked(at), *typed))


class ActModifiersCompleter(AnyModifiersCompleter):
    """Modifiers of the act that is typed."""

    async def known(self, at: Completion) -> Mapping[str, Tickable]:
        """Return those of the act."""
        book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
        procedure = book.procedure(act_named(book, _typed(at, "what") or "").id)
        return family_tickables(procedure, book)


class ActForm(TurnForm):
    """The options of `/roe act`; targets are separated by commas."""

    what: Annotated[str, WhatCompleter()] = option("The action. What you can do now comes first")
    target: Annotated[str, OthersCompleter()] | None = option(
        "The target, or who you call. Not needed for a hold or for all who could see you", default=None
    )
    value: Annotated[str, ValueCompleter()] | None = option(
        "A weapon or metres. For a call: a channel, near base or comlink CPD", default=None
    )
    character: Name | None = option("Who acts. Default: who has the turn", default=None)
    modifiers: Annotated[str, ActModifiersCompleter()] | None = None
    roll: str | None = option(NO_CARD, default=None, choices=CARD_OR_NOW)


def _asked(at: Completion) -> Asked:
    return at.desk.resolver, person(at.interaction), channels(at.interaction), _typed(at, "character")


def _typed(at: Completion, option: str) -> str | None:
    return getattr(at.interaction.namespace, option, None) or None


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
    several = twins(others)
    return [label(item) if item.id in several else item.name for item in others]


def _callable(tx: Connection, found: Acting, wanted: str) -> list[str]:
    """Return the characters that could be called: of whom it is known that they stand in this fight, they do not."""
    there = {item.id for item in found.seen.shown.roster} if found.seen else set()
    known = [item for item in suggested(tx, found.viewer, wanted) if item.is_character and item.id not in there]
    several = twins(known)
    return [label(item) if item.id in several else item.name for item in known]


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
