"""Looking at something again, as a button does: it waits for nobody who writes in the same campaign."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import Connection

from bot.cogs.house_rules import service as house_rules
from bot.cogs.roster import embed as roster
from bot.core import campaigns
from tests.cogs.house_rules.homebrew import prepared, table
from tests.cogs.roster.saving import add
from tests.support.backend import GM, House

PATIENCE = 60


@asynccontextmanager
async def locked(house: House) -> AsyncIterator[None]:
    """A time in which a writer holds the campaign's row, and nobody waits for it for long."""
    reached, over = threading.Event(), threading.Event()

    def hold(tx: Connection) -> None:
        campaigns.get_campaign(tx, house.campaign.id, lock=True)
        reached.set()
        assert over.wait(2 * PATIENCE)

    writing = asyncio.create_task(house.database.write(hold))
    try:
        assert await asyncio.to_thread(reached.wait, PATIENCE)
        async with asyncio.timeout(PATIENCE):
            yield
    finally:
        over.set()
        await writing


async def test_a_saved_unit_is_looked_at_while_somebody_writes(house: House) -> None:
    """The card of a unit is drawn anew though a writer has locked its campaign."""
    saved = await add(house, "White Base", "base")
    async with locked(house):
        seen = await house.database.read(roster.look_at_profile, house.kernel, GM, house.campaign.id, saved.profile.id)
    assert seen.profile == saved.profile


async def test_a_waiting_file_is_looked_at_while_somebody_writes(house: House) -> None:
    """The preview of a file that is not on yet is drawn anew though a writer has locked its campaign."""
    shown = await prepared(house, "loot", table())
    async with locked(house):
        seen = await house_rules.look(house.kernel, GM, shown)
    assert (seen.file.name, seen.file.on) == ("loot", True)
