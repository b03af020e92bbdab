"""Missed occurrences that ask."""

from __future__ import annotations

import asyncio
from datetime import datetime

import pytest

from bot.core.errors import NotAllowed, NotOpen
from bot.schedules.store import minute_of
from rules.errors import RollError
from tests.schedules.shop import ASKING, Shop, by_hand, planned, utc
from tests.support.backend import PLAYER, STAFF


async def test_what_was_missed_is_asked_about_once(shop: Shop) -> None:
    """One question for three weeks."""
    await shop.set(ASKING)
    (question,) = await shop.tick(22)
    assert (question.kind, question.channel_id, question.topic, question.entry_number) == (
        "question",
        STAFF,
        f"weather {minute_of(utc(21, 17))}",
        None,
    )
    for day in (7, 14, 21):
        assert f"<t:{int(utc(day, 17).timestamp())}:d>" in (question.payload or "")
    assert await shop.tick(23) == []
    assert await shop.done() == []
    await shop.tick(28, 17)
    assert await shop.done() == ["weather 28 Mar 17:00"]


async def test_an_old_question_decides_about_what_it_asked(shop: Shop) -> None:
    """And nothing later."""
    for roll in (True, False):
        await shop.set(ASKING)
        await shop.tick(22)
        seen = minute_of(utc(21, 17))
        await shop.tick(31)
        assert (await shop.schedule()).missed[-1] == utc(28, 17)
        assert (await shop.answer(roll=roll, seen=seen)).done == (utc(7, 17), utc(14, 17), utc(21, 17))
        with pytest.raises(NotOpen, match="nothing is missed"):
            await shop.answer(roll=roll, seen=seen)
        assert (await shop.schedule()).missed == (utc(28, 17),)
        await shop.set(planned(off=True))
        shop.house.clock.now = utc(1)


async def test_two_words_at_once_do_each_week_once(shop: Shop) -> None:
    """A player's press doesn't count."""
    await shop.set(ASKING)
    await shop.tick(22)
    with pytest.raises(NotAllowed):
        await shop.answer(roll=True, who=PLAYER)
    words = [shop.answer(roll=True) for _ in range(2)]
    answered = [item for item in await asyncio.gather(*words, return_exceptions=True) if not isinstance(item, NotOpen)]
    done = [at for item in answered if not isinstance(item, BaseException) for at in item.done]
    assert sorted(done) == [utc(7, 17), utc(14, 17), utc(21, 17)]
    assert len(await shop.done()) == 3


async def test_a_word_that_meets_a_refusal_leaves_the_rest_waiting(shop: Shop) -> None:
    """The answer says why."""
    await shop.set(ASKING)
    await shop.tick(22)
    shop.fake.refusals = [None, RollError("no dice today")]
    answered = await shop.answer(roll=True)
    assert (answered.done, answered.fault) == ((utc(7, 17),), "no dice today")
    assert (await shop.schedule()).missed == (utc(14, 17), utc(21, 17))
    assert len((await shop.answer(roll=True)).done) == 2
    assert await shop.done() == [f"weather {day} Mar 17:00" for day in ("07", "14", "21")]


async def test_what_is_late_by_less_than_an_hour_is_not_asked_about(shop: Shop) -> None:
    """A restart isn't an absence."""
    await shop.set(ASKING)
    (queued,) = await shop.tick(7, 18, 0)
    assert queued.kind == "results"
    assert await shop.done() == ["weather 07 Mar 17:00"]


WEEKS = [utc(7, 17), utc(14, 17), utc(21, 17)]


@pytest.mark.parametrize("hands", [0, *(pytest.param(hands, marks=pytest.mark.slow) for hands in range(1, 5))])
async def test_what_is_done_by_hand_makes_up_for_what_was_missed_first(shop: Shop, hands: int) -> None:
    """Oldest first."""
    await shop.set(ASKING)
    await shop.tick(22)
    for _ in range(hands):
        await by_hand(shop, 23)
    assert (await shop.schedule()).missed == tuple(WEEKS[hands:])
    shop.house.clock.now = utc(24)
    answered = await shop.answer(roll=True)
    assert (answered.by_hand, answered.done) == (tuple(WEEKS[:hands]), tuple(WEEKS[hands:]))
    assert len(answered.posts) == len(WEEKS[hands:])
    assert (await shop.done())[hands:] == [f"weather {at:%d} Mar 17:00" for at in WEEKS[hands:]]
    with pytest.raises(NotOpen, match="nothing is missed"):
        await shop.answer(roll=True)
    await shop.tick(28, 17)
    assert len(await shop.done()) == 4
    assert ("weather 28 Mar 17:00" in await shop.done()) is (hands < 4)


@pytest.mark.parametrize("hands", [0, 1])
async def test_only_what_still_waits_is_let_go(shop: Shop, hands: int) -> None:
    """The next week stays."""
    await shop.set(ASKING)
    await shop.tick(22)
    for _ in range(hands):
        await by_hand(shop, 23)
    answered = await shop.answer(roll=False)
    assert (answered.by_hand, answered.done) == (tuple(WEEKS[:hands]), tuple(WEEKS[hands:]))
    body = (await shop.house.entries())[-1].content()
    assert [datetime.fromisoformat(at) for at in body["let_go"]] == WEEKS[hands:]
    with pytest.raises(NotOpen):
        await shop.answer(roll=False)
    await shop.tick(28, 17)
    assert await shop.done() == ["by hand 23"] * hands + ["weather 28 Mar 17:00"]


async def test_nothing_is_let_go_that_was_done_by_hand(shop: Shop) -> None:
    """Nothing is entered."""
    await shop.set(ASKING)
    await shop.tick(7, 20)
    await by_hand(shop, 8)
    before = len(await shop.house.entries())
    answered = await shop.answer(roll=False)
    assert (answered.by_hand, answered.done) == (tuple(WEEKS[:1]), ())
    assert len(await shop.house.entries()) == before


async def test_what_is_done_by_hand_is_counted_once(shop: Shop) -> None:
    """For one week."""
    await shop.set(ASKING)
    await shop.tick(15)
    await by_hand(shop, 16)
    (question,) = await shop.tick(22)
    assert (await shop.schedule()).missed == (utc(14, 17), utc(21, 17))
    assert f"<t:{int(utc(7, 17).timestamp())}:d>" not in (question.payload or "")
    await shop.answer(roll=True)
    assert await shop.done() == ["by hand 16", "weather 14 Mar 17:00", "weather 21 Mar 17:00"]


async def test_what_makes_up_for_a_missed_week_does_not_spare_the_reminder(shop: Shop) -> None:
    """The next one is still announced."""
    await shop.set(planned(day="Saturday", time="18:00", catch_up="ask", remind=60))
    await shop.tick(7, 20)
    await by_hand(shop, 8)
    assert [item.kind for item in await shop.tick(14, 16)] == ["reminder"]
    await by_hand(shop, 14, 16, 30)
    assert await shop.tick(14, 17) == []
