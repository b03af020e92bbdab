"""Attacks in a fight, as people make them: HP, what weapons owe, and what follows of a hit."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, Ring, told

RIFLE, CLUB = "Rifle = M_s_Rifle + Scope accuracy 5", "L_b_Club"


async def armed(ring: Ring) -> None:
    """Give Kai and Char HP and weapons, and begin a fight in which Kai, who defends, has the first turn."""
    for name, fields in ((KAI, f"hp: 30; weapons: {RIFLE}, M_a_Rifle"), (CHAR, f"hp: 20; weapons: {CLUB}")):
        await ring.gm.slash(ring.world.orders, "character edit", name=name, fields=fields)
    await ring.begun()


async def roe(ring: Ring, command: str, actor: object = None, **options: object) -> str:
    """All that a command of `/roe` is answered with; the game master uses it unless said otherwise."""
    return told(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))  # type: ignore[attr-defined] # an actor


@pytest.mark.asyncio
async def test_a_hit_takes_hp_and_the_action(ring: Ring) -> None:
    """A shot that hits takes HP, is told where the fight is, and takes the Action of the turn; the next one is refused."""
    await armed(ring)
    ring.world.dice.script_dice((100, 80), (100, 20), (20, 12))
    answer = await roe(ring, "attack", ring.player, target=CHAR, roll="now")
    assert "Hit: 12 damage" in answer
    assert "20 less 12 = 8" in ring.posted()
    assert "0 Actions" in await roe(ring, "attack", ring.player, target=CHAR, roll="now")
    assert await ring.sound()
