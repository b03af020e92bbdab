"""Games that nobody wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cogs.house_rules.random_games import play_games
from tests.support.world import running


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 10_000])
async def test_random_games_are_played_without_a_crash(tmp_path: Path, first: int) -> None:
    """Their rolls, orders, closing and undos work, and the ledger proves their results."""
    async with running(f"sqlite:///{tmp_path / 'games.db'}", drawn=True) as world:
        found = await play_games(world, first, 25)
    assert found["played"] >= 23, found
