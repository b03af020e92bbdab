"""Disarming whoever holds no plain weapon: a grenade that is cooked, and a gun that is built into a vehicle."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.cogs.roe.test_acts import act, marks
from tests.cogs.roe.test_blasts import FRAG, armed, blast, kept, rounds
from tests.cogs.roe.test_struggles import rolled
from tests.cogs.roe.test_vehicles import TANK, ended, parked


async def test_a_cooked_grenade_that_is_struck_away_burns_on_where_it_lands(ring: Ring) -> None:
    """C24.4: it leaves the hand with its fuse, explodes in the same round, and no more on whoever held it."""
    await armed(ring)
    await blast(ring, ring.player, item="Frag", use="cook", damage=FRAG)
    await ring.ended(ring.player)
    posted = await rolled(ring, "Disarm", (100, 60), (100, 20), actor=ring.rival, target=KAI, value="frag")
    assert "Frag lands 5 m away. It explodes at the end of its user's turn in round 2" in posted
    assert [item["held"] for item in kept(ring, "fuse.")] == [False]
    assert not [mark for mark in await marks(ring, KAI) if mark.startswith("dropped.")]
    await rounds(ring, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 60), (100, 20), (10, 4), (10, 3))
    said = await blast(ring, ring.player, item="Frag", use="explode", targets=CHAR, roll="now")
    assert "grenade: 12 damage" in said
    assert "30 less" not in ring.posted()
    assert kept(ring, "fuse.") == []


@pytest.mark.slow
async def test_a_built_in_weapon_is_blocked_until_an_action(ring: Ring) -> None:
    """C24.6: the launcher of a tank is not struck away, but owes an Action of reloading."""
    await parked(ring)
    await act(ring, "mount", target=TANK)
    await ended(ring, ring.player)
    posted = await rolled(ring, "Disarm", (100, 60), (100, 20), actor=ring.rival, target=KAI, value="H_s_Launcher")
    assert "Launcher is blocked until it is reloaded" in posted
    there = await marks(ring, KAI)
    assert (there["drawn.h-s-launcher"], there["reload.h-s-launcher"]) == (1, 1)
    await ended(ring, ring.rival, ring.gm)
    await act(ring, "Reload", value="H_s_Launcher")
    assert "Launcher: ready" in ring.posted()
