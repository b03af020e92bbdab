"""The database's promises."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.cogs.campaign.settings import CampaignSettings
from bot.core import campaigns, entries, state
from bot.core.records import Change, Entry, Link
from bot.core.schema import actor, campaign, entry
from bot.core.schema import state as state_table
from bot.outbox import queue as posts
from tests.support.backend import GM, GM_ROLE, RESULTS, STAFF, House, scouting


async def another(house: House) -> int:
    """Another campaign on the server (id)."""
    settings = CampaignSettings("Cold Front", "campaign", "UTC", RESULTS + 100, STAFF + 100, GM_ROLE, None)
    return (await house.create(settings)).id


async def test_a_reader_sees_one_state_throughout(house: House) -> None:
    """Later commits aren't seen."""
    looked, written = threading.Event(), threading.Event()

    def work(tx: Connection) -> tuple[int, int]:
        first = len(state.get_whole(tx, house.campaign.id))
        looked.set()
        assert written.wait(60)
        return first, len(state.get_whole(tx, house.campaign.id))

    reading = asyncio.ensure_future(house.database.read(work))
    assert await asyncio.to_thread(looked.wait, 60)
    change = Change("kilo", "effect.mud", None, 1)
    await house.database.write(lambda tx: state.apply_changes(tx, house.campaign.id, [change]))
    written.set()

    assert await reading == (1, 1)
    assert len(await house.state()) == 2


async def test_writers_take_turns(house: House) -> None:
    """Twenty increments lose none."""

    def work(tx: Connection) -> None:
        campaigns.get_campaign(tx, house.campaign.id, lock=True)
        count = state.get_value(tx, house.campaign.id, "kilo", "count") or 0
        state.apply_changes(tx, house.campaign.id, [Change("kilo", "count", count, count + 1)])

    await asyncio.gather(*(house.database.write(work) for _ in range(20)))
    assert (await house.state())["kilo", "count"] == 20


async def test_times_come_back_in_utc_to_the_microsecond(house: House) -> None:
    """Naive times are refused."""
    noon = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=5)))
    await house.tamper(campaign.update().values(created_at=noon))
    stored = await house.database.read(lambda tx: campaigns.get_campaign(tx, house.campaign.id))
    assert stored is not None
    assert (stored.created_at, stored.created_at.tzinfo) == (noon, UTC)
    with pytest.raises(sa.exc.StatementError, match="naive time"):
        await house.tamper(campaign.update().values(created_at=noon.replace(tzinfo=None)))


async def test_values_come_back_as_they_were_kept(house: House) -> None:
    """Large numbers, odd letters, nested lists."""
    assert await house.database.read(lambda tx: tx.scalar(sa.select(actor.c.user_id))) == GM.user_id
    created = (await house.entries())[0].content()["created"]
    assert (created["results_channel_id"], created["staff_channel_id"]) == (str(RESULTS), str(STAFF))
    kept = [2**80, -0.5, 1e-7, "\u00e9\u0000\U0001f600", "\ud800", None, {"a": [True, {}]}]
    await house.database.write(state.set_values, house.campaign.id, {("kilo", "effect.mud"): kept})
    assert await house.database.read(state.get_value, house.campaign.id, "kilo", "effect.mud") == kept


async def test_a_row_without_its_campaign_or_with_a_number_that_is_taken_is_refused(house: House) -> None:
    """On both databases."""
    orphan = state_table.insert().values(campaign_id=99, subject="kilo", name="effect.mud", value=1)
    with pytest.raises(sa.exc.IntegrityError):
        await house.tamper(orphan)
    with pytest.raises(sa.exc.IntegrityError):
        await house.database.write(
            lambda tx: entries.append_entry(tx, house.campaign.id, entries.get_entry(tx, house.campaign.id, 1))  # type: ignore[arg-type]
        )


def _walk(campaign_id: int, batch: int, tx: Connection) -> list[Entry]:
    return list(entries.walk_entries(tx, campaign_id, batch))


async def test_a_ledger_is_walked_whole_batch_by_batch(house: House) -> None:
    """In order, with texts."""
    for number in range(4):
        await house.roll(scouting(f"Base {number}", "Jonas", note=f"note {number}"), 1)
    for batch in (1, 2, 5, 200):
        found = await house.database.read(partial(_walk, house.campaign.id, batch))
        assert [item.number for item in found] == [1, 2, 3, 4, 5]
        assert [item.text("note") for item in found] == [None, "note 0", "note 1", "note 2", "note 3"]


async def test_two_campaigns_share_no_row(house: House) -> None:
    """Not by any query."""
    other = await another(house)
    entry_number = (await house.roll(scouting("Fort Anvil", "Jonas"), 20)).entry.number

    def of_other(tx: Connection) -> None:
        rolled = {"subject:1", "subject:2"}
        assert state.get_values_beginning(tx, house.campaign.id, rolled, "")
        assert not state.get_values_beginning(tx, other, rolled, "")
        assert entries.get_entry(tx, other, entry_number) is None
        assert not posts.posts_of_entry(tx, other, entry_number)
        assert entries.find_link(tx, other, "uuid").number == 1
        mine = campaigns.find_pseudonym(tx, house.campaign.id, GM.user_id)
        assert mine is not None
        assert campaigns.find_pseudonym(tx, other, GM.user_id) != mine
        assert entries.find_users(tx, other, [mine]) == {}

    await house.database.read(of_other)


async def test_a_change_to_nothing_takes_the_value_away(house: House) -> None:
    """The last change counts."""
    first = [Change("kilo", "a", None, 1), Change("kilo", "b", None, 1)]
    twice = [Change("kilo", "a", 1, 3), Change("kilo", "a", 3, 2)]
    await house.database.write(lambda tx: state.apply_changes(tx, house.campaign.id, first))
    await house.database.write(lambda tx: state.apply_changes(tx, house.campaign.id, twice))
    assert (await house.state())["kilo", "a"] == 2
    await house.database.write(lambda tx: state.apply_changes(tx, house.campaign.id, [Change("kilo", "b", 1, None)]))
    assert ("kilo", "b") not in await house.state()


async def test_a_ledger_without_entries_begins_at_the_beginning(house: House) -> None:
    """With number 1."""
    await house.tamper(entry.delete())
    link = await house.database.read(lambda tx: entries.find_link(tx, house.campaign.id, "uuid"))
    assert link == Link("uuid")
    assert (link.number, link.hash) == (0, "0" * 64)
