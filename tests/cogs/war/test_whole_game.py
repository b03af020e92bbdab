"""A whole war through the bot: sealed orders of four players, battles act by act, restarts; sound after every turn."""

from __future__ import annotations

import pytest

from tests.cogs.war.campaigning import WAYS, play
from tests.cogs.war.front import at_once, example
from tests.cogs.war.interrupting import PHASES
from tests.support.world import World


@pytest.mark.slow
async def test_a_war_of_random_orders_stays_sound(world: World) -> None:
    """Units, gold, panels and forces add up after every turn, each order came to one thing, and the ledger is whole, wherever the bot was started anew."""
    done = (await play(world, 0, 5)).done
    assert done["turns"] == 5
    assert done["Move a force"] > 10
    assert min(done[what] for what in ("restart", "withdraw", "retreat", "act")) > 0


@pytest.mark.no_cover
@pytest.mark.slow
async def test_a_war_of_ambitions_is_won_and_stays_sound(world: World) -> None:
    """Somebody goes rogue and founds a faction, a capitol falls and the war is over: all adds up after every turn till then, and in the next war of the same players."""
    war = await play(world, 1, 12, ambition=0.9)
    assert war.done["won"] == 1
    assert war.done["founded"] > 0
    await war.again()
    await war.turn()
    assert (await war.front.stands()).turn == 2


@pytest.mark.slow
async def test_a_war_of_orders_at_once_stays_sound(world: World) -> None:
    """Battles that begin while others still order leave no order in two states and no force where none can be."""
    done = (await play(world, 1, 3, at_once(example()), ambition=0.8)).done
    assert done["turns"] == 3


@pytest.mark.no_cover
@pytest.mark.slow
@pytest.mark.parametrize("way", ["shipped", "fog"])
async def test_thirty_turns_of_four_players_stay_sound(world: World, way: str) -> None:
    """A rogue faction is founded and dissolved, a capitol falls and the war goes on, and the bot is gone once in each phase and in the middle of a battle: after every turn all adds up, and in fog no answer, map or post tells of what its reader has not seen."""
    war = await play(world, 0, 30, WAYS[way](example()), ambition=0.7, lasts=True)
    done = war.done
    assert (done["turns"], done["won"]) == (30, 0)
    assert min(done[what] for what in ("founded", "dissolved", "fallen", "answered")) > 0
    assert war.interrupted == PHASES
    assert min(done[name] for name in war.members) > 20
    assert min(done[what] for what in ("shoot", "melee", "withdraw", "retreat", "restart")) > 0
    assert (war.secrecy is None) == (way == "shipped")
    assert war.secrecy is None or war.secrecy.answers > 1000
