"""Sheets while a battle is fought: who fights, how many are left, and who has fallen."""

from __future__ import annotations

from tests.cogs.war.battle.field import AT, Field


async def test_a_sheet_tells_who_has_fallen_in_a_battle_that_is_on(field: Field) -> None:
    """The force's, its faction's and the pilot's: how many are left on the board, and that the pilot's unit is destroyed."""
    assert f"in the battle on {AT}: 3 of 3 left" in await field.front.sheet("21st Squadron")
    await field.placed(u12="E6", u22="E8")
    await field.now(field.ann, "u12", (6, 6), target="u22")
    force = await field.front.sheet("21st Squadron")
    assert f"in the battle on {AT}: 2 of 3 left" in force
    (char,) = [line for line in force.splitlines() if "u22" in line]
    assert "destroyed in the battle that is on" in char
    assert force.count("destroyed") == 1
    assert "2 of 3 left" in await field.front.sheet("Zeon")
    assert "destroyed" in await field.front.sheet("Char Aznable")
    assert "in the battle" not in await field.front.sheet("1st Fleet")
