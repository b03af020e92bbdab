"""`/verify`, the audit thread and epochs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest
import simcord

from bot.rolls.fairness.checks import Anchors, check, read_anchors, read_document
from bot.rolls.fairness.forms import VerificationFile
from tests.support.reading import assert_says, refused, response, said
from tests.support.world import World, running, send_raw


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A world with seeded dice."""
    async with running(f"sqlite:///{tmp_path / 'adjutant.db'}", drawn=True) as world:
        yield world


async def roll(world: World, **options: str) -> None:
    """Roll two dice at once."""
    await world.gm.slash(world.orders, "roll", expression="1d20+1d6", roll="now", **options)


async def next_day(world: World) -> None:
    """Let the day end."""
    world.clock.advance(days=1)
    await world.env.advance_time(21)


def thread(world: World) -> str:
    """The audit thread's messages."""
    (found,) = [item for item in world.results.threads if item.name == "Dice proof"]
    messages = [*world.results.history(), *found.history()]
    return "\n".join(embed.description or "" for message in messages for embed in message.embeds)


def anchors(world: World) -> Anchors:
    """What the audit thread says of the campaign."""
    text = thread(world)
    return read_anchors(text, text.partition("campaign ")[2][:36])


async def document(result: simcord.InteractionResult) -> VerificationFile:
    """The file in an answer."""
    (file,) = response(result).attachments
    return read_document(await file.read())


async def test_a_roll_is_verified_from_the_ledger_too(world: World) -> None:
    """A stranger with its id learns nothing."""
    await roll(world)
    await next_day(world)
    shown = response(await world.player.slash(world.orders, "ledger", entry=3))
    answer = await world.player.click(shown, label="Verify")
    assert "This is valid" in said(answer)
    assert (await document(answer)).about == 3
    assert "an entry #99" in refused(await send_raw(world.player, world.orders, "verify:1:99"))
    assert "Verify" not in said(await send_raw(world.stranger, world.orders, "verify:1:3"))


async def test_an_epoch_begins_where_the_one_before_has_ended(world: World) -> None:
    """It needs the real end of the first epoch."""
    for _ in range(3):
        await roll(world)
        await next_day(world)
    said_there, last = anchors(world), anchors(world).closed[1].last
    file = await document(await world.player.slash(world.orders, "verify", entry=last + 1))
    verdict = check(file, said_there)
    assert (file.epoch.number, verdict.faults, verdict.anchored) == (2, (), True)
    said_there.closed[1].last -= 1
    assert check(file, said_there).faults == (
        f"The dice proof thread ends dice set 1 with entry {last - 1}, and dice set 2 begins with {last + 1}.",
    )


async def test_the_commitment_is_there_before_the_first_roll(world: World) -> None:
    """Each closing adds another."""
    (found,) = world.results.threads
    assert found.name == "Dice proof"
    await roll(world)
    await next_day(world)
    said_there = anchors(world)
    assert sorted(said_there.commitments) == [1, 2, 3]
    assert sorted(said_there.closed) == [1]
    await roll(world)
    await next_day(world)
    said_there = anchors(world)
    assert said_there.closed[2].commitment
    assert sorted(said_there.commitments) == [1, 2, 3, 4]


async def test_a_day_without_rolls_closes_nothing(world: World) -> None:
    """The epoch stays open."""
    before = thread(world)
    await next_day(world)
    assert thread(world) == before
    await roll(world)
    await next_day(world)
    assert thread(world) != before


async def test_a_secret_roll_shows_its_hash_alone(world: World) -> None:
    """A player's file has number and hash only."""
    await roll(world)
    await roll(world, to="staff", note="Ghost")
    await next_day(world)

    file = await document(await world.player.slash(world.orders, "verify", entry=3))
    theirs = await document(await world.gm.slash(world.orders, "verify", entry=4))

    hidden, known = file.entries[-1], theirs.entries[-1]
    assert (hidden.number, hidden.hash) == (known.number, known.hash)
    assert (hidden.header, hidden.body, hidden.draw, hidden.seed) == (None, None, None, None)
    assert "Ghost" not in json.dumps([item.header for item in file.entries])
    assert known.seed is not None
    assert known.seed not in thread(world)
    closed = anchors(world).closed[1]
    assert closed.secret[4] == hidden.hash
    assert "don't know of an entry #4" in refused(await world.player.slash(world.orders, "verify", entry=4))


async def test_a_published_roll_is_revealed_with_its_content(world: World) -> None:
    """A player's file then has its seed."""
    await roll(world, to="staff")
    await next_day(world)
    await send_raw(world.gm, world.staff, "publish:1:3:now")

    proved = await world.player.slash(world.orders, "verify", entry=3)

    assert "This is valid" in said(proved)
    assert (await document(proved)).entries[2].seed is not None


async def test_a_stranger_and_what_is_not_there_are_refused(world: World) -> None:
    """People outside get no file."""
    await roll(world)
    assert refused(await world.stranger.slash(world.orders, "verify", entry=3))
    assert "don't know of an entry #9" in refused(await world.player.slash(world.orders, "verify", entry=9))


async def test_a_forged_message_of_the_thread_is_told(world: World) -> None:
    """The answer says so."""
    await roll(world)
    await next_day(world)
    (found,) = world.results.threads
    message = found.history()[-1]
    stored = world.env.backend.get_message(found.id, message.id)
    for embed in stored.embeds:
        embed["description"] = embed["description"].replace("head ", "head f", 1)[:-1]

    answer = said(await world.player.slash(world.orders, "verify", entry=3))

    assert_says(answer, "This isn't valid.", "The dice proof thread has other entries in dice set 1.")


async def test_a_discord_that_fails_is_no_deleted_message(world: World) -> None:
    """The answer says to try again."""
    await roll(world)
    world.env.inject_error("GET", "/channels/*/messages/*", status=503, times=None)

    answer = refused(await world.player.slash(world.orders, "verify", entry=3))

    assert_says(answer, "I couldn't read the dice proof thread", "Ask again")


async def test_a_line_that_is_cut_off_is_no_bug(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer says to try again."""

    async def cut(*_: object, **__: object) -> None:
        raise ConnectionResetError(104, "Connection reset by peer")

    monkeypatch.setattr(discord.PartialMessageable, "fetch_message", cut)
    await roll(world)

    assert "Ask again" in refused(await world.player.slash(world.orders, "verify", entry=3))


async def test_an_entry_without_dice_has_no_fixed_dice(world: World) -> None:
    """A right-click reaches entries that have none."""
    answer = said(await world.gm.slash(world.orders, "verify", entry=2))
    assert_says(answer, "Entry #2: The ledger is unchanged so far", "It has no dice")
    assert "dice were fixed" not in answer
