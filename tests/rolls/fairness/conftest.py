from __future__ import annotations

import asyncio

import pytest

from tests.rolls.fairness.making import File, Made, make_by_hand, make_campaign, make_pools
from tests.rolls.fairness.outside_forging import make_outside


@pytest.fixture(scope="session")
def campaign_made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make files and a thread."""
    return asyncio.run(make_campaign(tmp_path_factory.mktemp("made")))


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> list[File]:
    """Make files with typed and kept faces."""
    return asyncio.run(make_by_hand(tmp_path_factory.mktemp("by_hand")))


@pytest.fixture(scope="session")
def made_with_random_org(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make files of a campaign that asks random.org."""
    return asyncio.run(make_outside(tmp_path_factory.mktemp("outside")))


@pytest.fixture(scope="session")
def pools(tmp_path_factory: pytest.TempPathFactory) -> File:
    """Make a file of rolls with pools."""
    return asyncio.run(make_pools(tmp_path_factory.mktemp("pools")))
