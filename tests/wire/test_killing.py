"""A bot that is killed while it resolves orders goes on where it stopped; `tests.wire.killing` does it at every step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.wire.killing import rounds


@pytest.mark.slow
async def test_a_killed_resolution_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Killed before a commit, after one and while posts go out: each order is resolved once, each post is sent once, and one digest tells all."""
    assert await rounds(tmp_path, ["3 before", "4 after", "9 after"]) == 3
