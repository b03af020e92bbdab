"""`/gm close` with open orders."""

from __future__ import annotations

from tests.orders.ordering import listed, order, populate
from tests.schedules.test_schedule import WEEKLY, at, schedule
from tests.support.acting import close_update
from tests.support.reading import components, newest, offers, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry_texts, nothing_written, rows, send_raw, written


async def test_all_orders_that_are_left_are_dropped_with_a_reason(world: World) -> None:
    """One entry each, then the question again."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    asked = response(await world.gm.slash(world.orders, "gm close", name="Day of rain"))
    before = written(world)
    key = press(asked, "drop:1")
    window = await world.gm.click(asked, custom_id=key)
    assert "needs a reason" in refused(await world.gm.submit_modal(window, {"reason": " "}))
    window = await world.gm.click(asked, custom_id=key)
    result = await world.gm.submit_modal(window, {"reason": "Called off"})
    assert "2 orders, from entry #" in said(result)
    made = [number for (number,) in rows(world, "select number from entry where number > ?", before[0])]
    assert [entry_texts(world, number) for number in made] == [{"reason": "Called off"}] * 2
    assert "Called off" in await listed(world)
    assert not offers(response(result), "drop")
    assert "**Next:** Day of rain" in said(result)
    assert "Day of rain has begun" in said(
        await world.gm.click(response(result), custom_id=press(response(result), "close"))
    )
    assert "No orders yet" in await listed(world)
    await require_whole(world)


async def test_buttons_of_an_update_that_is_closed_do_nothing(world: World) -> None:
    """Nor for players."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    asked = response(await world.gm.slash(world.orders, "gm close"))
    assert "game masters" in refused(await send_raw(world.player, world.orders, press(asked, "plan")))
    window = await world.gm.click(asked, custom_id=press(asked, "drop"))
    await close_update(world)
    with nothing_written(world):
        assert "already closed" in refused(await world.gm.submit_modal(window, {"reason": "Late"}))
        assert "already closed" in refused(await send_raw(world.gm, world.orders, press(asked, "plan")))
    assert "**Kai**: Hide, Valley" in await listed(world)


async def test_the_button_says_that_orders_are_held_and_the_receipt_how_many(world: World) -> None:
    """Only the staff reads it."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    await order(world, "Scout a base", "Amuro", to="Fort Anvil")
    asked = response(await world.gm.slash(world.orders, "gm close", name="Day of rain"))
    labels = [item["label"] for item in components(asked) if item["type"] == 2]
    assert labels == ["Keep open orders and close Update 1", "Resolve orders", "Cancel all orders"]
    told = said(await world.gm.click(asked, custom_id=press(asked, "close")))
    assert "2 open orders moved to Day of rain" in told
    assert "2 open orders moved" in text(newest(world.staff))
    assert "held" not in text(newest(world.results))
    assert "**Kai**: Hide, Valley" in await listed(world)


async def test_a_schedule_that_closes_tells_the_staff_what_is_held(world: World) -> None:
    """Without a question."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Valley")
    await schedule(world, **WEEKLY)
    await at(world, 7, 17)
    assert "1 open order moved to Update 2" in text(newest(world.staff))
    assert "**Kai**: Hide, Valley" in await listed(world)
