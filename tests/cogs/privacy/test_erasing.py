"""Erasing a person; the ledger still verifies."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import simcord

from bot.app import KINDS
from bot.core import audit
from tests.cogs.ledger.test_amend import adjust
from tests.cogs.privacy import people
from tests.support.acting import roll_command, take_back
from tests.support.reading import assert_says, newest, press, refused, response, said, text
from tests.support.world import World, entry, entry_texts, nothing_written, rows, running, send_raw


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """A bot with Infinity, where players roll and edit."""
    async with running(database_url) as made:
        await made.gm.slash(made.orders, "gm settings", books="campaign, infinity", players_may="scouting, characters")
        yield made


async def sound(world: World) -> None:
    """Assert that chain and state are valid, also rebuilt."""
    database = world.bots[-1].database
    for look in (audit.check_ledgers, audit.rebuild_states, audit.check_ledgers):
        assert [fault for item in await look(database, KINDS) for fault in item.faults] == []


async def test_nothing_of_a_person_is_left(world: World) -> None:
    """The roll keeps its numbers."""
    somebody = people.newcomer(world)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Char", owner=somebody)
    await people.roll(world, somebody, "for my secret aunt")
    await people.roll(world, world.player, "for another aunt")
    await somebody.slash(world.orders, "scout", scouter="Char", base="Fort", note="an aunt again", roll="card")
    await somebody.slash(world.orders, "infinity versus", mine=9, opponent=world.player, note="aunts, all of them")
    await world.gm.slash(world.orders, "ledger", person=somebody, text="aunt")
    (salt,) = rows(world, "select salt from actor where user_id = ?", somebody.id)
    (pseudonym,) = rows(world, "select pseudonym from actor where user_id = ?", somebody.id)
    assert all(
        trace in people.read_database(world)
        for trace in (people.NAME, "secret aunt", str(somebody.id), salt[0], "aunts, all")
    )

    answer = said(await people.erase(world, somebody))
    assert_says(answer, "Iron Sea", "Char has no player now")
    await people.edits_done(world)

    for trace in (people.NAME, "secret aunt", "an aunt again", "aunts, all", str(somebody.id)):
        assert trace not in people.read_messages(world)
    for trace in (people.NAME, "secret aunt", "an aunt again", "aunts, all", str(somebody.id), salt[0]):
        assert trace not in people.read_database(world)
    assert pseudonym[0] in people.read_database(world), "the bare fact stays"
    assert "for another aunt" in people.read_database(world)
    assert_says(people.read_messages(world), "for another aunt", "someone rolls d6")
    assert rows(world, "select count(*) from post where state <> 'sent'") == [(0,)]
    await sound(world)


@pytest.mark.slow
async def test_what_repeats_a_text_goes_with_it(world: World) -> None:
    """The undo's own reason stays."""
    somebody = people.newcomer(world)
    await roll_command(world, "infinity versus", 3, 12, actor=somebody, mine=9, their_attribute=12, note="my own words")
    number = rows(world, "select max(number) from entry")[0][0]
    await take_back(world, "gm undo", world.gm, entry=number, reason="a misclick")
    assert f"{people.NAME}" in people.read_messages(world)

    await people.erase(world, somebody)
    await people.edits_done(world)

    assert people.NAME not in people.read_database(world) + people.read_messages(world)
    assert "my own words" not in people.read_database(world) + people.read_messages(world)
    assert "a misclick" in people.read_database(world)
    await sound(world)


@pytest.mark.slow
async def test_a_game_master_erases_their_own_words_alone(world: World) -> None:
    """The roller's name and note stay."""
    boss = people.newcomer(world, role="gm")
    await people.roll(world, world.player, "the player's words")
    number = rows(world, "select max(number) from entry")[0][0]
    await take_back(world, "gm undo", boss, entry=number, reason="an odd reason")

    await people.erase(world, boss)
    await people.edits_done(world)

    assert "an odd reason" not in people.read_database(world) + people.read_messages(world)
    assert str(boss.id) not in people.read_database(world) + people.read_messages(world)
    assert "the player's words" in people.read_messages(world)
    assert "name.roller" in entry(world, number)["texts"]
    assert ("player",) in rows(world, "select text from entry_text where number = ?", number)
    assert "Data erased" in said(await boss.slash(world.orders, "ledger", entry=number + 2))
    await sound(world)


@pytest.mark.slow
async def test_who_comes_back_is_somebody_new(world: World) -> None:
    """Under a new pseudonym."""
    somebody = people.newcomer(world)
    await people.roll(world, somebody, "first")
    (before,) = rows(world, "select pseudonym from actor where user_id = ?", somebody.id)
    await people.erase(world, somebody)
    assert "I have no data about you" in text(await people.show_data(world, somebody))

    await people.roll(world, somebody, "second")
    (after,) = rows(world, "select pseudonym from actor where user_id = ?", somebody.id)
    assert before != after
    assert "1 entry of yours" in text(await people.show_data(world, somebody))
    await people.erase(world, somebody)
    await people.edits_done(world)
    assert "second" not in people.read_database(world) + people.read_messages(world)
    await sound(world)


async def test_a_second_confirmation_erases_nothing_more(world: World) -> None:
    """The button enters nothing."""
    somebody = people.newcomer(world)
    await people.roll(world, somebody, "words")
    asked = await people.show_data(world, somebody)
    again = response(await somebody.click(asked, custom_id=press(asked, "erase")))
    key = press(again, "erase-for-good")
    await somebody.click(again, custom_id=key)
    with nothing_written(world):
        assert "Nothing to erase" in said(await send_raw(somebody, world.orders, key, on=again))


async def test_nobody_erases_another(world: World) -> None:
    """Not even by a game master."""
    await people.roll(world, world.player, "kept words")
    before = people.read_database(world)
    answers = {
        refused(await send_raw(world.gm, world.orders, f"privacy:{deed}:{user}"))
        for deed in ("erase", "erase-for-good")
        for user in (world.player.id, world.stranger.id, 0)
    }
    assert len(answers) == 1
    assert people.read_database(world) == before


async def test_a_challenge_goes_on_without_who_erased(world: World) -> None:
    """Game masters answer for them."""
    somebody = people.newcomer(world)
    await somebody.slash(world.orders, "infinity versus", mine=9, opponent=world.player)
    own = newest(world.orders)
    await world.player.slash(world.orders, "infinity versus", mine=9, opponent=somebody)
    other = newest(world.orders)
    await people.erase(world, somebody)

    assert rows(world, "select state from pending") == [("open",)]
    assert "the game masters" in text(people.as_it_stands(world.orders, other))
    key = press(own, "answer")
    assert "no longer exists" in refused(await send_raw(world.player, world.orders, key))
    window = await world.gm.click(people.as_it_stands(world.orders, other), custom_id=press(other, "answer"))
    assert window.modal is not None
    assert str(somebody.id) not in people.read_database(world) + people.read_messages(world)


@pytest.mark.slow
async def test_of_a_roll_that_two_made_one_name_goes(world: World) -> None:
    """The other's name and note stay."""
    somebody = people.newcomer(world)
    await world.player.slash(world.orders, "infinity versus", mine=9, opponent=somebody, note="the player's note")
    asked = newest(world.orders)
    window = await somebody.click(asked, custom_id=press(asked, "answer"))
    world.dice.script(9, 3)
    await somebody.submit_modal(
        window, {"attribute": "12", "mods": "", "burst": "1", "crits": ["on"], "name": people.NAME}
    )
    number = rows(world, "select max(number) from entry")[0][0]
    assert entry_texts(world, number) == {"name.a": "player", "name.b": people.NAME, "note": "the player's note"}
    assert f"<@{somebody.id}>" in people.read_messages(world)

    await people.erase(world, somebody)
    await people.edits_done(world)

    assert entry_texts(world, number) == {"name.a": "player", "name.b": None, "note": "the player's note"}
    assert people.NAME not in people.read_database(world) + people.read_messages(world)
    assert str(somebody.id) not in people.read_database(world) + people.read_messages(world)
    assert "This challenge is closed" in text(people.as_it_stands(world.orders, asked))
    await sound(world)

    await people.erase(world, world.player)
    await people.edits_done(world)
    assert "the player's note" not in people.read_database(world) + people.read_messages(world)
    assert str(world.player.id) not in people.read_database(world) + people.read_messages(world)
    await sound(world)


async def open_amendment(world: World, somebody: simcord.MemberActor) -> tuple[int, simcord.ResponseMessage]:
    """A roll with a note, and a card that amends it."""
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Char", owner=somebody)
    await roll_command(world, "scout", 12, actor=somebody, scouter="Char", base="Fort", note="my words", roll="now")
    number = rows(world, "select max(number) from entry")[0][0]
    window = await world.gm.slash(world.orders, "gm amend", entry=number, reason="once more")
    return number, response(await world.gm.submit_modal(window, {"reason": "once more"}))


@pytest.mark.slow
async def test_a_card_that_amends_the_roll_is_gone(world: World) -> None:
    """It can't bring the text back."""
    somebody = people.newcomer(world)
    _, card = await open_amendment(world, somebody)
    assert "my words" in str(rows(world, "select request from card"))
    await people.erase(world, somebody)
    assert rows(world, "select count(*) from card") == [(0,)]
    refused(await world.gm.click(card, custom_id=press(card, "roll")))
    assert "my words" not in people.read_database(world)


@pytest.mark.slow
async def test_an_amendment_holds_no_more_of_who_rolled(world: World) -> None:
    """Its own reason stays."""
    somebody = people.newcomer(world)
    number, card = await open_amendment(world, somebody)
    await adjust(world.gm, card, "1", "Rope")
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert set(entry(world, number + 1)["texts"]) == {"note", "amended", "adjustment.0.0"}
    assert people.read_messages(world).count("my words") > 1

    await people.erase(world, somebody)
    await people.edits_done(world)

    assert "my words" not in people.read_database(world) + people.read_messages(world)
    assert "once more" in people.read_database(world)
    assert "**Why:** once more" not in people.read_messages(world), "the notice may have repeated what was erased"
    await sound(world)


@pytest.mark.slow
async def test_edits_go_on_after_a_restart(world: World) -> None:
    """The next bot edits the rest."""
    somebody = people.newcomer(world)
    for number in range(4):
        await people.roll(world, somebody, f"words {number}")
    await people.erase(world, somebody)
    assert "words 3" in people.read_messages(world)
    await world.restart()
    await people.edits_done(world)
    assert "words" not in people.read_messages(world)


async def test_every_erasure_is_an_entry_and_a_notice(world: World) -> None:
    """The notice names no one."""
    somebody = people.newcomer(world)
    await somebody.slash(world.orders, "scout", scouter="Char", base="Fort", roll="card")
    await people.erase(world, somebody)
    ((number, kind),) = rows(world, "select number, kind from entry order by number desc limit 1")
    assert kind == "erasure"
    notice = text(newest(world.staff))
    assert_says(notice, "Data erased", f"#{number}")
    assert str(somebody.id) not in notice
