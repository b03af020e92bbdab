"""Cards that are rolled or cancelled: they stay for a week, then the ledger alone keeps what was rolled."""

from __future__ import annotations

from tests.support.acting import more, opened
from tests.support.reading import press, refused, said
from tests.support.world import World, rows, send_raw


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
