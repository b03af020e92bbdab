"""What a campaign has made, once for all tests of verifiers."""

from __future__ import annotations

import asyncio

import pytest

from tests.rolls.fairness.making import File, Made, made, made_by_hand
from tests.rolls.fairness.outside_forging import made_outside


@pytest.fixture(scope="session")
def campaign_made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Files and the audit thread of a campaign."""
    return asyncio.run(made(tmp_path_factory.mktemp("made")))


@pytest.fixture(scope="session")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> list[File]:
    """Files of rolls with typed and with kept faces."""
    return asyncio.run(made_by_hand(tmp_path_factory.mktemp("by_hand")))


@pytest.fixture(scope="session")
def made_with_random_org(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Files and the audit thread of a campaign that asks random.org."""
    return asyncio.run(made_outside(tmp_path_factory.mktemp("outside")))
