"""What is offered while battles, sides, units and events are typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from discord.app_commands import Transform

from bot.cogs.battles import service
from bot.rolls.options import Completed, Completion, completing_last, containing
from bot.ui.reply import person
from rules.books.battlesystem.effects import endable
from rules.books.battlesystem.state import Battle, How
from rules.subjects import name_key


class BattleCompleter(Completed):
    """The name of a battle that is being fought."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the names of battles."""
        return containing(current, [item.name for item in await _fought(at)])


class SideCompleter(Completed):
    """A side of a battle."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the sides of the battles."""
        return containing(current, dict.fromkeys(side for item in await _meant(at) for side in item.header.sides))


class RosterUnitCompleter(Completed):
    """A unit of a battle."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the units of the battles."""
        return containing(current, [unit.name for item in await _meant(at) for unit in item.roster])


class RosterUnitsCompleter(Completed):
    """Units of a battle, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last unit completed."""
        return completing_last(current, [unit.name for item in await _meant(at) for unit in item.roster])


class EventCompleter(Completed):
    """An event that can be ended in the way that is picked beside it."""

    decorated = re.compile(": ")

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the events with their keys."""
        how, wanted = how_of(_option(at, "how")), name_key(current)
        groups = [group for item in await _meant(at) for group in endable(item, how)]
        labels = [(f"{', '.join(group.names)}: {group.label}", group.key) for group in groups]
        return [(label, key) for label, key in labels if wanted in name_key(label) or wanted == key]


BattleName = Transform[str, BattleCompleter()]
SideName = Transform[str, SideCompleter()]
RosterUnit = Transform[str, RosterUnitCompleter()]
RosterUnits = Transform[str, RosterUnitsCompleter()]
EventKey = Transform[str, EventCompleter()]


def how_of(picked: str) -> How:
    """Return by what an event is to be ended; by a token, unless something else is picked."""
    return next((how for how in get_args(How) if how == picked), "token")


async def _fought(at: Completion) -> Sequence[Battle]:
    """Return the battles that are being fought."""
    library = at.desk.resolver.library
    return await at.desk.database.read(service.fought, library, person(at.interaction), at.campaign)


async def _meant(at: Completion) -> Sequence[Battle]:
    """Return the battle that is named beside what is typed, else all."""
    named = name_key(_option(at, "battle"))
    return [item for item in await _fought(at) if named in {"", name_key(item.name)}]


def _option(at: Completion, name: str) -> str:
    """Return what is typed in another option of the command."""
    return str(getattr(at.interaction.namespace, name, "") or "")
