"""What is offered while an attack is typed: weapons, fire, and whom it may be made on."""

from __future__ import annotations

import re

from discord.app_commands import Transform
from sqlalchemy import Connection

from bot.cogs.roe.actors import acting, things, weapons_of
from bot.cogs.roe.attacks import SNEAK
from bot.cogs.roe.attacks.around import in_sight
from bot.cogs.roe.attacks.inputs import several_traits
from bot.cogs.roe.fights.looking import BOOK
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.subjects import Numbered, label, twins
from bot.errors import UserError
from bot.rolls.desk import channels
from bot.rolls.options import Completed, Completion, completing_last, containing
from bot.ui.reply import person
from rules.books.roe.arms import Arm
from rules.books.roe.catalog import Mode, Token
from rules.books.roe.weapons import weapon_named


class ArmsCompleter(Completed):
    """A weapon of whoever acts."""

    decorated = re.compile(r"\)$")

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what they are called."""
        arms, _ = await at.desk.database.read(_known, *_asked(at))
        return [(_told(arm), arm.name) for arm in arms if current.casefold() in _told(arm).casefold()]


class AnyWeaponCompleter(ArmsCompleter):
    """A weapon of whoever acts, or any token of the book."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return own weapons first."""
        try:
            own = await super().complete(at, current)
        except UserError:
            own = []
        book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
        tokens = containing(current, [token.label for token in book.listed(Token).values()])
        return [*own, *(item for item in tokens if item not in own)]


class FireCompleter(Completed):
    """How a weapon is used: as it can be."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the modes."""
        _, modes = await at.desk.database.read(_known, *_asked(at))
        return [*containing(current, [*modes, SNEAK])]


class TargetsCompleter(Completed):
    """Who stands in the fight beside whoever acts, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        return completing_last(current, await at.desk.database.read(_targets, *_asked(at)))


ArmName = Transform[str, ArmsCompleter()]
AnyWeapon = Transform[str, AnyWeaponCompleter()]
Fire = Transform[str, FireCompleter()]
Targets = Transform[str, TargetsCompleter()]


def _asked(at: Completion) -> tuple[Library, Person, list[int], str | None]:
    named = getattr(at.interaction.namespace, "character", None)
    return at.desk.resolver.library, person(at.interaction), channels(at.interaction), named or None


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
    several = twins(others)
    return [label(item) if item.id in several else item.name for item in others]


def _told(arm: Arm) -> str:
    return arm.name if arm.name == arm.token else f"{arm.name} ({arm.token})"
