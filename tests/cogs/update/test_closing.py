"""The question before an update closes."""

from __future__ import annotations

from typing import Any

import simcord

from tests.cogs.update.test_desk import captives, desk, key, roll
from tests.support.acting import close_update, opened
from tests.support.reading import newest, press, response, text
from tests.support.world import World

BULLET = "\N{BULLET}"
OPEN = "**Stays open:**\n"


async def question(world: World, actor: simcord.MemberActor | None = None) -> Any:  # noqa: ANN401 - a response
    """Ask to close the update."""
    return response(await (actor or world.gm).slash(world.orders, "gm close"))


async def test_an_ordered_escape_that_nobody_rolls_stands_in_the_next_update(world: World) -> None:
    """The question and the staff count it; the desk keeps it."""
    await captives(world, "Amuro", "Kai")
    await world.player.slash(world.orders, "escape", captive="Kai")
    asked = await question(world)
    assert f"{BULLET} 1 open order, moving to the next update: Kai" in text(asked)
    await world.gm.click(asked, custom_id=press(asked, "close"))
    assert "Kai" not in text(newest(world.results))
    assert "1 open order moved to Update 2" in text(newest(world.staff))
    assert "escape ordered" in text(await desk(world))


async def test_an_escape_that_was_rolled_does_not_end(world: World) -> None:
    """The question leaves it out."""
    await captives(world, "Kai")
    await world.player.slash(world.orders, "escape", captive="Kai")
    await roll(world, "escape", 10)
    assert "Kai" not in text(await question(world))


async def test_what_is_still_to_be_done_is_told_in_a_line_for_each_kind(world: World) -> None:
    """With a count and the first by name, as on the desk."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    for number in range(4):
        await roll(world, "scout", 17, scouter="Owl", base=f"Fort {number}")
    await roll(world, "patrol", 20, patrol="Kilo", target="Zaku column")
    await opened(world, patrol="*Lima*", target="Gouf")
    await world.gm.slash(world.orders, "infinity versus", mine=13, opponent=world.player, my_name="Angus")
    shown = await desk(world)
    from_desk = response(await world.gm.click(shown, custom_id=key(shown, "Close Update 1")))
    for asked in (await question(world), from_desk):
        told = text(asked).partition(OPEN)[2].split("\n")
        assert sorted(told[:5]) == [
            f"{BULLET} 1 open card: patrol \\*Lima\\*. If you roll later, it counts in the next update",
            f"{BULLET} 1 open challenge: Angus",
            f"{BULLET} 1 unclaimed write-up: #8",
            f"{BULLET} 1 undecided battle that a move waits for: Zaku column",
            f"{BULLET} 4 unpublished results: #7, #6, #5 ...",
        ]


async def test_with_nothing_to_do_the_question_is_short(world: World) -> None:
    """Due weather is offered after closing."""
    assert "Still open" not in text(await question(world))
    await close_update(world)
