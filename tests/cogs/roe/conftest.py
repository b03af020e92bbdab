"""A ring to fight in."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.cogs.roe.fights.ring import Ring, opened
from tests.support.world import World


@pytest_asyncio.fixture
async def ring(world: World) -> AsyncIterator[Ring]:
    """A campaign that plays RoE, with two players and a game master; whatever they do, it has to add up at the end."""
    made = await opened(world)
    yield made
    assert await made.sound()
