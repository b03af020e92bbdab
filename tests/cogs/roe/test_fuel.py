"""A flamer's fuel may explode when its operator goes down (line 272)."""

from __future__ import annotations

import pytest

from tests.cogs.roe.attacking import count_lost, hit, roe, start_fight
from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring
from tests.cogs.roe.test_blasts import list_kept
from tests.support.reading import refused, response, text

WHO = f"{KAI}, {CHAR}, {GUARD}"
FLAMER = "hp: 9; weapons: L_a_ChemThrower"
ARMED = "weapons: M_s_Rifle; explosive-damage: 9"


@pytest.mark.parametrize("face", [25, pytest.param(26, marks=pytest.mark.slow)])
async def test_those_beside_an_operator_who_goes_down_dodge_the_fuel(ring: Ring, face: int) -> None:
    """C12.5: by 25 or less it explodes with the attacker's turn, without modifiers."""
    await start_fight(ring, WHO, kai=ARMED, char=FLAMER)
    dice = [(100, 60), (100, 20), (20, 9), (100, face), *([(50, 27)] if face <= 25 else [])]
    down = await hit(ring, CHAR, *dice, weapon="M_s_Rifle", actor=ring.player)
    if face > 25:
        assert "No explosion" in down
    else:
        assert "27 explosive damage to everyone within 5 m across who fails to dodge" in down
        card = text(response(await ring.use("turn", ring.player)))
        assert f"**Fuel of {CHAR}**: explodes at the end of {KAI}'s turn\n" in card + "\n"
        assert "explodes at the end of this turn" in refused(await ring.click("turn", ring.player))
        ring.world.dice.script_dice((100, 50), (100, 49), (100, 51))
        typed = {"item": f"Fuel of {CHAR}", "use": "explode", "targets": f"{GUARD}, {KAI}", "roll": "now"}
        assert "grenade: 27 damage" in await roe(ring, "blast", ring.player, **typed)
        assert (count_lost(ring, GUARD), count_lost(ring, KAI)) == (27, 0)
    assert list_kept(ring, "fuse.") == []
    assert "Done" in await ring.end_turn(ring.player)
