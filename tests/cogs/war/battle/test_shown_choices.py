"""What completions show in a battle of a war is what they take."""

from __future__ import annotations

from tests.cogs.war.battle.field import Field
from tests.support.completing import read_every_choice


async def test_every_shown_text_means_its_value(field: Field) -> None:
    """Each option of the command tree takes what its completions show as their values: units with tiles, battles with turns."""
    filled = {"unit": "u12", "target": "u22", "kind": "move", "who": "11th Squadron"}
    found = await read_every_choice(field.world, field.ann, filled)
    assert found.misread == []
    assert {"/battle act unit", "/battle act attack", "/battle show battle"} <= found.decorated
