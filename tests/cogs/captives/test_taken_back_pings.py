"""Who was pinged by what is taken back hears of that too."""

from __future__ import annotations

from tests.support.reading import newest, text
from tests.support.world import World, written


async def test_taking_a_release_back_pings_whom_it_pinged(world: World) -> None:
    """The captive's player; where the campaign pings no player, nobody."""
    await world.gm.slash(world.orders, "character add", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "unit add", name="Den", kind="base")
    await world.gm.slash(world.orders, "captive take", captive="Alf", by="Zeon", at="Den")
    for pings, pinged in (("nobody", False), ("players", True)):
        await world.gm.slash(world.orders, "campaign edit", pings=pings)
        await world.gm.slash(world.orders, "captive release", captive="Alf")
        before = len(world.results.history())
        window = await world.gm.slash(world.orders, "void", entry=written(world)[0])
        await world.gm.submit_modal(window, {"reason": "Too early"})
        posts = world.results.history()[before:]
        assert [f"<@{world.player.id}>" in post.content for post in posts] == [True] * pinged
    assert "was undone" in text(newest(world.results))
