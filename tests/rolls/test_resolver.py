from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import discord
import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries
from bot.core.errors import BadInput, NeedsReason, NotOpen
from bot.core.proofs import verify_chain
from bot.core.records import Entry, Link
from bot.core.schema import book_version, post
from bot.outbox import queue as posts
from bot.outbox.delivery import CLAIM
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls.resolver import RollOrder, RollResult
from rules.books.campaign.orders import AMBUSHED
from rules.errors import WrongDice
from rules.ruleset import canonical_book, take_fingerprint
from tests.support.acting import close_update
from tests.support.backend import GM, House, patrol, scouting
from tests.support.reading import assert_says, press, refused, said, text
from tests.support.soundness import require_whole
from tests.support.world import BOOKS, World


async def test_one_command_is_one_entry_and_committed_before_anything_is_posted(house: House) -> None:
    """Ten dice, one entry, nothing sent yet."""
    rolled = await house.patrol(*(f"Zaku {number}" for number in range(10)), faces=(1,) * 10)

    assert [entry.number for entry in await house.entries()] == [1, 2]
    assert rolled.entry.number == 2
    assert [part["steps"][0]["faces"] for part in rolled.entry.content()["parts"]] == [[1]] * 10
    rolled = await house.patrol("Zaku", faces=(20,))

    number = rolled.entry.number
    queued = await house.database.read(lambda tx: posts.posts_of_entry(tx, house.campaign.id, number))
    assert await house.database.read(lambda tx: entries.get_entry(tx, house.campaign.id, number)) == rolled.entry
    assert [replace(item, unconfirmed=False) for item in queued] == list(rolled.posts)
    assert [(item.kind, item.state, item.message_id) for item in queued] == [("results", "queued", None)]


@pytest.mark.parametrize("faces", [(), (1,), (1, 21)])
async def test_a_die_that_fails_leaves_nothing(house: House, faces: tuple[int, ...]) -> None:
    """No entry, state, post or number."""
    before = await house.state()
    with pytest.raises(WrongDice):
        await house.patrol("Zaku", "Dom", faces=faces)

    assert [entry.number for entry in await house.entries()] == [1]
    assert await house.state() == before
    assert await house.count(post) == await house.count(book_version) == 0
    assert (await house.patrol("Zaku", faces=(1,))).entry.number == 2


async def test_a_failure_behind_the_entry_leaves_nothing(house: House) -> None:
    """Later errors roll it back too."""

    def roll_and_fail(tx: Connection, order: RollOrder) -> None:
        raise RuntimeError(house.resolver.roll(tx, order).entry.number)

    house.dice.script(20)
    before = await house.state()
    with pytest.raises(RuntimeError, match="2"):
        await house.database.write(roll_and_fail, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku")))

    assert [entry.number for entry in await house.entries()] == [1]
    assert await house.state() == before
    assert await house.count(post) == 0


async def test_rolls_at_once_are_numbered_without_gaps(house: House) -> None:
    """One chain, every number once."""
    house.dice.script(*[1] * 12)
    orders = [RollOrder(house.campaign.id, GM.user_id, patrol(f"Zaku {number}")) for number in range(12)]
    rolled = await asyncio.gather(*(house.database.write(house.resolver.roll, order) for order in orders))

    assert sorted(item.entry.number for item in rolled) == list(range(2, 14))
    chained = await house.entries()
    assert [entry.previous for entry in chained[1:]] == [entry.hash for entry in chained[:-1]]


async def test_an_archived_campaign_or_another_book_rolls_nothing(house: House) -> None:
    """Refusals say why or what to do."""
    await house.archive(archived=True)
    with pytest.raises(NotOpen, match="Iron Sea is archived"):
        await house.patrol("Zaku", faces=())
    assert len(await house.entries()) == 2

    await house.archive(archived=False)
    assert (await house.patrol("Zaku", faces=(1,))).entry.number == 4
    with pytest.raises(BadInput, match="/gm settings books"):
        await house.roll(replace(patrol("Zaku"), book="total_war"))


async def test_a_book_is_kept_once_under_its_fingerprint(house: House) -> None:
    """The first roll stores it."""
    rolls = [await house.patrol(name, faces=(1,)) for name in ("Zaku", "Dom")]
    book = BOOKS["campaign"]

    assert [item.entry.book for item in rolls] == [book.fingerprint] * 2
    kept = await house.database.read(lambda tx: tx.execute(book_version.select()).all())
    assert [(row.fingerprint, row.book, row.content) for row in kept] == [
        (book.fingerprint, "campaign", canonical_book(book))
    ]


def test_a_procedure_of_another_version_makes_another_book() -> None:
    """Procedures are part of the fingerprint."""
    book = BOOKS["campaign"]
    assert take_fingerprint(book) == book.fingerprint
    for family, procedure in book.procedures.items():
        changed = {**book.procedures, family: replace(procedure, version=procedure.version + 1)}
        assert take_fingerprint(replace(book, procedures=changed)) != book.fingerprint


def find_counted(entry: Entry) -> dict[str, Any]:
    """Return what counted first, by id."""
    step = entry.content()["parts"][0]["steps"][0]
    return {item["id"]: item for item in step["modifiers"] if item["count"]}


async def test_every_fact_is_recorded_with_its_origin(house: House) -> None:
    """And whether players may know it."""
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    request = patrol("Zaku", by="FORT  anvil")
    part = replace(request.parts[0], marks={"patrol.newtype": 1})
    entry = (await house.roll(request.with_part(0, part), 20)).entry

    found = find_counted(entry)
    assert found["patrol.newtype"]["origin"] == {"kind": "typed", "label": "ticked by hand"}
    assert not found["patrol.newtype"]["secret"]
    assert found["patrol.scouted"]["origin"] == {"kind": "effect", "label": "since entry 2"}
    assert found["patrol.scouted"]["secret"]
    assert entry.content()["parts"][0]["secret"] is True


async def test_a_fact_that_counts_nowhere_stands_in_the_body(house: House) -> None:
    """With its origin and tick."""
    request = patrol("Zaku")
    part = replace(request.parts[0], marks={AMBUSHED: 1})
    (told,) = (await house.roll(request.with_part(0, part), 20)).entry.content()["parts"]

    assert told["outcome"]["id"] == "caught-ambushed"
    assert told["marks"] == {AMBUSHED: 1}
    assert told["facts"][AMBUSHED] == {"count": 1, "origin": {"kind": "typed", "label": "ticked by hand"}}
    assert AMBUSHED not in {item["id"] for step in told["steps"] for item in step["modifiers"]}


async def test_a_known_fact_and_every_modifier_of_a_table_are_recorded(house: House) -> None:
    """Also why others don't count."""
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    (told,) = (await house.patrol("Zaku", by="Fort Anvil", faces=(1,))).entry.content()["parts"]
    assert told["marks"] == {}
    assert told["facts"]["patrol.scouted"] == {"count": 1, "origin": {"kind": "effect", "label": "since entry 2"}}
    entry = (await house.patrol("Zaku", faces=(1,))).entry
    step = entry.content()["parts"][0]["steps"][0]

    table = BOOKS["campaign"].table(step["table"])
    assert [item["id"] for item in step["modifiers"]] == [modifier.id for modifier in table.modifiers]
    assert all(item["why"] for item in step["modifiers"] if not item["count"])


async def test_the_same_roll_again_needs_a_reason_which_is_kept(house: House) -> None:
    """The entry has the reason."""
    await house.patrol("Zaku", faces=(1,))
    with pytest.raises(NeedsReason, match="entry #2"):
        await house.patrol("  zaku ", faces=())

    entry = (await house.roll(patrol("Zaku", reason="A modifier was missed"), 1)).entry
    assert entry.text("reason") == "A modifier was missed"
    assert "missed" not in entry.body + entry.header


async def test_what_must_still_hold_is_asked_before_the_dice(house: House) -> None:
    """A failing check draws no die."""

    def check_and_roll(tx: Connection, order: RollOrder) -> RollResult:
        if order.campaign_id == house.campaign.id:
            raise NotOpen("spent")
        return house.resolver.roll(tx, order)

    house.dice.script(1)
    with pytest.raises(NotOpen):
        await house.database.write(check_and_roll, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku")))
    assert len(await house.entries()) == 1
    assert (await house.roll(patrol("Zaku"), 1)).entry.number == 2


ROOT = Path(__file__).parents[2]
EACH = 300


async def roll(house: House, name: str) -> None:
    """Roll in another process."""
    url = house.database.engine.url.render_as_string(hide_password=False)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.rolls.roll_many", url, name, str(EACH)), cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    _, err = await process.communicate()
    assert process.returncode == 0, err.decode()


@pytest.mark.slow
async def test_two_processes_keep_one_chain(house: House) -> None:
    """600 entries in one chain, each with a post."""
    await asyncio.gather(roll(house, "Kilo"), roll(house, "Lima"))
    entries = await house.entries()
    assert [entry.number for entry in entries] == list(range(1, 2 * EACH + 2))
    assert list(verify_chain(Link(house.campaign.uuid), entries)) == []
    rolled = [entry.content()["parts"][0]["subjects"]["patrol"] for entry in entries[1:]]
    assert rolled.count("Kilo") == rolled.count("Lima") == EACH
    assert await house.count(post) >= 2 * EACH
    await require_whole(house)


async def queue_posts(world: World, *titles: str) -> list[Post]:
    """Queue staff posts without entries."""
    letters = [OutgoingMessage("reminder", world.staff.id, [discord.Embed(title=title)]) for title in titles]
    bot = world.bots[-1]
    return await bot.database.write(
        lambda tx: [post for letter in letters for post in bot.outbox.queue(tx, 1, None, [letter])]
    )


async def test_what_waited_too_long_is_left_to_the_loop(world: World) -> None:
    """The loop sends it once."""
    bot = world.bots[-1]
    first = await queue_posts(world, "Soon")
    world.clock.advance(seconds=CLAIM.total_seconds() - 1)
    second = await queue_posts(world, "Later")
    world.clock.advance(seconds=1)
    assert await bot.outbox.send(bot, first) == first
    assert not world.staff.history()
    assert [item.id for item in await bot.outbox.send_due(bot)] == [first[0].id]
    assert await bot.outbox.send(bot, first) == first
    await bot.outbox.send(bot, second)
    assert sorted(text(message).strip() for message in world.staff.history()) == ["Later", "Soon"]


async def test_a_post_without_an_entry_waits_for_no_other(world: World) -> None:
    """A refused reminder doesn't hold the next."""
    bot = world.bots[-1]
    world.env.inject_error("POST", f"/channels/{world.staff.id}/messages", status=503)
    sent = await bot.outbox.send(bot, await queue_posts(world, "First", "Second"))
    assert [item.message_id is None for item in sent] == [True, False]
    assert [text(message).strip() for message in world.staff.history()] == ["Second"]


async def test_the_answer_tells_what_could_not_be_posted(world: World) -> None:
    """It names the entry and where the rest is."""
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00", catch_up="ask")
    world.clock.advance(days=14)
    await world.env.advance_time(21)
    (question,) = world.staff.history()
    world.env.inject_error("POST", f"/channels/{world.results.id}/messages", status=503)
    told = said(await world.gm.click(question, custom_id=press(question, "roll")))
    assert "caught up 2" in told
    assert told.count("Not posted yet") == 1
    assert told.count("[Posted](") == 1
    assert "safe as entry #4" in told


async def test_the_answer_tells_what_was_done_by_hand(world: World) -> None:
    """It closes one update and reports the other."""
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00", catch_up="ask")
    world.clock.advance(days=14)
    await world.env.advance_time(21)
    (question,) = world.staff.history()
    await close_update(world)
    told = said(await world.gm.click(question, custom_id=press(question, "roll")))
    assert_says(told, "done by hand already 1 (<t:", "caught up 1 (<t:")
    assert "nothing is missed" in refused(await world.gm.click(question, custom_id=press(question, "skip")))
