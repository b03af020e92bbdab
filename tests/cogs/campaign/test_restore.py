"""Campaigns that are taken back out of the archive."""

from __future__ import annotations

from tests.support.acting import confirmed
from tests.support.reading import refused, said
from tests.support.world import World, create_campaign


async def test_a_campaign_comes_back_to_channels_that_are_free(world: World) -> None:
    """Where another campaign plays in its channels meanwhile, taking it back is refused with the way out."""
    await confirmed(world, "campaign archive", world.manager, campaign="Iron Sea")
    await create_campaign(world, "Red Sea")
    back = {"campaign": "Iron Sea", "restore": True}
    told = refused(await world.manager.slash(world.orders, "campaign archive", **back))
    assert "already belongs to Red Sea, and a channel has one campaign" in told
    await confirmed(world, "campaign archive", world.manager, campaign="Red Sea")
    assert "is restored" in said(await world.manager.slash(world.orders, "campaign archive", **back))
