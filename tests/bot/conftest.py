"""A running bot with a campaign, for tests that act as people do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.world import World, running


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A running bot with the campaign Iron Sea."""
    async with running(tmp_path / "adjutant.db") as made:
        yield made
