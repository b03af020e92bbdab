"""Debuffs that the page names without saying what they do: set by hand or by an explosive, for turns that options change."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_acts import effects
from tests.cogs.roe.test_blasts import armed, blast, kept


def left(ring: Ring, effect: str) -> list[int]:
    """For how many more turns an effect holds on those who have it."""
    return [value["turns"]["left"] for value in kept(ring, f"effect.{effect}")]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("does", "option", "turns"),
    [
        ("debuff", "Earth Adapted", [1]),
        ("debuff", "Hyperactivity", [2]),
        ("debuff", "Fully Artificial", [1]),
        ("cybernetic debuff", "Fully Artificial", [2]),
        ("EMP debuff", "Earth Adapted", [1]),
        ("EMP debuff", "Environmental Suit", []),
    ],
)
async def test_an_explosive_debuffs_for_turns_that_options_change(
    ring: Ring, does: str, option: str, turns: list[int]
) -> None:
    """C27.6: an option adds a turn to all debuffs or to cybernetic ones, and one takes a turn off EMP."""
    await armed(ring)
    await ring.gm.slash(ring.world.orders, "character edit", name=CHAR, fields=f"option: {option}")
    ring.world.dice.script_dice((100, 60), (100, 20))
    said = await blast(ring, ring.player, item="Pulse", use="immediate", targets=CHAR, damage=does, roll="now")
    assert "Caught" in said
    named = {"debuff": "debuffed", "cybernetic debuff": "cybernetically-debuffed", "EMP debuff": "under-emp"}
    assert left(ring, named[does]) == turns
    assert await ring.sound()


@pytest.mark.asyncio
async def test_a_debuff_is_set_by_hand_and_ends_with_its_turns(ring: Ring) -> None:
    """A game master sets one for as many turns as its item says; it is over after those of whoever bears it."""
    await armed(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Under EMP", turns=1)
    assert await effects(ring, CHAR) == {"under-emp"}
    await ring.ended(ring.player)
    assert await effects(ring, CHAR) == {"under-emp"}
    await ring.ended(ring.rival)
    assert await effects(ring, CHAR) == set()
    assert await ring.sound()


@pytest.mark.asyncio
async def test_a_usable_tech_item_does_more_by_an_option(ring: Ring) -> None:
    """C04.31: whoever has that option adds 5 to the effect of usable tech items, and of nothing else."""
    await armed(ring)
    await ring.gm.slash(ring.world.orders, "character edit", name=KAI, fields="option: Curious Mind")
    fell = ((100, 60), (100, 20), (10, 4))
    ring.world.dice.script_dice(*fell)
    typed = {"item": "Charge", "use": "immediate", "targets": GUARD, "damage": "d10", "roll": "now"}
    assert "Caught: 4 damage" in await blast(ring, ring.player, **typed)
    await ring.ended(ring.player)
    await ring.ended(ring.rival)
    await ring.ended(ring.gm)
    ring.world.dice.script_dice(*fell)
    said = await blast(ring, ring.player, **typed, modifiers="is by a usable tech item")
    assert "Caught: 9 damage" in said
    assert await ring.sound()
