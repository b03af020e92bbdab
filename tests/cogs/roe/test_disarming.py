"""Disarming a cooked grenade and a vehicle's gun."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.cogs.roe.test_acts import act, marks
from tests.cogs.roe.test_blasts import FRAG, arm_everyone, blast, list_kept, rounds
from tests.cogs.roe.test_struggles import roll_act
from tests.cogs.roe.test_vehicles import TANK, end_turns, park_vehicles


async def test_a_cooked_grenade_that_is_struck_away_burns_on_where_it_lands(ring: Ring) -> None:
    """C24.4: it explodes in the same round, away from the hand."""
    await arm_everyone(ring)
    await blast(ring, ring.player, item="Frag", use="cook", damage=FRAG)
    await ring.end_turn(ring.player)
    posted = await roll_act(ring, "Disarm", (100, 60), (100, 20), actor=ring.rival, target=KAI, value="frag")
    assert "Frag lands 5 m away. It explodes at the end of its user's turn in round 2" in posted
    assert [item["held"] for item in list_kept(ring, "fuse.")] == [False]
    assert not [mark for mark in await marks(ring, KAI) if mark.startswith("dropped.")]
    await rounds(ring, ring.rival, ring.gm)
    ring.world.dice.script_dice((100, 60), (100, 20), (10, 4), (10, 3))
    said = await blast(ring, ring.player, item="Frag", use="explode", targets=CHAR, roll="now")
    assert "grenade: 12 damage" in said
    assert "30 less" not in ring.read_newest()
    assert list_kept(ring, "fuse.") == []


@pytest.mark.slow
async def test_a_built_in_weapon_is_blocked_until_an_action(ring: Ring) -> None:
    """C24.6: a tank's launcher stays, but owes an Action of reloading."""
    await park_vehicles(ring)
    await act(ring, "mount", target=TANK)
    await end_turns(ring, ring.player)
    posted = await roll_act(ring, "Disarm", (100, 60), (100, 20), actor=ring.rival, target=KAI, value="H_s_Launcher")
    assert "Launcher is blocked until it is reloaded" in posted
    there = await marks(ring, KAI)
    assert (there["drawn.h-s-launcher"], there["reload.h-s-launcher"]) == (1, 1)
    await end_turns(ring, ring.rival, ring.gm)
    await act(ring, "Reload", value="H_s_Launcher")
    assert "Launcher: ready" in ring.read_newest()
