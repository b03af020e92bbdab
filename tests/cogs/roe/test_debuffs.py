"""Debuffs the page only names: set by hand or by explosives."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import effects
from tests.cogs.roe.fights.ring import CHAR, Ring
from tests.cogs.roe.test_blasts import arm_everyone, blast, rounds


@pytest.mark.slow
async def test_an_explosive_debuffs_for_turns_that_options_change(ring: Ring) -> None:
    """C27.6: options add a turn, or take one off EMP; it ends with the bearer's turns."""
    await arm_everyone(ring)
    for does, option, turns in (
        ("cybernetic debuff", "Fully Artificial", {"cybernetically-debuffed": 2}),
        ("debuff", "Hyperactivity", {"debuffed": 2, "cybernetically-debuffed": 1}),
        ("EMP debuff", "Environmental Suit", {"debuffed": 1}),
        ("EMP debuff", "Earth Adapted", {"under-emp": 1}),
        ("debuff", "Fully Artificial", {"debuffed": 1}),
    ):
        await ring.save({CHAR: f"option: {option}"})
        ring.world.dice.script_dice((100, 60), (100, 20))
        said = await blast(ring, ring.player, item="Pulse", use="immediate", targets=CHAR, damage=does, roll="now")
        assert "caught in" in said
        assert effects(ring, CHAR) == turns
        await rounds(ring, ring.player, ring.rival, ring.gm)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Under EMP", turns=1)
    await ring.end_turn(ring.player)
    assert effects(ring, CHAR) == {"under-emp": 1}
    await ring.end_turn(ring.rival)
    assert effects(ring, CHAR) == {}
