"""What is offered while an attack is typed: weapons, fire, and whom it may be made on."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated

from sqlalchemy import Connection

from bot.cogs.roe.actors import acting, things, weapons_of
from bot.cogs.roe.attacks import SNEAK
from bot.cogs.roe.attacks.around import in_sight
from bot.cogs.roe.attacks.inputs import several_traits
from bot.cogs.roe.fight_view import BOOK
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.subjects import Numbered, label_each
from bot.errors import UserError
from bot.rolls.desk import channels
from bot.rolls.options import Completed, Completion, Completions, completing_last, containing
from rules.books.roe.arms import Arm
from rules.books.roe.catalog import Mode, Token
from rules.books.roe.weapons import weapon_named

NAMED_WITH_TOKEN = re.compile(r"\)$")


async def _complete_arms(at: Completion, current: str) -> Completions:
    arms, _ = await at.desk.database.read(_known, *_asked(at))
    return [(_told(arm), arm.name) for arm in arms if current.casefold() in _told(arm).casefold()]


async def _complete_any_weapon(at: Completion, current: str) -> Completions:
    """Offer weapons of whoever acts, then all tokens of the book."""
    own: Completions = []
    with suppress(UserError):
        own = await _complete_arms(at, current)
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    tokens = containing(current, [token.label for token in book.listed(Token).values()])
    return [*own, *(item for item in tokens if item not in own)]


async def _complete_fire(at: Completion, current: str) -> Completions:
    _, modes = await at.desk.database.read(_known, *_asked(at))
    return [*containing(current, [*modes, SNEAK])]


async def _complete_targets(at: Completion, current: str) -> Completions:
    """Complete the last of several others in the fight."""
    return completing_last(current, await at.desk.database.read(_targets, *_asked(at)))


ArmName = Annotated[str, Completed(_complete_arms, NAMED_WITH_TOKEN)]
AnyWeapon = Annotated[str, Completed(_complete_any_weapon, NAMED_WITH_TOKEN)]
Fire = Annotated[str, Completed(_complete_fire)]
Targets = Annotated[str, Completed(_complete_targets)]


def _asked(at: Completion) -> tuple[Library, Person, list[int], str | None]:
    return at.desk.resolver.library, at.person, channels(at.interaction), at.typed("character") or None


def _known(
    tx: Connection, library: Library, who: Person, where: list[int], named: str | None
) -> tuple[list[Arm], list[str]]:
    """Return the weapons of whoever acts, and the modes that any of them can be used in, with traits of which one is named."""
    found = acting(tx, library, who, where, named)
    arms = weapons_of(found)
    weapons = [weapon_named(found.book, arm.token) for arm in arms]
    ways, traits = {item.handling for item in weapons}, [trait for item in weapons for trait in several_traits(item)]
    return arms, [*(mode.id for mode in found.book.listed(Mode).values() if ways & {*mode.of}), *dict.fromkeys(traits)]


def _targets(tx: Connection, library: Library, who: Person, where: list[int], named: str | None) -> list[str]:
    found = acting(tx, library, who, where, named)
    leads = found.seen is not None and found.seen.leads
    others: list[Numbered] = [*in_sight(tx, found, leads=leads), *things(tx, found)]
    return label_each(others)


def _told(arm: Arm) -> str:
    return arm.name if arm.name == arm.token else f"{arm.name} ({arm.token})"
