"""Sneak attacks with a launcher: they count for a direct hit alone (lines 359, 362)."""

from __future__ import annotations

import re

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_acts import act, effects
from tests.cogs.roe.test_blasts import armed, blast, not_blast, rounds

AT = {"item": "Bazooka", "use": "sneak", "targets": GUARD, "roll": "now"}


@pytest.mark.parametrize(
    ("spots", "damage"), [(59, (18, 9)), pytest.param(60, (9, 9), marks=pytest.mark.slow)], ids=["unseen", "seen"]
)
async def test_who_is_hit_directly_and_unseen_takes_double(ring: Ring, spots: int, damage: tuple[int, int]) -> None:
    """C22.8: it takes a target and a set-up before; unseen, the one aimed at takes the dice twice, the other one once; seen, it is an ordinary launch (A52). The card has the mean of both ways."""
    await armed(ring)
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
