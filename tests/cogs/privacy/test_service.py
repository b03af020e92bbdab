"""Erasing without panels, and what people are shown."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from bot.app import KINDS
from bot.cogs.privacy import service
from bot.cogs.privacy import service as keeping
from bot.cogs.privacy.service import ErasureResult, PersonalData
from bot.core import audit
from bot.core.erasing import ROWS
from bot.core.permissions import Person
from bot.core.schema import actor, entry_text, metadata, pending, post
from bot.rolls.card import service as cards
from tests.cogs.privacy.people import NAME, newcomer, roll, show_data
from tests.cogs.roster import saving
from tests.support.acting import confirmed, roll_command
from tests.support.backend import GM, PLAYER, STRANGER, House, patrol, scouting
from tests.support.reading import assert_lacks, assert_says, labels, response, said, text
from tests.support.world import World, create_campaign, rows, send_raw

WORDS = "my own words"


async def find_data(house: House, who: Person = PLAYER) -> list[PersonalData]:
    """A person's data."""
    return await house.database.read(keeping.find_kept, who)


async def erase(house: House, found: PersonalData, who: Person = PLAYER) -> ErasureResult:
    """Erase found data."""
    return await service.erase(house.database, house.resolver, who, found)


async def texts(house: House) -> set[str | None]:
    """All texts that are left."""
    query = sa.select(entry_text.c.text)
    return await house.database.read(lambda tx: set(tx.scalars(query)))


async def sound(house: House) -> None:
    """Assert that chain and state are valid."""
    for look in (audit.check_ledgers, audit.rebuild_states, audit.check_ledgers):
        assert [item.faults for item in await look(house.database, KINDS)] == [()]


async def roll_scouting(house: House, note: str = WORDS, who: Person = PLAYER) -> Any:  # noqa: ANN401 - a roll
    """Scoutings with notes, each by another scout."""
    name = f"Scout {len(await house.entries())}"
    return await house.roll(scouting("Fort Anvil", name, note=note), 20, who=who)


def test_every_column_that_says_who_somebody_is_is_seen_to() -> None:
    """Erasing covers every column with user ids; a letter's channel is one, too."""
    people = {
        column
        for table in metadata.tables.values()
        for column in table.columns
        if column.name in {"user_id", "owner_id", "asker_id", "member_id", "by_id", "actor_id"}
    }
    assert people | {post.c.channel_id} == {*ROWS.values(), pending.c.asker_id}


@pytest.mark.slow
async def test_what_came_meanwhile_is_erased_too(house: House) -> None:
    """Entries after the question."""
    await roll_scouting(house, "before")
    (found,) = await find_data(house)
    await roll_scouting(house, "after")
    await roll_scouting(house, "another's", GM)
    await erase(house, found)
    assert await texts(house) == {None, "another's"}
    assert await find_data(house) == []
    await sound(house)


@pytest.mark.slow
async def test_the_same_is_erased_once(house: House) -> None:
    """A person who is back loses nothing."""
    await roll_scouting(house)
    (found,) = await find_data(house)
    await asyncio.gather(erase(house, found), erase(house, found))
    assert [entry.kind for entry in await house.entries()].count("erasure") == 1
    await roll_scouting(house, "back again")
    (again,) = await find_data(house)
    assert again.mine != found.mine
    assert "back again" in await texts(house)
    await sound(house)


async def test_who_enters_something_for_the_first_time_meanwhile_is_erased_whole(house: House) -> None:
    """Rolls after their first card."""
    request = scouting("Fort Anvil", "Jonas", note=WORDS)
    opened = await house.edit({"players_may": "scouting"})
    await house.database.write(cards.open_card, house.resolver, PLAYER, opened, request)
    (found,) = await find_data(house)
    assert found.mine is None
    await roll_scouting(house)
    await erase(house, found)
    assert await texts(house) == {None}
    assert await find_data(house) == []


@pytest.mark.slow
async def test_a_long_history_is_erased_in_several_turns(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped, it can be continued."""
    monkeypatch.setattr(service, "ERASED_AT_ONCE", 2)
    for _ in range(5):
        await roll_scouting(house)
    (found,) = await find_data(house)
    with monkeypatch.context() as stopped:
        stopped.setattr(service, "_finish", None)
        with pytest.raises(TypeError):
            await erase(house, found)
    await sound(house)
    assert await texts(house) == {None}
    await roll_scouting(house, "since")
    (left,) = await find_data(house)
    assert left.mine == found.mine
    await erase(house, left)
    assert await texts(house) == {None}
    assert await find_data(house) == []
    assert [item.content()["erased"] for item in await house.entries() if item.kind == "erasure"] == [5, 1]
    assert str(PLAYER.user_id) not in str(
        await house.database.read(lambda tx: tx.execute(sa.select(post.c.payload)).all())
    )
    await sound(house)


@pytest.mark.slow
async def test_rolls_that_are_under_way_are_erased_or_are_somebody_new(house: House) -> None:
    """Whichever commits first, no text is left."""
    await roll_scouting(house)
    (found,) = await find_data(house)
    house.dice.script(20, 20, 20)
    rolls = [house.roll_as_they_fall(scouting("Fort Anvil", name, note=WORDS), PLAYER) for name in ("Al", "Bo", "Cy")]
    await asyncio.gather(rolls[0], erase(house, found), rolls[1], rolls[2])
    for left in await find_data(house):
        await erase(house, left)
    assert await texts(house) == {None}
    assert await house.count(actor) == 1  # the game master who made the campaign
    await sound(house)


@pytest.mark.slow
async def test_an_archived_campaign_is_erased_too(house: House) -> None:
    """Former players can erase too."""
    await saving.add(house, "Jonas", "pc", owner=str(STRANGER.user_id))
    await roll_scouting(house, who=STRANGER)
    await house.archive()
    (found,) = await find_data(house, STRANGER)
    assert (await erase(house, found, STRANGER)).owned == ("Jonas",)
    assert await texts(house) == {None}
    await sound(house)


async def test_an_erasure_can_be_taken_back_and_brings_nothing_back(house: House) -> None:
    """The character has an unknown player again."""
    await saving.add(house, "Jonas", "pc", owner=str(PLAYER.user_id))
    await roll_scouting(house)
    (found,) = await find_data(house)
    await erase(house, found)
    number = (await house.entries())[-1].number
    await house.take_back(number)
    assert WORDS not in await texts(house)
    assert await find_data(house) == []
    await sound(house)


async def test_what_only_the_staff_knows_of_is_not_counted_and_goes(house: House) -> None:
    """A staff amendment isn't counted, but erased."""
    await saving.add(house, "Zaku", "ship")
    made = await house.roll(replace(patrol("Zaku"), note=WORDS), 2, who=PLAYER)
    (before,) = await find_data(house)
    await saving.edit(house, "Zaku", secret=True)
    amended = await house.amend(made.entry.number)
    assert amended.entry.text("note") == WORDS
    assert amended.entry.audience == "staff"
    (found,) = await find_data(house)
    assert found.texts == before.texts == 1
    assert found.hidden == {amended.entry.number}
    await erase(house, found)
    assert WORDS not in await texts(house)
    await sound(house)


async def test_messages_follow_one_by_one(house: House) -> None:
    """Two seconds apart; unsent ones at once."""
    for _ in range(3):
        await roll_scouting(house)
    await house.tamper(post.update().where(post.c.entry_number < 4).values(state="sent", message_id=post.c.id))
    (found,) = await find_data(house)
    done = await erase(house, found)
    due = sa.select(post.c.due_at).where(post.c.message_id.is_not(None)).order_by(post.c.id)
    waits = await house.database.read(lambda tx: [(at - house.clock.now).total_seconds() for at in tx.scalars(due)])
    assert waits == [2.0 * place for place in range(1, len(waits) + 1)]
    assert {item.entry_number for item in done.posts} == {4, 5}


@pytest.mark.parametrize("who", [PLAYER, STRANGER])
async def test_of_whom_nothing_is_kept_nothing_is_erased(house: House, who: Person) -> None:
    """Others' data doesn't count."""
    await roll_scouting(house, who=GM)
    assert await find_data(house, who) == []


async def export_data(world: World, actor: Any) -> dict[str, Any]:  # noqa: ANN401 - who asks
    """The exported JSON."""
    answer = response(await actor.click(await show_data(world, actor), label="Export"))
    assert answer.ephemeral
    (file,) = answer.attachments
    data: dict[str, Any] = json.loads(await file.read())
    return data


async def test_everybody_is_told_of_themselves_in_all_campaigns(world: World) -> None:
    """Archived ones too; all of it is private."""
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Char", owner=world.player)
    await roll(world, world.player, "my words")
    await confirmed(world, "campaign archive", world.manager)
    await create_campaign(world, "New Sea")
    answer = await show_data(world, world.player)
    assert answer.ephemeral
    words = text(answer)
    assert_says(words, "**Iron Sea** (archived): 1 entry of yours since", "2 texts and names", "you play Char")
    assert "New Sea" not in words
    assert "New Sea" in text(await show_data(world, world.manager))
    nothing = await show_data(world, world.stranger)
    assert "I have no data about you" in text(nothing)
    assert labels(nothing) == []
    assert "I have no data about you" in said(await send_raw(world.stranger, world.orders, "privacy:export"))


async def test_the_file_has_what_was_typed(world: World) -> None:
    """Nothing about anyone else."""
    somebody = newcomer(world)
    await roll(world, world.player, "the player's words")
    await roll(world, somebody, "my words")
    await somebody.slash(world.orders, "roll", expression="d8", note="not yet", roll="card")
    (here,) = (await export_data(world, somebody))["campaigns"]
    (typed,) = here["texts"]
    assert typed["texts"] == {"name.roller": NAME, "note": "my words"}
    assert typed["kind"] == "roll"
    assert [card["note"] for card in here["cards"]] == ["not yet"]
    assert [(here["pseudonym"], here["salt"])] == rows(
        world, "select pseudonym, salt from actor where user_id = ?", somebody.id
    )
    assert "the player" not in json.dumps(here)


async def test_an_entry_for_the_staff_has_no_number_for_its_maker(world: World) -> None:
    """A player's staff scouting shows only what they typed."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, characters")
    await world.gm.slash(world.orders, "roster add", name="Fort", kind="base")
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="under-siege")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Alf", owner=world.player)
    await roll_command(world, "scout", 1, actor=world.player, scouter="Alf", base="Fort", note="my words", roll="now")
    audience = rows(world, "select audience from entry order by number desc")[0][0]
    (typed,) = (await export_data(world, world.player))["campaigns"][0]["texts"]
    assert typed["texts"] == {"note": "my words"}
    answer = text(await show_data(world, world.player))
    assert audience == "staff"
    assert_lacks(typed, "entry", "kind")
    assert "0 entries of yours" in answer
