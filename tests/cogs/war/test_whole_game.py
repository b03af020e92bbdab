"""Whole wars through the bot, checked after each turn."""

from __future__ import annotations

import pytest

from tests.cogs.war.campaigning import WAYS, play
from tests.cogs.war.front import example
from tests.cogs.war.interrupting import PHASES
from tests.support.world import World

SLOW = [pytest.mark.no_cover, pytest.mark.slow]


@pytest.mark.parametrize(
    ("way", "ambition", "turns"), [*((way, 0, 1) for way in WAYS), pytest.param("at-once", 0.8, 3, marks=SLOW)]
)
async def test_a_war_of_random_orders_stays_sound(
    world: World, times: int, way: str, ambition: float, turns: int
) -> None:
    """Sealed, in fog or at once, with restarts."""
    done = (await play(world, 1 if ambition else 0, turns * times, WAYS[way](example()), ambition)).done
    assert done["turns"] == turns * times or done["won"]
    assert done["Move a force"] > 2 * turns


@pytest.mark.no_cover
@pytest.mark.slow  # in the fast tier: test_a_capitol_that_falls_on_its_board_ends_the_war
async def test_a_war_of_ambitions_is_won_and_stays_sound(world: World) -> None:
    """With a rogue faction, and another war after it."""
    war = await play(world, 1, 12, ambition=0.9)
    assert war.done["won"] == 1
    assert war.done["founded"] > 0
    await war.again()
    await war.turn()
    assert (await war.front.stands()).turn == 2


@pytest.mark.no_cover
@pytest.mark.slow  # in the fast tier: one turn of each way above
@pytest.mark.parametrize("way", ["shipped", "fog"])
async def test_a_long_war_of_four_players_stays_sound(world: World, times: int, way: str) -> None:
    """With a restart in each phase; fog keeps its secrets."""
    turns = 8 * times
    war = await play(world, 3, turns, WAYS[way](example()), ambition=0.9, lasts=True)
    done = war.done
    assert (done["turns"], done["won"]) == (turns, 0)
    assert min(done[what] for what in ("founded", "dissolved", "fallen", "answered")) > 0
    assert done["Move a force"] > 2 * turns
    assert war.interrupted == PHASES
    assert min(done[name] for name in war.members) > turns
    assert min(done[what] for what in ("shoot", "melee", "act", "withdraw", "retreat", "restart")) > 0
    assert (war.secrecy is None) == (way == "shipped")
    assert war.secrecy is None or war.secrecy.answers > 60 * turns
