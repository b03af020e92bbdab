"""The desk of the week beside rolls that were amended."""

from __future__ import annotations

from tests.cogs.ledger import test_amend as amend
from tests.cogs.update.test_desk import desk, roll
from tests.support.acting import close_update
from tests.support.reading import text
from tests.support.world import World


async def test_an_amended_roll_of_before_hides_no_result(world: World) -> None:
    """An amendment is of the update in which its dice fell: what this one left unpublished is offered all the same."""
    await roll(world, "scout", 17, scouter="Owl", base="Fort Anvil")
    await close_update(world)
    await roll(world, "scout", 17, scouter="Owl", base="Luna")
    card = await amend.opened(world, 3)
    await amend.adjusted(world.gm, card, "1", "a moonless night")
    await amend.amended(world.gm, card)
    assert "Luna" in text(await desk(world)).partition("**Unpublished results:**\n")[2]
