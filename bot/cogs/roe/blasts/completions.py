"""What is offered while an explosion is typed: grenades, zones and launchers, and who stands in the fight."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import Connection

from bot.cogs.roe.actors import acting, weapons_of
from bot.cogs.roe.waiting import read_fuses, read_zones
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.subjects import label_each
from bot.rolls.desk import channels
from bot.rolls.options import Completed, Completion, Completions, completing_last, containing
from rules.books.roe.weapons import weapon_named


async def _complete_item(at: Completion, current: str) -> Completions:
    """Offer grenades whose fuse burns, zones that last, and the launchers of whoever acts."""
    return [*containing(current, dict.fromkeys(await at.desk.database.read(_items, *_asked(at))))]


async def _complete_fighters(at: Completion, current: str) -> Completions:
    """Complete the last of several fighters."""
    return completing_last(current, await at.desk.database.read(_fighters, *_asked(at)))


ItemName = Annotated[str, Completed(_complete_item)]
Targets = Annotated[str, Completed(_complete_fighters)]


def _asked(at: Completion) -> tuple[Library, Person, list[int], str | None]:
    return at.desk.resolver.library, at.person, channels(at.interaction), at.typed("character") or None


def _items(tx: Connection, library: Library, by: Person, where: list[int], named: str | None) -> list[str]:
    who = acting(tx, library, by, where, named)
    arms = [arm.name for arm in weapons_of(who) if weapon_named(who.book, arm.token).type.explosive]
    if who.seen is None:
        return arms
    fight, viewer = who.seen.fight, who.viewer
    burning = [item.charge.item for item in read_fuses(tx, viewer.campaign, fight, viewer).values()]
    return [*burning, *(item.charge.item for item in read_zones(tx, viewer, fight).values()), *arms]


def _fighters(tx: Connection, library: Library, by: Person, where: list[int], named: str | None) -> list[str]:
    seen = acting(tx, library, by, where, named).seen
    roster = [] if seen is None else seen.shown.roster
    return label_each(roster)
