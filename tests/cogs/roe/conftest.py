"""A ring to fight in."""

from __future__ import annotations

import pytest_asyncio

from tests.cogs.roe.fights.ring import Ring, opened
from tests.support.world import World


@pytest_asyncio.fixture
async def ring(world: World) -> Ring:
    """A campaign that plays RoE, with two players and a game master."""
    return await opened(world)
