"""Scheduled rollovers."""

from __future__ import annotations

from bot.cogs.weather.rollover import ROLLOVER_JOB
from bot.outbox.queue import Post
from bot.schedules.actions import SetSchedule
from tests.cogs.weather.seasons import put, read_span, roll, undo
from tests.cogs.weather.skies import FAIR
from tests.schedules.shop import ASKING, SATURDAYS, Schedules, list_schedules_of, utc
from tests.support.backend import GM, House


async def make_schedule(house: House, plan: SetSchedule = SATURDAYS) -> Schedules:
    """A weather schedule with this plan."""
    schedules = list_schedules_of(house, ROLLOVER_JOB)
    await schedules.set(GM, 1, "weather", plan)
    return schedules


async def tick(house: House, schedules: Schedules, *when: int, weeks: int = 0) -> list[Post]:
    """Tick; this many weeks are rolled."""
    house.clock.now = utc(*when)
    house.dice.script(*FAIR * weeks)
    posts = await schedules.tick()
    house.dice.finish()
    return posts


async def test_a_week_by_hand_is_left_out_once(house: House) -> None:
    """An undone one doesn't count twice."""
    schedules = await make_schedule(house)
    house.clock.now = utc(6)
    await roll(house, *FAIR)
    assert await tick(house, schedules, 7, 17) == []
    assert len(await tick(house, schedules, 14, 17, weeks=1)) == 1
    assert await read_span(house) == (1, 2)
    house.clock.now = utc(15)
    await undo(house)
    await roll(house, *FAIR)
    assert len(await tick(house, schedules, 21, 17, weeks=1)) == 1
    assert await read_span(house) == (1, 3)


async def test_a_week_taken_back_while_others_wait_is_forgotten_by_a_word(house: House) -> None:
    """Two missed weeks are two rollovers."""
    schedules = await make_schedule(house, ASKING)
    await tick(house, schedules, 7, 17, weeks=1)
    await tick(house, schedules, 22)
    await undo(house)
    house.dice.script(*FAIR * 2)
    answered = await schedules.answer(GM, 1, "weather", roll=True)
    assert (answered.done, await read_span(house)) == ((utc(14, 17), utc(21, 17)), (1, 2))
    house.clock.now = utc(27)
    await roll(house, *FAIR)
    assert await tick(house, schedules, 28, 17) == []
    assert len(await tick(house, schedules, 4, 16, 0, 4, weeks=1)) == 1
    assert await read_span(house) == (1, 4)


async def test_a_week_taken_back_and_rolled_again_leaves_the_others_waiting(house: House) -> None:
    """It doesn't count for missed ones."""
    schedules = await make_schedule(house, ASKING)
    await tick(house, schedules, 7, 17, weeks=1)
    house.clock.now = utc(8)
    await undo(house)
    await tick(house, schedules, 22)
    await roll(house, *FAIR)
    house.dice.script(*FAIR * 2)
    answered = await schedules.answer(GM, 1, "weather", roll=True)
    assert (answered.by_hand, len(answered.done), await read_span(house)) == ((), 2, (1, 3))


async def test_the_week_that_a_game_begins_with_is_no_rollover(house: House) -> None:
    """Set weeks count for none."""
    schedules = await make_schedule(house, ASKING)
    await tick(house, schedules, 15)
    await put(house, "australia", "good", 36)
    await put(house, "australia", "good", 35)
    assert len(await list_missed(schedules)) == 2
    await roll(house, *FAIR)
    assert await list_missed(schedules) == (utc(14, 17),)
    await undo(house)
    assert len(await list_missed(schedules)) == 2


async def list_missed(schedules: Schedules) -> tuple[object, ...]:
    """What waits for a word."""
    schedule = await schedules.show(1, "weather")
    assert schedule is not None
    return schedule.missed
