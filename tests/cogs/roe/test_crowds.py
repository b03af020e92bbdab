"""The largest fights with the longest names fit Discord's limits."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import Ring, read_answers
from tests.rolls.pending.test_answers import key
from tests.support.reading import labels

NAMES = [f"{'*_' * 29}{place:02d}" for place in range(25)]


@pytest.mark.slow
async def test_all_of_a_crowd_is_shown_and_asked(ring: Ring) -> None:
    """Votes fit below the order, and a grenade's window names all targets."""
    for name in NAMES:
        await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name=name, owner=ring.rival, fields="hp: 30")
    await ring.begin(", ".join(NAMES[:12]))
    for name in NAMES[12:]:
        await ring.use("join", character=name)
    await ring.use("mode")
    shown = await ring.show()
    assert "Waiting for 25 fighters." in shown
    assert len(shown) < 4000
    grenade = {"item": "Frag", "use": "cook", "damage": "2d10", "targets": ", ".join(NAMES)}
    assert "Done" in read_answers(await ring.gm.slash(ring.world.orders, "roe blast", **grenade))
    for _ in NAMES[:12]:
        await ring.end_turn(ring.gm)
    message = [message for message in ring.world.orders.history() if "Explode: Frag" in labels(message)][-1]
    window = await ring.gm.click(message, custom_id=key(message, "Explode: Frag"))
    assert all(name in str(window.modal) for name in NAMES)
