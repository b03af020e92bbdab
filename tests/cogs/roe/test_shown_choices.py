"""What completions show in a fight is what they take."""

from __future__ import annotations

from tests.cogs.roe.attacking import CLUB, start_fight
from tests.cogs.roe.fights.ring import CHAR, Ring
from tests.support.completing import read_every_choice


async def test_every_shown_text_means_its_value(ring: Ring) -> None:
    """Each option takes its completions' text as their value."""
    await start_fight(ring, kai=f"weapons: Gun = M_a_Rifle, Stick = {CLUB}")
    found = await read_every_choice(ring.world, ring.player, {"what": "Take cover", "target": CHAR, "how": "treat"})
    assert found.misread == []
    assert {"/roe attack weapon", "/roe act what", "/roe attack modifiers"} <= found.decorated
