"""Open cards gather: on the desk one's own are discarded together."""

from __future__ import annotations

from tests.cogs.update.test_desk import desk, key, labels
from tests.support.acting import opened
from tests.support.reading import refused, said
from tests.support.world import World, rows, written


async def test_open_cards_are_discarded_together(world: World) -> None:
    """One's own of those that were seen: neither others', nor one that was opened since; a second press does nothing."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    await world.player.slash(world.orders, "patrol", patrol="Lima", target="Gouf")
    await opened(world)
    assert not [label for label in labels(await desk(world)) if "Discard" in label]
    await opened(world, patrol="Mike")
    shown = await desk(world)
    world.clock.advance(minutes=1)
    await opened(world, patrol="Oscar")
    before = written(world)
    pressed = key(shown, "Discard all 2 of yours")
    assert "Discarded: 2 open cards" in said(await world.gm.click(shown, custom_id=pressed))
    assert "None of those cards is open any more." in refused(await world.gm.click(shown, custom_id=pressed))
    assert rows(world, "select state, count(*) from card group by state order by state") == [
        ("cancelled", 2),
        ("open", 2),
    ]
    assert written(world) == before
