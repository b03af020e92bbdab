"""Sneak attacks with a launcher need a direct hit (lines 359, 362)."""

from __future__ import annotations

import re

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_acts import act, effects
from tests.cogs.roe.test_blasts import arm_everyone, blast, not_blast, rounds

AT = {"item": "Bazooka", "use": "sneak", "targets": GUARD, "roll": "now"}


@pytest.mark.parametrize(
    ("spots", "damage"), [(59, (18, 9)), pytest.param(60, (9, 9), marks=pytest.mark.slow)], ids=["unseen", "seen"]
)
async def test_who_is_hit_directly_and_unseen_takes_double(ring: Ring, spots: int, damage: tuple[int, int]) -> None:
    """C22.8: after a set-up, only the aimed target takes double; seen, no one does (A52)."""
    await arm_everyone(ring)
    assert "setting up before" in await not_blast(ring, ring.player, primary=CHAR, **AT)
    assert "needs a direct hit" in await not_blast(ring, ring.player, **AT)
    await act(ring, "Draw or swap", value="Bazooka")
    await act(ring, "Set up for a sneak attack")
    await rounds(ring, ring.player, ring.rival, ring.gm)
    plain = await blast(ring, ring.player, primary=CHAR, **{**AT, "use": "launch", "roll": "card"})
    unseen = await blast(ring, ring.player, primary=CHAR, **{**AT, "roll": "card"})
    means = [float(card.partition("Mean damage: ")[2].split()[0]) for card in (plain, unseen)]
    assert means[0] < means[1] < 2 * means[0] + 1
    ring.world.dice.script_dice((100, 60), (100, spots), (100, 50), (100, 20), (70, 9), (100, 20))
    said = await blast(ring, ring.player, primary=CHAR, **AT)
    assert tuple(map(int, re.findall(r"(?:explosion|grenade): (\d+) damage", said))) == damage
    assert "set-up" not in await effects(ring, KAI)
    await rounds(ring, ring.player, ring.rival, ring.gm)
    assert "first attack" in await not_blast(ring, ring.player, primary=CHAR, **AT)
