"""A campaign that plays Infinity."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.world import World, running


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """A running bot whose campaign plays Infinity and pings players."""
    async with running(database_url) as made:
        await made.gm.slash(made.orders, "gm settings", books="campaign, infinity", pings="players")
        yield made
