"""Random weeks: no order is lost or two things at once."""

from __future__ import annotations

import pytest

from tests.orders.weeks import play

DEEDS = {
    *("capture", "give", "again", "withdraw", "hold", "refuse", "pass_on", "prefer", "lock", "void", "drop", "tell"),
    *("resolve", "answer", "close", "open_card", "roll_card"),
}
FATES = {"resolved", "lapsed", "withdrawn", "replaced", "taken back"}


@pytest.mark.parametrize("updates", [1, pytest.param(10, marks=[pytest.mark.slow, pytest.mark.no_cover])])
async def test_of_many_updates_no_order_is_lost(database_url: str, times: int, updates: int) -> None:
    """Twelve players, checked after each step."""
    counts = await play(database_url, 2, updates * times)
    assert counts["give"] > updates
    assert updates == 1 or counts.keys() >= DEEDS | FATES
