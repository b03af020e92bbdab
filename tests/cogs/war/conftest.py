"""A war to order in."""

from __future__ import annotations

import pytest_asyncio

from tests.cogs.war.front import Front, begun
from tests.support.world import World


@pytest_asyncio.fixture
async def front(world: World) -> Front:
    """A war by the shipped scenario."""
    return await begun(world)
