"""A running bot with a campaign, for tests that act as people do."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support import template
from tests.support.backend import KINDS, House, fresh_url, opened
from tests.support.world import World, running


def pytest_collection_finish() -> None:
    """Keep modules and test items, which stay to the end anyway, out of all later garbage collections: each takes 0.3 s."""
    gc.collect()
    gc.freeze()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A running bot with the campaign Iron Sea."""
    async with running(tmp_path / "adjutant.db") as made:
        yield made


@pytest.fixture(params=KINDS)
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    """The bot below its panels, with the campaign Iron Sea, on either kind of database."""
    async with fresh_url(request.param, tmp_path) as url:
        if request.param == "sqlite":
            template.copy_to(tmp_path / "adjutant.db")
        async with opened(url) as made:
            yield made
