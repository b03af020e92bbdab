"""Several weekdays, every second week."""

from __future__ import annotations

import pytest

from bot.core.errors import BadInput
from tests.schedules.shop import Shop, by_hand, planned, utc


async def test_several_weekdays_are_each_done_and_made_up_for_in_order(shop: Shop) -> None:
    """By hand counts for the next only."""
    await shop.set(planned(day="Tue, Fri", time="18:00"))
    await by_hand(shop, 2)
    await shop.tick(14)
    assert await shop.done() == ["by hand 02", *(f"weather {day} Mar 17:00" for day in ("06", "10", "13"))]
    assert (await shop.schedule()).next_at == utc(17, 17)


async def test_every_second_week_keeps_its_weeks_when_time_or_zone_change(shop: Shop) -> None:
    """Typing the days counts again."""
    await shop.set(planned(day="every second Saturday", time="18:00"))
    await shop.tick(8)
    await shop.set(planned(time="19:00"))
    assert (await shop.schedule()).next_at == utc(21, 18)
    await shop.house.edit({"timezone": "America/New_York"})
    assert (await shop.schedule()).next_at == utc(21, 23)
    await shop.set(planned(day="every second Saturday"))
    assert (await shop.schedule()).next_at == utc(14, 23)


async def test_a_new_time_zone_keeps_the_days_of_several_weekdays(shop: Shop) -> None:
    """Local days stay."""
    await shop.set(planned(day="Fri, Sat", time="18:00"))
    await shop.tick(6, 17)
    await shop.house.edit({"timezone": "Asia/Tokyo"})
    assert (await shop.schedule()).next_at == utc(7, 9)
    assert await shop.done() == ["weather 06 Mar 17:00"]


@pytest.mark.parametrize(("day", "longest"), [("Tue, Fri", 4320), ("every second Friday", 10_080)])
async def test_a_reminder_comes_after_the_occurrence_before(shop: Shop, day: str, longest: int) -> None:
    """At most the shortest gap ahead."""
    with pytest.raises(BadInput, match=f"1 to {longest} minutes before"):
        await shop.set(planned(day=day, time="18:00", remind=longest + 1))
    await shop.set(planned(day=day, time="18:00", remind=longest))
    assert (await shop.schedule()).remind == longest
