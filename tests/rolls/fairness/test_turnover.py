"""Epochs begin, close and stay as they were, whatever becomes of a roll."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from bot.core import epochs
from bot.core.schema import epoch, post
from bot.core.seeds import SLOTS
from bot.rolls.fairness import turnover
from bot.rolls.resolver import RollOrder
from rules.errors import RulesError
from tests.support.backend import GM, House, opened, patrol


@pytest.fixture
async def house(database_url: str) -> AsyncIterator[House]:
    """A house whose dice follow from seeds."""
    async with opened(database_url, seeded=True) as house:
        await house.tamper(post.delete())
        yield house


async def under_way(house: House) -> tuple[int, int | None]:
    """The number of the epoch that goes on, and its first entry."""
    _, found = await house.database.read(epochs.find_link_and_epoch, house.campaign.id, house.campaign.uuid)
    assert found is not None
    return found.number, found.first


async def fill_up(house: House) -> None:
    """Let the first epoch have begun so long ago that it is full."""
    await house.tamper(epoch.update().where(epoch.c.number == 1).values(first=2 - SLOTS))


async def told(house: House) -> list[str]:
    """The titles of what the audit thread is told."""
    payloads = await house.database.read(
        lambda tx: list(tx.scalars(sa.select(post.c.payload).where(post.c.kind == "audit")))
    )
    return [json.loads(item)[0]["title"] for item in payloads]


async def test_a_roll_on_a_full_epoch_begins_the_next_and_tells_it(house: House) -> None:
    """The epoch that was committed to goes on with that roll, and the thread is told the end of the first."""
    await fill_up(house)
    rolled = await house.roll_as_they_fall(patrol("Zaku"))
    assert await under_way(house) == (2, rolled.entry.number)
    assert await told(house) == ["Dice set 1 is closed"]


async def test_a_refused_roll_leaves_the_epochs_as_they_were(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a transaction goes on after a roll was refused in it, no epoch has ended without the thread being told."""
    await fill_up(house)

    def refuse(*_: object) -> None:
        raise RulesError("no such roll")

    monkeypatch.setattr("bot.rolls.resolver.resolve", refuse)

    def roll_and_go_on(tx: sa.Connection) -> None:
        with pytest.raises(RulesError):
            house.resolver.roll(tx, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku")))

    await house.database.write(roll_and_go_on)
    assert await under_way(house) == (1, 2 - SLOTS)
    assert await told(house) == []


async def test_a_full_epoch_is_closed_without_a_roll(house: House) -> None:
    """Entries without dice fill an epoch too; it is closed as soon as that is seen, not only at midnight."""
    await fill_up(house)
    assert await house.database.read(epochs.campaigns_with_ended, house.clock()) == [house.campaign.id]
    await house.database.write(turnover.close_due, house.ledger, house.campaign.id)
    assert await under_way(house) == (2, 2)


async def test_a_campaign_without_epochs_gets_its_first_before_any_roll(house: House) -> None:
    """In a campaign of an older version the first epoch begins by itself, so that it is committed to before dice fall."""
    await house.tamper(epoch.delete())
    assert await house.database.read(epochs.campaigns_with_ended, house.clock()) == [house.campaign.id]
    messages = await house.database.write(turnover.close_due, house.ledger, house.campaign.id)
    assert [item.embeds[0].title for item in messages] == ["Every roll can be checked"]
    assert await under_way(house) == (1, 2)
    assert await house.database.read(epochs.campaigns_with_ended, house.clock()) == []
