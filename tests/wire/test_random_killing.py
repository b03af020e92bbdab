"""A bot that is killed at any moment loses nothing and doubles nothing; `--times` kills it as often as you like."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.random_killing import require_once, rounds


@pytest.mark.slow
async def test_a_bot_that_is_killed_while_people_roll(tmp_path: Path, times: int) -> None:
    """Every roll that was told is in the ledger, every roll in the ledger is posted once, and the chain verifies."""
    told, entered = await rounds(tmp_path, 2 * times, seed=1)
    assert 0 < told <= entered


@pytest.mark.parametrize(
    ("told", "posted"),
    [([1, 1], [1, 2]), ([3], [1, 2]), ([1], [1, 2, 2]), ([1], [1])],
    ids=["told", "lost", "twice", "unsent"],
)
def test_what_is_lost_or_doubled_is_found(told: list[int], posted: list[int]) -> None:
    """A roll told twice, told but not entered, posted twice, or never posted."""
    with pytest.raises(AssertionError):
        require_once(told, [1, 2], posted)
