"""Erasing below the panels, on both databases: races, copies, and that no table is forgotten."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from bot.app import KINDS
from bot.cogs.privacy import service
from bot.cogs.privacy import service as keeping
from bot.cogs.privacy.service import Erased, Kept
from bot.core import audit
from bot.core.erasing import ROWS
from bot.core.permissions import Person
from bot.core.schema import actor, entry_text, metadata, pending, post
from bot.rolls.card import service as cards
from tests.cogs.roster import saving
from tests.support.backend import GM, PLAYER, STRANGER, House, patrol, scouting

WORDS = "my own words"


async def kept(house: House, who: Person = PLAYER) -> list[Kept]:
    """What is kept of somebody."""
    return await house.database.read(keeping.find_kept, who)


async def erase(house: House, found: Kept, who: Person = PLAYER) -> Erased:
    """Erase what was found of somebody."""
    return await service.erase(house.database, house.resolver, who, found)


async def texts(house: House) -> set[str | None]:
    """All texts that are left."""
    query = sa.select(entry_text.c.text)
    return await house.database.read(lambda tx: set(tx.scalars(query)))


async def sound(house: House) -> None:
    """Claim that the chain is whole and the state what its entries add up to."""
    for look in (audit.check_ledgers, audit.rebuild_states, audit.check_ledgers):
        assert [item.faults for item in await look(house.database, KINDS)] == [()]


async def scouted(house: House, note: str = WORDS, who: Person = PLAYER) -> Any:  # noqa: ANN401 - a roll
    """A scouting with a note, each by another scout."""
    name = f"Scout {len(await house.entries())}"
    return await house.roll(scouting("Fort Anvil", name, note=note), 20, who=who)


def test_every_column_that_says_who_somebody_is_is_seen_to() -> None:
    """Columns with ids of people are those that erasing deletes by, and that of rolls that wait."""
    people = {
        column
        for table in metadata.tables.values()
        for column in table.columns
        if column.name in {"user_id", "owner_id", "asker_id", "member_id", "by_id", "actor_id"}
    }
    assert people == {*ROWS.values(), pending.c.asker_id}


@pytest.mark.slow
async def test_what_came_meanwhile_is_erased_too(house: House) -> None:
    """What is entered between the question and the press is found by the press."""
    await scouted(house, "before")
    (found,) = await kept(house)
    await scouted(house, "after")
    await scouted(house, "another's", GM)
    await erase(house, found)
    assert await texts(house) == {None, "another's"}
    assert await kept(house) == []
    await sound(house)


@pytest.mark.slow
async def test_the_same_is_erased_once(house: House) -> None:
    """Of two presses at the same time one erases, the other finds nothing; who has come back in between loses nothing."""
    await scouted(house)
    (found,) = await kept(house)
    await asyncio.gather(erase(house, found), erase(house, found))
    assert [entry.kind for entry in await house.entries()].count("erasure") == 1
    await scouted(house, "back again")
    (again,) = await kept(house)
    assert again.mine != found.mine
    assert "back again" in await texts(house)
    await sound(house)


async def test_who_enters_something_for_the_first_time_meanwhile_is_erased_whole(house: House) -> None:
    """Of whom there was only a card when they were asked, what they have rolled since goes too."""
    request = scouting("Fort Anvil", "Jonas", note=WORDS)
    opened = await house.edit({"players_may": "scouting"})
    await house.database.write(cards.open_card, house.resolver, PLAYER, opened, request)
    (found,) = await kept(house)
    assert found.mine is None
    await scouted(house)
    await erase(house, found)
    assert await texts(house) == {None}
    assert await kept(house) == []


@pytest.mark.slow
async def test_a_long_history_is_erased_in_several_turns(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped between two of them, it is whole, still theirs, and is erased to the end by asking again."""
    monkeypatch.setattr(service, "ERASED_AT_ONCE", 2)
    for _ in range(5):
        await scouted(house)
    (found,) = await kept(house)
    with monkeypatch.context() as stopped:
        stopped.setattr(service, "_finish", None)
        with pytest.raises(TypeError):
            await erase(house, found)
    await sound(house)
    assert await texts(house) == {None}
    await scouted(house, "since")
    (left,) = await kept(house)
    assert left.mine == found.mine
    await erase(house, left)
    assert await texts(house) == {None}
    assert await kept(house) == []
    assert [item.content()["erased"] for item in await house.entries() if item.kind == "erasure"] == [5, 1]
    assert str(PLAYER.user_id) not in str(
        await house.database.read(lambda tx: tx.execute(sa.select(post.c.payload)).all())
    )
    await sound(house)


@pytest.mark.slow
async def test_rolls_that_are_under_way_are_erased_or_are_somebody_new(house: House) -> None:
    """Whichever of roll and erasure is committed first: afterwards no text is left that the person could not erase."""
    await scouted(house)
    (found,) = await kept(house)
    house.dice.script(20, 20, 20)
    rolls = [house.roll_as_they_fall(scouting("Fort Anvil", name, note=WORDS), PLAYER) for name in ("Al", "Bo", "Cy")]
    await asyncio.gather(rolls[0], erase(house, found), rolls[1], rolls[2])
    for left in await kept(house):
        await erase(house, left)
    assert await texts(house) == {None}
    assert await house.count(actor) == 1  # the game master who made the campaign
    await sound(house)


@pytest.mark.slow
async def test_an_archived_campaign_is_erased_too(house: House) -> None:
    """Nobody has to wait for a game master to open it again; a stranger who once played can erase as well."""
    await saving.add(house, "Jonas", "pc", owner=str(STRANGER.user_id))
    await scouted(house, who=STRANGER)
    await house.archive()
    (found,) = await kept(house, STRANGER)
    assert (await erase(house, found, STRANGER)).owned == ("Jonas",)
    assert await texts(house) == {None}
    await sound(house)


async def test_an_erasure_can_be_taken_back_and_brings_nothing_back(house: House) -> None:
    """What was changed before it can be taken back with it: then a character is a player's again whom nobody knows."""
    await saving.add(house, "Jonas", "pc", owner=str(PLAYER.user_id))
    await scouted(house)
    (found,) = await kept(house)
    await erase(house, found)
    number = (await house.entries())[-1].number
    await house.take_back(number)
    assert WORDS not in await texts(house)
    assert await kept(house) == []
    await sound(house)


async def test_what_only_the_staff_knows_of_is_not_counted_and_goes(house: House) -> None:
    """An amendment that is the staff's since its target became secret repeats a note: it shows in no count, and is erased."""
    await saving.add(house, "Zaku", "ship")
    made = await house.roll(patrol("Zaku").model_copy(update={"note": WORDS}), 2, who=PLAYER)
    (before,) = await kept(house)
    await saving.edit(house, "unit", "Zaku", secret=True)
    amended = await house.amend(made.entry.number)
    assert amended.entry.text("note") == WORDS
    assert amended.entry.audience == "staff"
    (found,) = await kept(house)
    assert found.texts == before.texts == 1
    assert found.hidden == {amended.entry.number}
    await erase(house, found)
    assert WORDS not in await texts(house)
    await sound(house)


async def test_messages_follow_one_by_one(house: House) -> None:
    """The messages that were sent are due two seconds apart, so that new results go ahead; one that waits goes at once."""
    for _ in range(3):
        await scouted(house)
    await house.tamper(post.update().where(post.c.entry_number < 4).values(state="sent", message_id=post.c.id))
    (found,) = await kept(house)
    done = await erase(house, found)
    due = sa.select(post.c.due_at).where(post.c.message_id.is_not(None)).order_by(post.c.id)
    waits = await house.database.read(lambda tx: [(at - house.clock.now).total_seconds() for at in tx.scalars(due)])
    assert waits == [2.0 * place for place in range(1, len(waits) + 1)]
    assert {item.entry_number for item in done.posts} == {4, 5}


@pytest.mark.parametrize("who", [PLAYER, STRANGER])
async def test_of_whom_nothing_is_kept_nothing_is_erased(house: House, who: Person) -> None:
    """Nothing is found of people who have done nothing, whatever others have."""
    await scouted(house, who=GM)
    assert await kept(house, who) == []
