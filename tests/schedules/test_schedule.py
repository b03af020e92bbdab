"""`/update schedule`, the loop that keeps schedules, and the buttons under the question about what was missed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.reading import components, newest, press, refused, response, said, text
from tests.support.world import World, entry, send_raw, written

WEEKLY = {"day": "Saturday", "time": "18:00"}
FIRST = datetime(2026, 3, 7, 17, tzinfo=UTC)


async def schedule(world: World, who: Any = None, **options: Any) -> Any:  # noqa: ANN401
    """Use `/update schedule`."""
    return await (who or world.gm).slash(world.orders, "update schedule", **options)


async def at(world: World, day: int, hour: int, minute: int = 0) -> None:
    """Let the loop tick once it is a day of March, an hour and a minute in UTC."""
    world.clock.now = datetime(2026, 3, day, hour, minute, tzinfo=UTC)
    await world.env.advance_time(21)


async def test_a_schedule_is_set_and_shown(world: World) -> None:
    """The answer tells day, time and zone, the next time as Discord shows times, and how to change or stop it."""
    assert "day:Saturday time:18:00" in said(await schedule(world))
    told = said(await schedule(world, **WEEKLY, remind=90, catch_up="ask"))
    for words in (
        "Saturday at 18:00 (Europe/Berlin)",
        "Iron Sea closes its update by itself.",
        f"<t:{int(FIRST.timestamp())}:F> your time (<t:{int(FIRST.timestamp())}:R>)",
        "ask in the staff channel",
        "1 hour 30 minutes before",
        "/update schedule off:True",
    ):
        assert words in told


@pytest.mark.parametrize("command", ["update schedule", "weather schedule"])
async def test_players_see_the_next_time_alone(world: World, command: str) -> None:
    """What the ledger keeps for the staff, the command keeps too: others learn when it happens next, and no more."""
    await world.gm.slash(world.orders, command, **WEEKLY, remind=90, catch_up="ask")
    result = await world.player.slash(world.orders, command)
    assert result.ephemeral
    told = said(result)
    assert f"**Next:** <t:{int(FIRST.timestamp())}:F> your time (<t:{int(FIRST.timestamp())}:R>)" in told
    assert [words for words in ("Saturday at", "30 minutes", "staff channel", "off:True") if words in told] == []
    assert "1 hour 30 minutes before" in said(await world.gm.slash(world.orders, command))


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(1, "1 minute"), (60, "1 hour"), (1440, "1 day"), (9960, "6 days 22 hours"), (1501, "1 day 1 hour 1 minute")],
)
async def test_a_reminder_is_told_in_words(world: World, minutes: int, words: str) -> None:
    """The answer and the ledger tell days, hours and minutes, and none of which there are none."""
    told = said(await schedule(world, **WEEKLY, remind=minutes))
    assert f"**Reminder:** {words} before, in the staff channel" in told
    assert f", reminder {words} before" in said(await world.gm.slash(world.orders, "ledger list"))


async def test_what_is_left_out_stays_as_it_was(world: World) -> None:
    """Another day alone changes the day alone."""
    await schedule(world, **WEEKLY, remind=90)
    told = said(await schedule(world, day="every day", remind=0))
    assert "every day at 18:00" in told
    assert "**Reminder:** none" in told


async def test_a_schedule_is_the_game_masters(world: World) -> None:
    """A player is refused privately and nothing is written."""
    before = written(world)
    assert "Only game masters" in refused(await schedule(world, world.player, **WEEKLY))
    assert written(world) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"day": "Saturday", "time": "6 pm"}, "24-hour clock, like 18:00"),
        ({"day": "Saturday"}, "needs a day and a time"),
        ({"off": True}, "no schedule that could be stopped"),
    ],
)
async def test_what_cannot_be_scheduled_is_refused(world: World, options: dict[str, Any], words: str) -> None:
    """Privately, with what would be right, and nothing is written."""
    before = written(world)
    assert words in refused(await schedule(world, **options)).replace("\\", "")
    assert written(world) == before


async def test_the_ledger_keeps_every_change_for_the_staff(world: World) -> None:
    """A game master reads what was set, changed and stopped; a player reads nothing of it."""
    await schedule(world, **WEEKLY)
    await schedule(world, time="6:00")
    await schedule(world, off=True)
    listed = said(await world.gm.slash(world.orders, "ledger list"))
    was = "Saturday 18:00, catch up by itself"
    assert f"Closing of updates by schedule: {was}" in listed
    assert f"by schedule: Saturday 06:00, catch up by itself, instead of {was}" in listed
    assert "Closing of updates no longer by schedule" in listed
    assert "Closing of updates" not in said(await world.player.slash(world.orders, "ledger list"))
    shown = said(await world.gm.slash(world.orders, "ledger show", number=3))
    assert "Schedule" in shown
    assert was in shown


async def test_an_update_closes_by_itself_and_says_so(world: World) -> None:
    """At its time it is told in #results; the ledger names the schedule and no person."""
    await schedule(world, **WEEKLY)
    await at(world, 7, 16, 59)
    assert not world.results.history()
    await at(world, 7, 17, 0)
    assert "Update 1 is closed" in text(newest(world.results))
    assert "Update 2" in said(await world.gm.slash(world.orders, "update show"))
    listed = said(await world.player.slash(world.orders, "ledger list"))
    assert "Update 1 closed, Update 2 begun \N{MIDDLE DOT} by schedule" in listed
    assert "<@0>" not in listed
    await at(world, 7, 17, 5)
    assert len(world.results.history()) == 1


async def test_the_staff_is_reminded(world: World) -> None:
    """Once, in #staff, with the time and the way to stop it."""
    await schedule(world, **WEEKLY, remind=60)
    await at(world, 7, 16, 0)
    await at(world, 7, 16, 30)
    (reminder,) = world.staff.history()
    assert f"<t:{int(FIRST.timestamp())}:R>" in text(reminder)
    assert "/update schedule off:True" in text(reminder)
    assert not reminder.components


@pytest.mark.slow
async def test_what_a_restart_finds_missed_is_made_up_for_by_a_button(world: World) -> None:
    """After three weeks away the staff is asked once; a player's press is refused, a game master's closes three."""
    await schedule(world, **WEEKLY, catch_up="ask")
    world.clock.now = datetime(2026, 3, 22, tzinfo=UTC)
    await world.restart()
    await world.env.advance_time(21)
    (question,) = world.staff.history()
    assert "Missed: 3" in text(question)
    assert "Only game masters" in refused(await world.player.click(question, custom_id=press(question, "roll")))
    assert not world.results.history()

    told = said(await world.gm.click(question, custom_id=press(question, "roll")))
    assert "made up for 3" in told
    assert [f"Update {number} is closed" in text(message) for number, message in _oldest_first(world)] == [True] * 3
    again = refused(await world.gm2.click(question, custom_id=press(question, "roll")))
    assert "nothing waits" in again
    assert len(world.results.history()) == 3


@pytest.mark.slow
async def test_what_was_missed_is_let_go_from_the_command_too(world: World) -> None:
    """`/update schedule` shows what waits with the same buttons, to game masters alone; let go, nothing closes."""
    await schedule(world, **WEEKLY, catch_up="ask")
    await at(world, 22, 0)
    shown = response(await schedule(world))
    assert "Waiting for a game master's word" in text(shown)
    assert not list(components(response(await schedule(world, world.player))))
    assert "let go 3" in said(await world.gm.click(shown, custom_id=press(shown, "skip")))
    assert len(entry(world)["let_go"]) == 3
    assert "3 missed, let go" in said(await world.gm.slash(world.orders, "ledger list"))
    assert "Update 1" in said(await world.gm.slash(world.orders, "update show"))


async def test_a_button_that_nobody_gave_out_does_nothing(world: World) -> None:
    """A forged id is answered privately and writes nothing."""
    await schedule(world, **WEEKLY)
    for key in (
        "schedule",
        "schedule:1",
        "schedule:1:harvest:9:roll",
        "schedule:1:update:9:burn",
        "schedule:x:update:9:roll",
    ):
        before = written(world)
        assert "do not know that button" in refused(await send_raw(world.gm, world.staff, key))
        assert "not on this server" in refused(await send_raw(world.gm, world.staff, "schedule:7:update:9:roll"))
        assert written(world) == before


@pytest.mark.slow
async def test_a_question_that_could_not_be_posted_keeps_its_buttons(world: World) -> None:
    """Refused at first, it goes out later by itself, and its buttons do what they say."""
    await schedule(world, **WEEKLY, catch_up="ask")
    world.env.inject_error("POST", f"/channels/{world.staff.id}/messages", status=503)
    await at(world, 22, 0)
    assert not world.staff.history()
    await at(world, 22, 0, 1)
    (question,) = world.staff.history()
    assert "let go 3" in said(await world.gm.click(question, custom_id=press(question, "skip")))


@pytest.mark.slow
async def test_the_weather_is_rolled_by_itself_week_after_week(world: World) -> None:
    """Set with `/weather schedule`, each Saturday rolls one week, once, in the name of the schedule."""
    await world.gm.slash(world.orders, "weather schedule", **WEEKLY)
    for week, day in enumerate((7, 14), start=1):
        world.dice.script(10, 10, 10, 10, 10)
        await at(world, day, 17)
        await at(world, day, 17, 5)
        assert len(world.results.history()) == week
    listed = said(await world.player.slash(world.orders, "ledger list"))
    assert listed.count("by schedule") == 2
    told = said(await world.gm.slash(world.orders, "weather schedule"))
    assert "Iron Sea rolls its weather by itself." in told


def _oldest_first(world: World) -> list[tuple[int, Any]]:
    messages = sorted(world.results.history(), key=lambda message: message.id)
    return list(enumerate(messages, start=1))
