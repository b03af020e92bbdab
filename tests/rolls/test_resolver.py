"""The resolver: one command, one entry, and all of it or nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries
from bot.core.records import Entry
from bot.core.schema import book_version, post
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.outbox import store as posts
from bot.rolls.resolver import Rolled, RollOrder
from rules.books.campaign.patrol import AMBUSHED
from rules.errors import WrongDice
from rules.ruleset import canonical_book, take_fingerprint
from tests.support.backend import GM, House, patrol, scouting
from tests.support.world import BOOKS


async def test_one_command_is_one_entry_and_committed_before_anything_is_posted(house: House) -> None:
    """Ten targets are ten dice, and the ledger counts them as one; when the resolver answers, entry and queued posts are in the database and nothing has been sent."""
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
    """When dice fail at the first or a later target, no entry, no state and no post is left, and no number is spent."""
    before = await house.state()
    with pytest.raises(WrongDice):
        await house.patrol("Zaku", "Dom", faces=faces)

    assert [entry.number for entry in await house.entries()] == [1]
    assert await house.state() == before
    assert await house.count(post) == await house.count(book_version) == 0
    assert (await house.patrol("Zaku", faces=(1,))).entry.number == 2


async def test_a_failure_behind_the_entry_leaves_nothing(house: House) -> None:
    """What fails in the transaction after the entry and its posts are written takes them back with it."""

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
    """Rolls that come in together take turns: every number once, in one chain."""
    house.dice.script(*[1] * 12)
    orders = [RollOrder(house.campaign.id, GM.user_id, patrol(f"Zaku {number}")) for number in range(12)]
    rolled = await asyncio.gather(*(house.database.write(house.resolver.roll, order) for order in orders))

    assert sorted(item.entry.number for item in rolled) == list(range(2, 14))
    chained = await house.entries()
    assert [entry.previous for entry in chained[1:]] == [entry.hash for entry in chained[:-1]]


async def test_an_archived_campaign_or_another_book_rolls_nothing(house: House) -> None:
    """Each refusal says why or what to do; taken back from the archive, the campaign rolls again."""
    await house.archive(archived=True)
    with pytest.raises(NotOpen, match="Iron Sea is archived"):
        await house.patrol("Zaku", faces=())
    assert len(await house.entries()) == 2

    await house.archive(archived=False)
    assert (await house.patrol("Zaku", faces=(1,))).entry.number == 4
    with pytest.raises(BadInput, match="/campaign edit books"):
        await house.roll(patrol("Zaku").model_copy(update={"book": "total_war"}))


async def test_a_book_is_kept_once_under_its_fingerprint(house: House) -> None:
    """Each roll names its book's fingerprint; the book itself is kept with the first."""
    rolls = [await house.patrol(name, faces=(1,)) for name in ("Zaku", "Dom")]
    book = BOOKS["campaign"]

    assert [item.entry.book for item in rolls] == [book.fingerprint] * 2
    kept = await house.database.read(lambda tx: tx.execute(book_version.select()).all())
    assert [(row.fingerprint, row.book, row.content) for row in kept] == [
        (book.fingerprint, "campaign", canonical_book(book))
    ]


def test_a_procedure_of_another_version_makes_another_book() -> None:
    """A roll names by its book's fingerprint what the procedures did in its day, not the tables alone."""
    book = BOOKS["campaign"]
    assert take_fingerprint(book) == book.fingerprint
    for family, procedure in book.procedures.items():
        changed = {**book.procedures, family: replace(procedure, version=procedure.version + 1)}
        assert take_fingerprint(replace(book, procedures=changed)) != book.fingerprint


def counted(entry: Entry) -> dict[str, Any]:
    """The modifiers that counted in the first step of an entry's first part, by id."""
    step = entry.content()["parts"][0]["steps"][0]
    return {item["id"]: item for item in step["modifiers"] if item["count"]}


async def test_every_fact_is_recorded_with_its_origin(house: House) -> None:
    """The entry tells for each modifier that counted from where it is known, and whether players may know it."""
    await house.roll(scouting("Fort Anvil", "Jonas"), 20)
    request = patrol("Zaku", by="FORT  anvil")
    part = request.parts[0].model_copy(update={"marks": {"patrol.newtype": 1}})
    entry = (await house.roll(request.with_part(0, part), 20)).entry

    found = counted(entry)
    assert found["patrol.newtype"]["origin"] == {"kind": "typed", "label": "ticked by hand"}
    assert not found["patrol.newtype"]["secret"]
    assert found["patrol.scouted"]["origin"] == {"kind": "effect", "label": "since entry 2"}
    assert found["patrol.scouted"]["secret"]
    assert entry.content()["parts"][0]["secret"] is True


async def test_a_fact_that_counts_nowhere_stands_in_the_body(house: House) -> None:
    """A fact that no modifier takes but that decides the outcome is recorded with its origin, and the tick with it."""
    request = patrol("Zaku")
    part = request.parts[0].model_copy(update={"marks": {AMBUSHED: 1}})
    (told,) = (await house.roll(request.with_part(0, part), 20)).entry.content()["parts"]

    assert told["outcome"]["id"] == "caught-ambushed"
    assert told["marks"] == {AMBUSHED: 1}
    assert told["facts"][AMBUSHED] == {"count": 1, "origin": {"kind": "typed", "label": "ticked by hand"}}
    assert AMBUSHED not in {item["id"] for step in told["steps"] for item in step["modifiers"]}


async def test_a_known_fact_and_every_modifier_of_a_table_are_recorded(house: House) -> None:
    """What lasts from an earlier roll though nobody ticked it, with the entry it is known from; each printed line once, and why those that do not count do not."""
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
    """The same patrol on the same target in one update is refused until a reason is given, which the entry keeps."""
    await house.patrol("Zaku", faces=(1,))
    with pytest.raises(NeedsReason, match="entry #2"):
        await house.patrol("  zaku ", faces=())

    entry = (await house.roll(patrol("Zaku", reason="A modifier was missed"), 1)).entry
    assert entry.text("reason") == "A modifier was missed"
    assert "missed" not in entry.body + entry.header


async def test_what_must_still_hold_is_asked_before_the_dice(house: House) -> None:
    """A check of the caller's that fails in the same transaction ahead of the roll draws no die and writes nothing."""

    def check_and_roll(tx: Connection, order: RollOrder) -> Rolled:
        if order.campaign_id == house.campaign.id:
            raise NotOpen("spent")
        return house.resolver.roll(tx, order)

    house.dice.script(1)
    with pytest.raises(NotOpen):
        await house.database.write(check_and_roll, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku")))
    assert len(await house.entries()) == 1
    assert (await house.roll(patrol("Zaku"), 1)).entry.number == 2
