"""A battle to fight in."""

from __future__ import annotations

import pytest_asyncio

from tests.cogs.war.battle.field import Field, opened
from tests.support.world import World


@pytest_asyncio.fixture
async def field(world: World) -> Field:
    """A battle in the Federation's turn."""
    return await opened(world)
