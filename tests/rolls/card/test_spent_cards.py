"""Cards that were left open, rolled or cancelled: the update that they are rolled in, what is discarded together, and what goes after a week."""

from __future__ import annotations

from tests.cogs.update.test_desk import desk, key, labels
from tests.support.acting import close_update, more, opened
from tests.support.reading import assert_says, press, refused, said, text
from tests.support.world import World, entry, nothing_written, rows, send_raw, written


async def test_spent_cards_go_after_a_week(world: World) -> None:
    """Opening a card clears away the spent ones that are older; those that are open stay."""
    rolled, cancelled, waiting = [await opened(world, patrol=name) for name in ("Kilo", "Lima", "Mike")]
    pressed = press(rolled, "roll")
    world.dice.script(10)
    await world.gm.click(rolled, custom_id=pressed)
    await world.gm.click(cancelled, custom_id=await more(world.gm, cancelled, "cancel"))
    world.clock.advance(days=6)
    await opened(world, patrol="November")
    assert "rolled already: entry #3" in refused(await send_raw(world.gm, world.orders, pressed))
    assert [state for (state,) in rows(world, "select state from card order by state")].count("open") == 2
    world.clock.advance(days=2)
    await opened(world, patrol="Oscar")
    assert [state for (state,) in rows(world, "select state from card")] == ["open"] * 3
    assert "no longer exists" in refused(await send_raw(world.gm, world.orders, pressed))
    world.dice.script(10)
    assert "Rolled: entry #4" in said(await world.gm.click(waiting, custom_id=press(waiting, "roll")))


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
    with nothing_written(world):
        pressed = key(shown, "Discard all 2 of yours")
        assert "Discarded: 2 open cards" in said(await world.gm.click(shown, custom_id=pressed))
        assert "Those cards are all closed." in refused(await world.gm.click(shown, custom_id=pressed))
        assert rows(world, "select state, count(*) from card group by state order by state") == [
            ("cancelled", 2),
            ("open", 2),
        ]


async def test_another_update_is_said_before_the_roll(world: World) -> None:
    """The first press after the update has closed rolls nothing and shows the card anew; the second rolls in the new one."""
    card = await opened(world)
    assert "Update 1" in text(card)
    await close_update(world)
    before = written(world)[0]
    assert_says(said(await world.gm.click(card, custom_id=press(card, "roll"))), "Update 2", "changed")
    assert written(world)[0] == before
    world.dice.script(10)
    assert "Rolled: entry" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert entry(world)["update"]["number"] == 2
