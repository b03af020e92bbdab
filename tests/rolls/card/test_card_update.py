"""A card that was opened in one update and is rolled in another."""

from __future__ import annotations

from tests.support.acting import close_update, opened
from tests.support.reading import press, said, text
from tests.support.world import World, entry, written


async def test_another_update_is_said_before_the_roll(world: World) -> None:
    """The first press after the update has closed rolls nothing and shows the card anew; the second rolls in the new one."""
    card = await opened(world)
    assert "Update 1" in text(card)
    await close_update(world)
    before = written(world)[0]
    told = said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert "Update 2" in told
    assert "changed" in told
    assert written(world)[0] == before
    world.dice.script(10)
    assert "Rolled: entry" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert entry(world)["update"]["number"] == 2
