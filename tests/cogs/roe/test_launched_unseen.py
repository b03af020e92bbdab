"""Sneak attacks with a launcher: they count for a direct hit alone (lines 359, 362)."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_acts import act, effects
from tests.cogs.roe.test_blasts import armed, blast, not_blast, rounds

pytestmark = pytest.mark.asyncio
AT = {"item": "Bazooka", "use": "sneak", "targets": GUARD, "roll": "now"}


async def ready(ring: Ring) -> None:
    """Let Kai set up, and come to the turn after."""
    await armed(ring)
    await act(ring, "Draw or swap hand items", value="Bazooka")
    await act(ring, "Set up for a sneak attack")
    await rounds(ring, ring.player, ring.rival, ring.gm)


async def test_who_is_hit_directly_and_unseen_takes_double(ring: Ring) -> None:
    """C22.8: the stealth roll is won, the one aimed at takes the dice twice, the other one in the radius once."""
    await ready(ring)
    ring.world.dice.script_dice((100, 60), (100, 59), (100, 50), (100, 20), (70, 9), (100, 20))
    said = await blast(ring, ring.player, primary=CHAR, **AT)
    assert "Caught: 18 damage" in said
    assert "Caught: 9 damage" in said
    assert "set-up" not in await effects(ring, KAI)
    await rounds(ring, ring.player, ring.rival, ring.gm)
    assert "first attack" in await not_blast(ring, ring.player, primary=CHAR, **AT)
    assert await ring.sound()


async def test_who_is_seen_launches_as_anybody(ring: Ring) -> None:
    """A52: the stealth roll that is lost leaves an ordinary launch."""
    await ready(ring)
    ring.world.dice.script_dice((100, 60), (100, 60), (100, 50), (100, 20), (70, 9), (100, 60))
    assert "Caught: 9 damage" in await blast(ring, ring.player, primary=CHAR, **AT)
    assert await ring.sound()


async def test_it_needs_a_target_and_an_action_before(ring: Ring) -> None:
    """Without either nothing is rolled; the card has the mean of both ways it can go."""
    await armed(ring)
    assert "setting up before" in await not_blast(ring, ring.player, primary=CHAR, **AT)
    assert "direct hit alone" in await not_blast(ring, ring.player, **AT)
    await act(ring, "Draw or swap hand items", value="Bazooka")
    await act(ring, "Set up for a sneak attack")
    await rounds(ring, ring.player, ring.rival, ring.gm)
    plain = await blast(ring, ring.player, primary=CHAR, **{**AT, "use": "launch", "roll": "card"})
    unseen = await blast(ring, ring.player, primary=CHAR, **{**AT, "roll": "card"})
    means = [float(card.partition("Mean damage: ")[2].split()[0]) for card in (plain, unseen)]
    assert means[0] < means[1] < 2 * means[0] + 1
