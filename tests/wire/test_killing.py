"""A bot that is killed while it resolves orders goes on where it stopped; with `--times 11` it is killed at every step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.killing import POINTS, rounds


@pytest.mark.slow
async def test_a_killed_resolution_goes_on_where_it_stopped(tmp_path: Path, times: int) -> None:
    """Killed before a commit and after one: each order is resolved once, each post is sent once, and one digest tells all.

    Without a process of its own, `tests/orders/test_at_once.py` claims that of a bot that fails between two steps.
    """
    points = [POINTS[7 * number % len(POINTS)] for number in range(1, 2 * times + 1)]
    assert await rounds(tmp_path, points) == len(points)
