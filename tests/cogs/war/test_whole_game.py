"""A whole war through the bot: sealed orders of four players, battles act by act, restarts; sound after every turn."""

from __future__ import annotations

import pytest

from tests.cogs.war.campaigning import play
from tests.cogs.war.front import at_once, example, in_fog
from tests.support.world import World


@pytest.mark.long
async def test_a_war_of_random_orders_stays_sound(world: World) -> None:
    """Units, gold, panels and forces add up after every turn, each order came to one thing, and the ledger is whole, wherever the bot was started anew."""
    done = await play(world, 0, 5)
    assert done["turns"] == 5
    assert done["Move a force"] > 10
    assert min(done[what] for what in ("restart", "withdraw", "retreat", "act")) > 0


@pytest.mark.long
async def test_a_war_in_fog_stays_sound(world: World) -> None:
    """What nobody has seen and orders have met leaves no order in two states and no force where none can be."""
    done = await play(world, 3, 3, in_fog(example()))
    assert done["turns"] == 3


@pytest.mark.long
async def test_a_war_of_ambitions_is_won_and_stays_sound(world: World) -> None:
    """Somebody goes rogue and founds a faction, a capitol falls and the war is over: all adds up after every turn till then."""
    done = await play(world, 7, 12, ambition=0.9)
    assert done["won"] == 1
    assert done["founded"] == 1


@pytest.mark.long
async def test_a_war_of_orders_at_once_stays_sound(world: World) -> None:
    """Battles that begin while others still order leave no order in two states and no force where none can be."""
    done = await play(world, 1, 3, at_once(example()), ambition=0.8)
    assert done["turns"] == 3
