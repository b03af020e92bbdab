"""Results of an earlier update on the desk."""

from __future__ import annotations

from tests.cogs.ledger import test_amend as amend
from tests.cogs.update.test_desk import desk, roll
from tests.support.acting import close_update
from tests.support.reading import text
from tests.support.world import World


async def test_an_amended_roll_of_before_hides_no_result(world: World) -> None:
    """The amendment belongs to the roll's update."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    await close_update(world)
    await roll(world, "scout", 17, scouter="Owl", base="Luna")
    card = await amend.open_card(world, 3)
    await amend.adjust(world.gm, card, "1", "a moonless night")
    await amend.press_amend(world.gm, card)
    assert "Luna" in text(await desk(world)).partition("**Unpublished results:**\n")[2]


async def test_what_the_update_before_left_unpublished_is_still_offered(world: World) -> None:
    """For one more update."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    for offered in (True, False):
        await close_update(world)
        assert ("Fort Anvil" in text(await desk(world)).partition("**Unpublished results:**\n")[2]) is offered
