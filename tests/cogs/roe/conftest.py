"""A ring to fight in."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.cogs.roe.fights.ring import Ring, open_ring
from tests.support.world import World


@pytest_asyncio.fixture
async def ring(world: World) -> AsyncIterator[Ring]:
    """A campaign that plays RoE; in the end its ledger must add up."""
    made = await open_ring(world)
    yield made
    assert await made.sound()
