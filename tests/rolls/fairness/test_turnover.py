from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa

from bot.core import epochs
from bot.core.ledger import find_link_and_epoch
from bot.core.schema import epoch, post
from bot.core.seeds import SLOTS
from bot.rolls.fairness import disclosure
from bot.rolls.resolver import RollOrder
from rules.errors import RulesError
from tests.support.backend import GM, House, opened, patrol, scouting


@pytest.fixture
async def house(database_url: str) -> AsyncIterator[House]:
    """Open a house with seeded dice."""
    async with opened(database_url, seeded=True) as house:
        await house.tamper(post.delete())
        yield house


async def find_current_epoch(house: House) -> tuple[int, int | None]:
    """Return the current epoch's number and first entry."""
    _, found = await house.database.read(find_link_and_epoch, house.campaign.id, house.campaign.uuid)
    assert found is not None
    return found.number, found.first


async def fill_up(house: House) -> None:
    """Fill the first epoch."""
    await house.tamper(epoch.update().where(epoch.c.number == 1).values(first=2 - SLOTS))


async def find_titles(house: House) -> list[str]:
    """Return the titles of thread messages."""
    payloads = await house.database.read(
        lambda tx: list(tx.scalars(sa.select(post.c.payload).where(post.c.kind == "audit")))
    )
    return [json.loads(item)[0]["title"] for item in payloads]


async def test_a_roll_on_a_full_epoch_begins_the_next_and_tells_it(house: House) -> None:
    """The thread reads how the first ended."""
    await fill_up(house)
    rolled = await house.roll_as_they_fall(patrol("Zaku"))
    assert await find_current_epoch(house) == (2, rolled.entry.number)
    assert await find_titles(house) == ["Dice set 1 is closed"]


async def test_a_refused_roll_leaves_the_epochs_as_they_were(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the transaction goes on."""
    await fill_up(house)

    def refuse(*_: object) -> None:
        raise RulesError("no such roll")

    monkeypatch.setattr("bot.rolls.resolver.resolve", refuse)

    def roll_and_go_on(tx: sa.Connection) -> None:
        with pytest.raises(RulesError):
            house.resolver.roll(tx, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku")))

    await house.database.write(roll_and_go_on)
    assert await find_current_epoch(house) == (1, 2 - SLOTS)
    assert await find_titles(house) == []


async def test_a_full_epoch_is_closed_without_a_roll(house: House) -> None:
    """Not only at midnight."""
    await fill_up(house)
    assert await house.database.read(epochs.campaigns_with_ended, house.clock()) == [house.campaign.id]
    await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
    assert await find_current_epoch(house) == (2, 2)


async def test_a_campaign_without_epochs_gets_its_first_before_any_roll(house: House) -> None:
    """It's committed to before dice fall."""
    await house.tamper(epoch.delete())
    assert await house.database.read(epochs.campaigns_with_ended, house.clock()) == [house.campaign.id]
    messages = await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
    assert [item.embeds[0].title for item in messages] == ["Every roll can be checked"]
    assert await find_current_epoch(house) == (1, 2)
    assert await house.database.read(epochs.campaigns_with_ended, house.clock()) == []


async def test_messages_of_the_thread_can_be_made_from_what_is_kept(house: House) -> None:
    """Line by line, of every dice set, also when it closed with private entries."""
    await house.tamper(epoch.delete())
    opening = await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
    posted = [opening[0].embeds[0].description]
    for day in range(4):
        await house.roll_as_they_fall(patrol(f"Zaku {day}"))
        await house.roll_as_they_fall(scouting(f"Fort {day}", "Rook", to="staff"))
        house.clock.advance(days=1)
        messages = await house.database.write(disclosure.close_due, house.ledger, house.campaign.id)
        posted += [embed.description for item in messages for embed in item.embeds]
    for number, first in ((1, 0), (3, 0), (4, 2), (5, 3)):
        made = await house.database.read(disclosure.draw_thread, house.campaign, number)
        assert [page.description for page in made] == posted[first : number + 1], number
