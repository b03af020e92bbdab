from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest_asyncio

from bot.kernel import Feature
from rules.ruleset import RuleSet
from tests.rules.toybook import TOY
from tests.support.backend import House, opened
from tests.support.template import fresh_url
from tests.support.toyscene import FEATURE, Table
from tests.support.world import BOOKS


@asynccontextmanager
async def playing(folder: Path, more: Sequence[Feature] = (), toy: RuleSet = TOY) -> AsyncIterator[House]:
    """Open a house that plays a toy book."""
    with fresh_url("sqlite", folder) as url:
        async with opened(url, books={**BOOKS, "toy": toy}, more=more) as house:
            house.campaign = await house.edit({"books": "campaign, toy"})
            yield house


@pytest_asyncio.fixture(name="toys")
async def toys_fixture(tmp_path: Path) -> AsyncIterator[House]:
    """Open a house that plays the toy book too."""
    async with playing(tmp_path) as house:
        yield house


@pytest_asyncio.fixture(name="table")
async def table_fixture(tmp_path: Path) -> AsyncIterator[Table]:
    """Open one in which scenes are played."""
    async with playing(tmp_path, [FEATURE]) as house:
        yield Table(house)
