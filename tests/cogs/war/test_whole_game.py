"""A whole war through the bot: sealed orders of four players, battles act by act, restarts; sound after every turn."""

from __future__ import annotations

import pytest

from tests.cogs.war.campaigning import play
from tests.support.world import World


@pytest.mark.long
async def test_a_war_of_random_orders_stays_sound(world: World) -> None:
    """Units, gold, panels and forces add up after every turn, each order came to one thing, and the ledger is whole, wherever the bot was started anew."""
    done = await play(world, 0, 6)
    assert done["turns"] == 6
    assert done["Move a force"] > 10
    assert min(done[what] for what in ("restart", "withdraw", "retreat", "act")) > 0
