"""Completions of battles can be typed as shown."""

from __future__ import annotations

from tests.cogs.battles.battlefield import check, ford
from tests.support.completing import read_every_choice
from tests.support.world import World


async def test_every_shown_text_means_its_value(world: World) -> None:
    """In each option of the command tree."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, (1, 2), (100, 3))
    found = await read_every_choice(world, world.gm, {"how": "cancel"})
    assert found.misread == []
    assert "/gm-events use event" in found.decorated
