"""What is offered while battles, sides, units and events are typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, get_args

from bot.cogs.battles import service
from bot.rolls.options import Completed, Completion, Completions, completing_last, containing
from rules.books.battlesystem.effects import endable
from rules.books.battlesystem.state import Battle, How
from rules.subjects import name_key


async def _complete_battle(at: Completion, current: str) -> Completions:
    return containing(current, [item.name for item in await _fought(at)])


async def _complete_side(at: Completion, current: str) -> Completions:
    return containing(current, dict.fromkeys(side for item in await _meant(at) for side in item.header.sides))


async def _complete_roster_unit(at: Completion, current: str) -> Completions:
    return containing(current, [unit.name for item in await _meant(at) for unit in item.roster])


async def _complete_roster_units(at: Completion, current: str) -> Completions:
    """Complete the last of several units."""
    return completing_last(current, [unit.name for item in await _meant(at) for unit in item.roster])


async def _complete_event(at: Completion, current: str) -> Completions:
    """Offer events that can be ended in the way that is picked."""
    how, wanted = how_of(at.typed("how")), name_key(current)
    groups = [group for item in await _meant(at) for group in endable(item, how)]
    labels = [(f"{', '.join(group.names)}: {group.label}", group.key) for group in groups]
    return [(label, key) for label, key in labels if wanted in name_key(label) or wanted == key]


BattleName = Annotated[str, Completed(_complete_battle)]
SideName = Annotated[str, Completed(_complete_side)]
RosterUnit = Annotated[str, Completed(_complete_roster_unit)]
RosterUnits = Annotated[str, Completed(_complete_roster_units)]
EventKey = Annotated[str, Completed(_complete_event, re.compile(": "))]


def how_of(picked: str) -> How:
    """Return by what an event is to be ended; by a token, unless something else is picked."""
    return next((how for how in get_args(How) if how == picked), "token")


async def _fought(at: Completion) -> Sequence[Battle]:
    """Return the battles that are being fought."""
    library = at.desk.resolver.library
    return await at.desk.database.read(service.fought, library, at.person, at.campaign)


async def _meant(at: Completion) -> Sequence[Battle]:
    """Return the battle that is named beside what is typed, else all."""
    named = name_key(at.typed("battle"))
    return [item for item in await _fought(at) if named in {"", name_key(item.name)}]
