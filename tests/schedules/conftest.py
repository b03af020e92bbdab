"""Schedules on both databases."""

from __future__ import annotations

import pytest

from tests.schedules.shop import Shop, open_shop
from tests.support.backend import House


@pytest.fixture
def shop(house: House) -> Shop:
    """Schedules of two fake jobs."""
    return open_shop(house, house.database)
