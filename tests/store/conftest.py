"""A house on either kind of database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.store.house import KINDS, House, fresh_url, opened
from tests.store.shop import Shop, open_shop


@pytest.fixture(params=KINDS)
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    """The bot below its panels, with the campaign Iron Sea."""
    async with fresh_url(request.param, tmp_path) as url, opened(url) as made:
        yield made


@pytest.fixture
def shop(house: House) -> Shop:
    """A scheduler with two fake deeds."""
    return open_shop(house, house.database)
