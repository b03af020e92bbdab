"""`/gm schedule`, its loop and buttons."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.reading import newest, press, refused, said, text
from tests.support.world import World, nothing_written, send_raw

WEEKLY = {"day": "Saturday", "time": "18:00"}
FIRST = datetime(2026, 3, 7, 17, tzinfo=UTC)


async def schedule(world: World, who: Any = None, **options: Any) -> Any:  # noqa: ANN401
    """Use `/gm schedule`."""
    return await (who or world.gm).slash(world.orders, "gm schedule", **options)


async def at(world: World, day: int, hour: int, minute: int = 0) -> None:
    """Tick at this time of March."""
    world.clock.now = datetime(2026, 3, day, hour, minute, tzinfo=UTC)
    await world.env.advance_time(21)


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(1, "1 minute"), (60, "1 hour"), (1440, "1 day"), (9960, "6 days 22 hours"), (1501, "1 day 1 hour 1 minute")],
)
async def test_a_reminder_is_told_in_words(world: World, minutes: int, words: str) -> None:
    """Days, hours and minutes."""
    told = said(await schedule(world, **WEEKLY, remind=minutes))
    assert f"**Reminder:** {words} before, in the staff channel" in told
    assert f", reminder {words} before" in said(await world.gm.slash(world.orders, "ledger"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"day": "Saturday", "time": "6 pm"}, "24-hour clock, like 18:00"),
        ({"day": "Saturday"}, "needs a day and a time"),
        ({"off": True}, "isn't scheduled.\nStart a schedule with /gm schedule what:updates, its day and its time."),
    ],
)
async def test_what_cannot_be_scheduled_is_refused(world: World, options: dict[str, Any], words: str) -> None:
    """Privately, without an entry."""
    with nothing_written(world):
        assert words in refused(await schedule(world, **options)).replace("\\", "")


async def test_the_ledger_keeps_every_change_for_the_staff(world: World) -> None:
    """Players read none."""
    await schedule(world, **WEEKLY)
    await schedule(world, time="6:00")
    await schedule(world, off=True)
    listed = said(await world.gm.slash(world.orders, "ledger"))
    was = "Saturday 18:00, catch up automatically"
    assert f"Closing updates by schedule: {was}" in listed
    assert f"by schedule: Saturday 06:00, catch up automatically, instead of {was}" in listed
    assert "Closing updates no longer by schedule" in listed
    assert "Closing updates" not in said(await world.player.slash(world.orders, "ledger"))
    shown = said(await world.gm.slash(world.orders, "ledger", entry=3))
    assert "Schedule" in shown
    assert was in shown


async def test_an_update_closes_by_itself_and_says_so(world: World) -> None:
    """In #results, without a person."""
    await schedule(world, **WEEKLY)
    await at(world, 7, 16, 59)
    assert not world.results.history()
    await at(world, 7, 17, 0)
    assert "Update 1 is closed" in text(newest(world.results))
    assert "Update 2" in said(await world.gm.slash(world.orders, "update show"))
    listed = said(await world.player.slash(world.orders, "ledger"))
    assert "Update 1 closed, Update 2 begun \N{MIDDLE DOT} by schedule" in listed
    assert "<@0>" not in listed
    await at(world, 7, 17, 5)
    assert len(world.results.history()) == 1


async def test_players_see_when_it_happens(world: World) -> None:
    """On their desk and in the forecast; only game masters see more and change it."""
    assert "Closes" not in said(await world.player.slash(world.orders, "update show"))
    await schedule(world, **WEEKLY)
    await schedule(world, what="weather", **WEEKLY)
    stamp = int(FIRST.timestamp())
    assert f"Closes <t:{stamp}:R>." in said(await world.player.slash(world.orders, "update show"))
    odds = said(await world.player.slash(world.orders, "forecast", view="odds"))
    assert f"It rolls by itself <t:{stamp}:R>." in odds
    assert "Reminder" not in said(await schedule(world, world.player))
    with nothing_written(world):
        assert "game masters" in refused(await schedule(world, world.player, off=True))


async def test_the_weather_is_scheduled_only_where_there_is_some(world: World) -> None:
    """And it locks no orders."""
    with nothing_written(world):
        assert "locks no orders" in refused(await schedule(world, what="weather", **WEEKLY, lock=60))
    await world.gm.slash(world.orders, "gm settings", books="infinity, -campaign")
    with nothing_written(world):
        assert "has weather" in refused(await schedule(world, what="weather", **WEEKLY))


async def test_a_button_that_nobody_gave_out_does_nothing(world: World) -> None:
    """The answer is private."""
    await schedule(world, **WEEKLY)
    for key in (
        "schedule",
        "schedule:1",
        "schedule:1:harvest:9:roll",
        "schedule:1:update:9:burn",
        "schedule:x:update:9:roll",
    ):
        with nothing_written(world):
            assert "That button no longer works" in refused(await send_raw(world.gm, world.staff, key))
            assert "isn't on this server" in refused(await send_raw(world.gm, world.staff, "schedule:7:update:9:roll"))


@pytest.mark.slow
async def test_a_question_that_could_not_be_posted_keeps_its_buttons(world: World) -> None:
    """It goes out later."""
    await schedule(world, **WEEKLY, catch_up="ask")
    world.env.inject_error("POST", f"/channels/{world.staff.id}/messages", status=503)
    await at(world, 22, 0)
    assert not world.staff.history()
    await at(world, 22, 0, 1)
    (question,) = world.staff.history()
    assert "skipped 3" in said(await world.gm.click(question, custom_id=press(question, "skip")))
