"""What a campaign has made, once for all tests of verifiers."""

from __future__ import annotations

import asyncio

import pytest

from tests.rolls.fairness.making import Made, made


@pytest.fixture(scope="session")
def campaign_made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Files and the audit thread of a campaign."""
    return asyncio.run(made(tmp_path_factory.mktemp("made")))
