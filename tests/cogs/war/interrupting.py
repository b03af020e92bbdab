"""A bot that stops after one committed, unposted entry of a phase."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection

from bot.core.campaigns import open_campaign, require_on_server
from bot.core.permissions import Person
from bot.orders import board, resolution
from bot.orders.resolution import Progress
from bot.rolls.resolver import Resolver
from rules.orders import Phase, Task
from tests.outbox.test_posts import wait
from tests.support import resolving
from tests.support.world import BOOKS, World

PHASES = {phase.label for phase in BOOKS["total_war"].entries_of(Phase).values()}
"""The labels of a turn's phases."""
FIGHTS = next(phase.label for phase in BOOKS["total_war"].entries_of(Phase).values() if not phase.takes)
"""The phase of battles."""


async def interrupted(world: World, known: Collection[str]) -> set[str]:
    """Resolve up to an unknown phase's first entry and restart; return the phase, if any."""
    bot = world.bots[-1]
    staff = board.staff_of(bot.resolver, await bot.database.read(require_on_server, world.gm.guild.id, 1))
    wanted = await bot.database.read(_due, bot.resolver, staff, known)
    if wanted is None:
        return set()
    while (made := await bot.database.write(resolving.step, bot.resolver, staff, 1, Progress())) is not None:
        if made.entry is not None and made.entry.content()["phase"] == wanted:
            break
    await world.restart()
    await wait(world, minutes=5)
    return set() if made is None else {wanted}


def _due(tx: Connection, resolver: Resolver, staff: Person, known: Collection[str]) -> str | None:
    work = resolution.ResolvingWork(tx, resolver, staff, open_campaign(tx, 1, lock=False))
    due = (item.phase.label for item in resolution.phases(work) if any(isinstance(one, Task) for one in item.outcomes))
    return next((phase for phase in due if phase not in known), None)
