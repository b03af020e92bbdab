"""Schedules: once, in order, on both databases."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import discord
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.app import KINDS
from bot.cogs.campaign.settings import CampaignSettings
from bot.cogs.update.service import CLOSING
from bot.core import audit
from bot.core.campaigns import current_update
from bot.core.database import Database
from bot.core.errors import BadInput, NotAllowed
from bot.core.schema import post
from bot.outbox import queue as posts
from bot.outbox.queue import OutgoingMessage
from bot.schedules.actions import SetSchedule
from tests.schedules.shop import ASKING, SATURDAYS, Shop, by_hand, list_schedules_of, open_shop, planned, utc
from tests.support.backend import GM, GM_ROLE, PLAYER, RESULTS, STAFF, House


async def test_a_week_is_done_at_its_time_and_once(shop: Shop) -> None:
    """At 18:00 in Berlin."""
    await shop.set()
    assert await shop.tick(7, 16, 59) == []
    (queued,) = await shop.tick(7, 17, 0)
    assert await shop.tick(7, 17, 1) == []
    assert await shop.done() == ["weather 07 Mar 17:00"]
    assert (queued.kind, queued.channel_id) == ("results", RESULTS)
    assert (await shop.schedule()).next_at == utc(14, 17)
    assert [item.faults for item in await audit.check_ledgers(shop.house.database, KINDS)] == [()]


@pytest.mark.parametrize(
    ("zone", "times"),
    [
        ("Europe/Berlin", {"17:00", "16:00"}),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("America/New_York", {"23:00", "22:00"}), ("Australia/Lord_Howe", {"07:00", "07:30"}))
        ),
    ],
)
async def test_the_local_time_holds_across_both_changes(shop: Shop, zone: str, times: set[str]) -> None:
    """Every Saturday from March to November."""
    if zone != shop.house.campaign.timezone:
        await shop.house.edit({"timezone": zone})
    await shop.set()
    for week in range(36):
        local = datetime(2026, 3, 7, 18, tzinfo=ZoneInfo(zone)) + timedelta(weeks=week)
        queued = []
        for minutes in (-90, -31, -1, 0, 1, 31, 90):
            shop.house.clock.now = local.astimezone(UTC) + timedelta(minutes=minutes)
            queued.append(len(await shop.tick()))
        assert queued == [0, 0, 0, 1, 0, 0, 0]
    assert {what[-5:] for what in await shop.done()} == times


@pytest.mark.parametrize("restarted", [False, True])
async def test_three_weeks_of_absence_are_made_up_for_in_order(shop: Shop, *, restarted: bool) -> None:
    """Updates before weather."""
    await shop.set()
    await shop.set(job="update")
    if restarted:
        shop = open_shop(shop.house, shop.house.database, start=1)
    queued = await shop.tick(22)
    assert await shop.done() == [
        f"{name} {day} Mar 17:00" for day in ("07", "14", "21") for name in ("update", "weather")
    ]
    assert [item.kind for item in queued] == ["results"] * 6
    assert (await shop.schedule()).next_at == utc(28, 17)


async def test_what_was_done_by_hand_is_not_done_again(shop: Shop) -> None:
    """Nor reminded of."""
    await shop.set(planned(day="Saturday", time="18:00", remind=60))
    await by_hand(shop, 6)
    assert await shop.tick(7, 16) == []
    assert await shop.tick(7, 17) == []
    await by_hand(shop, 14, 17)
    assert await shop.tick(14, 17, 1) == []
    await shop.tick(21, 17)
    assert await shop.done() == ["by hand 06", "by hand 14", "weather 21 Mar 17:00"]


async def test_one_deed_by_hand_makes_up_for_one_week(shop: Shop) -> None:
    """Two of three are left."""
    await shop.set()
    await by_hand(shop, 22)
    await shop.tick(22, 1)
    assert await shop.done() == ["by hand 22", "weather 14 Mar 17:00", "weather 21 Mar 17:00"]


async def test_two_bots_do_it_once(shop: Shop) -> None:
    """With separate connections."""
    await shop.set()
    await shop.set(job="update")
    shop.house.clock.now = utc(22)
    url = shop.house.database.engine.url.render_as_string(hide_password=False)
    second = Database(url)
    try:
        other = open_shop(shop.house, second, start=2)
        queued = await asyncio.gather(shop.tick(), other.tick())
    finally:
        await second.close()
    assert sum(map(len, queued)) == 6
    assert sorted(await shop.done()) == sorted(
        f"{name} {day} Mar 17:00" for day in ("07", "14", "21") for name in ("update", "weather")
    )


@pytest.mark.parametrize("plan", [SATURDAYS, ASKING])
async def test_an_archived_campaign_stands_still(shop: Shop, plan: SetSchedule) -> None:
    """Then it goes on with next week."""
    await shop.set(planned(day="Saturday", time="18:00", remind=60, catch_up=plan.plan.catch_up))
    await shop.house.archive(archived=True)
    assert await shop.tick(7, 16, 30) == []
    assert await shop.tick(26) == []
    await shop.house.archive(archived=False)
    assert await shop.tick(27) == []
    assert await shop.done() == []
    await shop.tick(28, 17)
    assert await shop.done() == ["weather 28 Mar 17:00"]


async def test_a_new_time_zone_moves_what_is_ahead(shop: Shop) -> None:
    """Reminders too."""
    await shop.set(planned(day="Saturday", time="18:00", remind=60))
    await shop.tick(7, 16)
    await shop.house.edit({"timezone": "Europe/Paris"})
    assert await shop.tick(7, 16, 20) == []
    await shop.house.edit({"timezone": "America/New_York"})
    job = await shop.schedule()
    assert (job.next_at, job.remind_at) == (utc(7, 23), utc(7, 22))
    await shop.tick(7, 22)
    await shop.house.edit({"name": "Iron Ocean"})
    assert (await shop.schedule()).remind_at is None


@pytest.mark.parametrize(
    ("at", "zone", "came"),
    [
        *(((7, 17), "America/New_York", (7, 23)), ((8, 0), "America/New_York", (7, 23))),
        *(((7, 8), "Asia/Tokyo", (7, 9)), ((7, 10), "Asia/Tokyo", (7, 17)), ((7, 17), "Asia/Tokyo", (7, 17))),
    ],
)
async def test_a_day_is_done_once_whenever_the_time_zone_changes(
    shop: Shop, at: tuple[int, int], zone: str, came: tuple[int, int]
) -> None:
    """Never at once."""
    await shop.set()
    shop.house.clock.now = utc(*at)
    await shop.house.edit({"timezone": zone})
    if at < came:
        await shop.tick(*at)
        assert (await shop.done(), (await shop.schedule()).next_at) == ([], utc(*came))
    await shop.tick(8)
    assert await shop.done() == [f"weather {utc(*came):%d %b %H:%M}"]
    assert f"{(await shop.schedule()).next_at.astimezone(ZoneInfo(zone)):%d %H:%M}" == "14 18:00"


async def test_a_reminder_comes_once_for_each_week(shop: Shop) -> None:
    """An hour before."""
    await shop.set(planned(day="Saturday", time="18:00", remind=60))
    assert await shop.tick(7, 15, 59) == []
    (reminder,) = await shop.tick(7, 16)
    assert (reminder.kind, reminder.channel_id, reminder.entry_number) == ("reminder", STAFF, None)
    assert f"<t:{int(utc(7, 17).timestamp())}:R>" in (reminder.payload or "")
    assert await shop.tick(7, 16, 30) == []
    assert [item.kind for item in await shop.tick(7, 17)] == ["results"]
    assert [item.kind for item in await shop.tick(14, 16, 59)] == ["reminder"]
    assert [item.kind for item in await shop.tick(21, 17)] == ["results", "results"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "again"),
    [
        (planned(catch_up="ask"), False),
        (planned(day="Saturday", time="18:00", remind=60), False),
        (planned(remind=45), True),
        (planned(time="18:05"), True),
    ],
)
async def test_a_change_that_moves_nothing_reminds_nobody_again(shop: Shop, plan: SetSchedule, *, again: bool) -> None:
    """Only a changed time does."""
    await shop.set(planned(day="Saturday", time="18:00", remind=60))
    assert len(await shop.tick(7, 16, 10)) == 1
    await shop.set(plan)
    assert [item.kind for item in await shop.tick(7, 16, 20)] == ["reminder"] * again


async def test_a_reminder_longer_than_a_day_is_none_for_every_day(shop: Shop) -> None:
    """It's refused."""
    for minutes in (1441, 10_080):
        with pytest.raises(BadInput, match="For every day, this can come 1 to 1440 minutes before") as refusal:
            await shop.set(planned(day="every day", time="18:00", remind=minutes))
        assert "remind:1440 or less" in refusal.value.do
    await shop.set(planned(day="Saturday", time="18:00", remind=10_080))
    with pytest.raises(BadInput, match="1440"):
        await shop.set(planned(day="every day"))
    await shop.set(planned(day="every day", remind=1440))
    assert (await shop.schedule()).remind == 1440


async def test_a_refused_deed_is_told_and_given_up(shop: Shop) -> None:
    """The staff learns why."""
    await shop.set()
    shop.fake.refusals = [BadInput("The book is closed.", "Open it.")]
    (notice,) = await shop.tick(7, 17)
    assert (notice.kind, notice.channel_id, notice.entry_number) == ("notice", STAFF, None)
    assert "The book is closed. Open it." in (notice.payload or "")
    assert f"<t:{int(utc(14, 17).timestamp())}:F>" in (notice.payload or "")
    assert await shop.done() == []
    await shop.tick(14, 17)
    assert await shop.done() == ["weather 14 Mar 17:00"]


async def test_what_is_done_by_hand_after_a_refusal_makes_up_for_it_alone(shop: Shop) -> None:
    """The next week still comes."""
    await shop.set()
    shop.fake.refusals = [BadInput("The book is closed.", "Open it.")]
    await shop.tick(7, 17)
    await by_hand(shop, 8)
    await shop.tick(14, 17)
    await by_hand(shop, 20)
    await shop.tick(21, 17)
    assert await shop.done() == ["by hand 08", "weather 14 Mar 17:00", "by hand 20"]


async def test_a_fault_of_ours_stops_no_other_campaign_and_loses_nothing(
    shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    """It's logged and retried."""
    settings = CampaignSettings("Cold Front", "campaign", "Europe/Berlin", RESULTS + 9, STAFF + 9, GM_ROLE, None)
    second = await shop.house.create(settings)
    await shop.set()
    await shop.set(campaign=second.id)
    shop.fake.faults = {1: RuntimeError("unforeseen")}
    assert [item.campaign_id for item in await shop.tick(7, 17)] == [second.id]
    assert "schedule.bug" in caplog.text
    assert await shop.done() == []
    assert [item.campaign_id for item in await shop.tick(7, 17, 1)] == [1]
    assert await shop.done() == ["weather 07 Mar 17:00"]


async def test_a_crash_in_the_middle_neither_loses_nor_repeats(shop: Shop) -> None:
    """The next tick does the rest."""
    await shop.set()
    shop.fake.refusals = [None, RuntimeError("power cut")]
    await shop.tick(22)
    assert await shop.done() == ["weather 07 Mar 17:00"]
    again = open_shop(shop.house, shop.house.database, start=3)
    await again.tick(22, 1)
    assert await shop.done() == [f"weather {day} Mar 17:00" for day in ("07", "14", "21")]


async def test_setting_is_entered_and_is_the_game_masters(shop: Shop) -> None:
    """With before and after."""
    with pytest.raises(NotAllowed):
        await shop.schedules.set(PLAYER, 1, "weather", SATURDAYS)
    await shop.set(planned(day="sat", time="6:00", remind=30))
    await shop.set(planned(time="18:00", remind=0, catch_up="ask"))
    await shop.set(planned(off=True))
    entries = [item for item in await shop.house.entries() if item.kind == "schedule"]
    bodies = [item.content() for item in entries]
    first = {"day": "Saturday", "time": "06:00", "remind": 30, "catch_up": "roll"}
    then = {"day": "Saturday", "time": "18:00", "remind": 0, "catch_up": "ask"}
    assert [(body["before"], body["after"]) for body in bodies] == [(None, first), (first, then), (then, None)]
    assert {item.audience for item in entries} == {"staff"}
    assert await shop.schedules.show(1, "weather") is None
    assert [item.faults for item in await audit.check_ledgers(shop.house.database, KINDS)] == [()]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (planned(day="Saturday"), "needs a day and a time"),
        (planned(time="18:00"), "needs a day and a time"),
        (planned(day="Saturday", time="6 pm"), "24-hour clock"),
        (planned(day="Caturday", time="18:00"), "as days"),
        (planned(day="Saturday", time="18:00", remind=10_081), "10080 minutes before"),
        (planned(off=True), "isn't scheduled. Start a schedule with /gm schedule what:weather"),
    ],
)
async def test_a_plan_that_cannot_be_used_is_refused(shop: Shop, plan: SetSchedule, words: str) -> None:
    """Nothing is entered."""
    with pytest.raises(BadInput, match=words):
        await shop.set(plan)
    assert await shop.schedules.show(1, "weather") is None
    assert len(await shop.house.entries()) == 1


async def test_a_page_waits_for_the_pages_of_its_own_entry(house: House) -> None:
    """And for no others."""
    first, second = [(await house.patrol("Zaku", faces=(20,), by=name)).entry.number for name in ("Kilo", "Lima")]
    await house.tamper(post.delete())
    embeds = [discord.Embed(title="Page")]
    pages = [
        OutgoingMessage("results", RESULTS, embeds),
        OutgoingMessage("results", RESULTS, embeds),
        OutgoingMessage("staff", STAFF, embeds),
    ]

    def queue(tx: Connection) -> None:
        for number in (first, second):
            one, *_ = house.outbox.queue(tx, 1, number, pages)
            if number == second:
                posts.mark_sent(tx, one, 77)

    await house.database.write(queue)
    house.clock.advance(minutes=2)
    now = house.clock()
    due = await house.database.write(lambda tx: posts.claim_posts(tx, now, now + timedelta(minutes=1), 10))
    found = [(item.entry_number, item.kind, item.page) for item in due]
    assert found == [
        *((first, "results", 1), (first, "results", 2), (first, "staff", 1)),
        *((second, "results", 2), (second, "staff", 1)),
    ]

    def fail(tx: Connection) -> None:
        for item in due:
            later = timedelta(minutes=1 if item == due[0] else 0)
            posts.mark_failed(tx, item, due_at=now + later, fault="busy", unconfirmed=False)

    await house.database.write(fail)
    due = await house.database.write(lambda tx: posts.claim_posts(tx, now, now + timedelta(minutes=1), 10))
    found = [(item.entry_number, item.kind, item.page) for item in due]
    assert found == [(first, "staff", 1), (second, "results", 2), (second, "staff", 1)]


async def test_posts_without_an_entry_do_not_wait_for_each_other(shop: Shop) -> None:
    """They follow the staff channel."""
    for deed in ("weather", "update"):
        await shop.set(planned(day="Saturday", time="18:00", remind=60), deed)
    queued = await shop.tick(7, 16)
    assert [item.page for item in queued] == [1, 1]
    shop.house.clock.advance(minutes=5)
    now = shop.house.clock()
    due = await shop.house.database.write(lambda tx: posts.claim_posts(tx, now, now + timedelta(minutes=1), 10))
    assert [item.id for item in due] == [item.id for item in queued]
    await shop.house.tamper(post.update().values(unconfirmed=False))
    await shop.house.edit({"staff_channel_id": STAFF + 50})
    channels = await shop.house.database.read(lambda tx: list(tx.scalars(sa.select(post.c.channel_id))))
    assert channels == [STAFF + 50] * 2


async def test_an_update_closes_by_itself(house: House) -> None:
    """By hand makes up for it."""
    schedules = list_schedules_of(house, CLOSING)
    await schedules.set(GM, 1, "update", planned(day="every day", time="18:00"))
    await house.patrol("Zaku column", faces=(20,))
    house.clock.now = utc(1, 17)
    public, staff = await schedules.tick()
    assert (public.kind, public.channel_id, staff.kind, staff.channel_id) == ("results", RESULTS, "whole", STAFF)
    assert "Update 1 is closed" in (public.payload or "")
    assert "Kilo" not in (public.payload or "")
    assert "Kilo" in (staff.payload or "")
    house.clock.now = utc(2, 10)
    await house.close_update("By hand")
    house.clock.now = utc(2, 17)
    assert await schedules.tick() == []
    house.clock.now = utc(3, 17)
    assert len(await schedules.tick()) == 1
    assert (await house.database.read(current_update, 1))["number"] == 4
