"""Results that go public on a date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import simcord

from bot.cogs.ledger import publishing
from bot.core.errors import BadInput
from bot.schedules.store import read_date
from tests.cogs.ledger.test_amend import amend_with
from tests.cogs.ledger.test_publish import publish, scout
from tests.cogs.ledger.test_void import undo_entry
from tests.support.acting import roll_command
from tests.support.reading import assert_lacks, components, newest, press, refused, response, said, text
from tests.support.world import World, entry, rows, send_raw

SUNDAY_NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


async def window(world: World, number: int = 3) -> simcord.InteractionResult:
    """Return the date's window."""
    shown = response(await world.gm.slash(world.orders, "ledger", entry=number))
    return await world.gm.click(shown, label="Publish later …")


async def set_date(world: World, when: str = "today 18:00", number: int = 3) -> simcord.InteractionResult:
    """Set a date; return the answer."""
    return await world.gm.submit_modal(await window(world, number), {"when": when})


async def pass_hours(world: World, hours: float) -> None:
    """Let time pass, and let the bot do what is due."""
    world.clock.advance(hours=hours)
    await world.env.advance_time(21)


async def test_a_result_goes_public_on_its_date(world: World) -> None:
    """Not earlier, and in the name of who set it."""
    await scout(world, 20)
    answer = await set_date(world)
    assert answer.ephemeral
    assert "Entry #3 goes public on a date" in said(answer)
    assert f"<t:{int((SUNDAY_NOON + timedelta(hours=5)).timestamp())}:F>" in said(answer)
    await pass_hours(world, 4.9)
    assert not world.results.history()
    assert "no entry #3" in refused(await world.player.slash(world.orders, "ledger", entry=3))
    await pass_hours(world, 0.2)
    assert "Fort Anvil" in text(newest(world.results))
    assert newest(world.staff).embeds[0].author.name == "Published by #5"
    assert "Entry #5" not in text(newest(world.results))
    assert "Entry #3 published on its date" in said(await world.player.slash(world.orders, "ledger"))
    ((first, last),) = rows(world, "select min(actor), max(actor) from entry where number in (4, 5)")
    assert first == last
    assert ("publish_at",) not in rows(world, "select name from state")
    await pass_hours(world, 24)
    assert len(world.results.history()) == 1


async def test_the_ledger_tells_the_date_to_game_masters_alone(world: World) -> None:
    """`/ledger` has it; players read neither entry."""
    await scout(world, 20)
    await set_date(world, "Friday 18:00")
    assert "Goes public <t:" in said(await world.gm.slash(world.orders, "ledger", entry=3))
    assert "Entry #3 goes public <t:" in said(await world.gm.slash(world.orders, "ledger"))
    listed = said(await world.player.slash(world.orders, "ledger"))
    assert_lacks(listed, "#3", "#4")


async def test_a_date_is_changed_and_taken_back(world: World) -> None:
    """A second date replaces the first, and can be cancelled."""
    await scout(world, 20)
    await set_date(world, "today 18:00")
    answer = await set_date(world, "tomorrow 18:00")
    await pass_hours(world, 6)
    assert not world.results.history()
    gone = await world.gm.click(response(answer), label="Cancel the date")
    assert "Entry #3 no longer goes public on a date" in said(gone)
    assert "no longer goes public on a date" in said(await world.gm.slash(world.orders, "ledger", entry=6))
    await pass_hours(world, 48)
    assert not world.results.history()
    assert "no longer has a date" in refused(await send_raw(world.gm, world.orders, "publish-on:1:3:none"))
    assert "Only game masters" in refused(await send_raw(world.player, world.orders, "publish-on:1:3:none"))


async def test_of_what_is_one_persons_alone_nobody_else_reads_the_date(world: World) -> None:
    """Another game master learns neither roll nor date."""
    await scout(world, 20, to="me")
    await set_date(world)
    listed = said(await world.gm2.slash(world.orders, "ledger"))
    assert_lacks(listed, "#3", "#4")
    assert "no entry #4" in refused(await world.gm2.slash(world.orders, "ledger", entry=4))
    await pass_hours(world, 6)
    assert "Fort Anvil" in text(newest(world.results))


@pytest.mark.slow
async def test_a_date_that_was_moved_meanwhile_is_not_the_old_one(world: World) -> None:
    """A result found due earlier isn't published."""
    await scout(world, 20)
    await set_date(world)
    bot = world.bots[-1]
    world.clock.advance(hours=6)
    found = await bot.database.read(publishing.find_due, world.clock())
    assert found == [(1, 3)]
    assert await bot.database.read(publishing.is_due, *found[0])
    await set_date(world, "tomorrow 18:00")
    assert await bot.database.write(publishing.publish_due, bot.resolver, *found[0]) == ()
    assert await bot.database.read(publishing.find_due, world.clock()) == []


@pytest.mark.slow
async def test_what_is_void_by_its_date_stays_private(world: World) -> None:
    """Its date isn't looked at again."""
    await scout(world, 20)
    await set_date(world)
    later, database = world.clock() + timedelta(hours=6), world.bots[-1].database
    assert len(await database.read(publishing.find_due, later)) == 1
    await undo_entry(world, 3)
    assert not await database.read(publishing.find_due, later)
    before = len(world.results.history())
    await pass_hours(world, 6)
    assert len(world.results.history()) == before


@pytest.mark.slow
async def test_the_date_holds_for_what_amends_the_result(world: World) -> None:
    """The amendment goes public on that date; a later one has its own."""
    await scout(world, 20)
    await set_date(world)
    await amend_with(world, 3, "1", "Rope")
    assert "Goes public <t:" in said(await world.gm.slash(world.orders, "ledger", entry=5))
    await set_date(world, "tomorrow 18:00", number=5)
    await pass_hours(world, 6)
    assert not world.results.history()
    await pass_hours(world, 24)
    (published,) = world.results.history()
    assert "Fort Anvil" in text(published)
    assert entry(world)["entry"] == 5
    assert ("publish_at",) not in rows(world, "select name from state")


async def test_what_goes_wrong_once_is_done_the_next_time(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A failure is logged, and doesn't stop other results."""
    await scout(world, 20)
    await set_date(world)
    await roll_command(world, "scout", 20, scouter="Lima", base="Fort Anvil", roll="now")
    await set_date(world, number=5)

    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(publishing, "find_due", broken)
    await pass_hours(world, 6)
    monkeypatch.undo()
    is_due = publishing.is_due
    monkeypatch.setattr(publishing, "is_due", lambda *of: broken() if of[-1] == 3 else is_due(*of))
    await pass_hours(world, 0)
    assert [message for message in world.results.history() if "Lima" in text(message)]
    assert len(world.results.history()) == 1
    monkeypatch.undo()
    await pass_hours(world, 0)
    assert len(world.results.history()) == 2
    assert {record.msg for record in caplog.records if record.levelname == "ERROR"} == {"chore.bug", "publishing.bug"}
    caplog.clear()


@pytest.mark.slow
async def test_an_archived_campaign_publishes_nothing(world: World) -> None:
    """Its dates wait until it's active again."""
    await scout(world, 20)
    await set_date(world)
    asked = response(await world.manager.slash(world.orders, "campaign archive"))
    await world.manager.click(asked, label="Archive")
    await pass_hours(world, 72)
    assert "Fort Anvil" not in "".join(map(text, world.results.history()))
    await world.manager.click(asked, custom_id=press(asked, "back"))
    await world.restart()
    await world.env.advance_time(21)
    assert "Fort Anvil" in text(newest(world.results))


async def test_nobody_but_a_game_master_sets_a_date(world: World) -> None:
    """A forged id doesn't reveal whether there's a result."""
    await scout(world, 20)
    for key in ("publish-on:1:3", "publish-on:1:99", "publish-on:9:3"):
        told = refused(await send_raw(world.player, world.orders, key))
        assert "Only game masters" in told or "no such campaign" in told.casefold() or "campaign" in told
    assert not rows(world, "select 1 from state where name = 'publish_at'")


async def test_what_is_public_takes_no_date(world: World) -> None:
    """An open window is refused, and publishing removes the date."""
    await scout(world, 20)
    await set_date(world)
    asked = await window(world)
    await publish(world, newest(world.staff))
    assert "publish_at" in str(entry(world)["changes"])
    assert "is already public" in refused(await world.gm.submit_modal(asked, {"when": "tomorrow"}))
    assert "is already public" in refused(await send_raw(world.gm, world.orders, "publish-on:1:3"))
    shown = response(await world.gm.slash(world.orders, "ledger", entry=3))
    assert "Publish later …" not in [item.get("label") for item in components(shown)]
    await pass_hours(world, 6)
    assert len(world.results.history()) == 1


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("2026-03-10 18:00", datetime(2026, 3, 10, 17, 0, tzinfo=UTC)),
        ("2026-03-10", datetime(2026, 3, 10, 11, 0, tzinfo=UTC)),
        (" 2026-04-10   9:05 ", datetime(2026, 4, 10, 7, 5, tzinfo=UTC)),
        ("today 13:01", datetime(2026, 3, 1, 12, 1, tzinfo=UTC)),
        ("Tomorrow 00:00", datetime(2026, 3, 1, 23, 0, tzinfo=UTC)),
        ("sun 13:01", datetime(2026, 3, 1, 12, 1, tzinfo=UTC)),
        ("Sunday 13:00", datetime(2026, 3, 8, 12, 0, tzinfo=UTC)),
        ("friday", datetime(2026, 3, 6, 11, 0, tzinfo=UTC)),
        ("2026-03-29 02:30", datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),
    ],
)
def test_dates_are_read_in_the_campaigns_time_zone(typed: str, moment: datetime) -> None:
    """Days, words or weekdays; a skipped hour moves on."""
    assert read_date(typed, BERLIN, SUNDAY_NOON) == moment


@pytest.mark.parametrize(
    "typed",
    [
        *("", "18:00", "today 13:00", "yesterday", "2026-02-30 18:00", "2026-02-01", "2028-04-01", "9999-12-31 23:59"),
        *("every day 18:00", "friday 25:00", "friday evening", "2026-3-1", "tomorrow 18:00 18:00", "\x00", "f" * 99),
    ],
)
def test_what_is_no_moment_to_come_is_refused(typed: str) -> None:
    """The refusal says what's wrong."""
    with pytest.raises(BadInput):
        read_date(typed, BERLIN, SUNDAY_NOON)
