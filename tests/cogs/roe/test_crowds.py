"""Fights of as many as can stand in one, with the longest names: all of it fits into Discord's limits."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import Ring, told
from tests.rolls.pending.test_answers import key, labels

NAMES = [f"{'*_' * 29}{place:02d}" for place in range(25)]


@pytest.mark.slow
async def test_all_of_a_crowd_is_shown_and_asked(ring: Ring) -> None:
    """What all have to agree to fits below the order, and the window of a grenade has the names of all whom it catches."""
    for name in NAMES:
        await ring.gm.slash(ring.world.orders, "character add", name=name, owner=ring.rival, fields="hp: 30")
    await ring.begun(", ".join(NAMES[:12]))
    for name in NAMES[12:]:
        await ring.use("join", character=name)
    await ring.use("mode")
    shown = await ring.shown()
    assert "Waiting for 25 fighters." in shown
    assert len(shown) < 4000
    grenade = {"item": "Frag", "use": "cook", "damage": "2d10", "targets": ", ".join(NAMES)}
    assert "Done" in told(await ring.gm.slash(ring.world.orders, "roe blast", **grenade))
    for _ in NAMES[:12]:
        await ring.ended(ring.gm)
    message = [message for message in ring.world.orders.history() if "Explode: Frag" in labels(message)][-1]
    window = await ring.gm.click(message, custom_id=key(message, "Explode: Frag"))
    assert all(name in str(window.modal) for name in NAMES)
