"""Challenges in the database: one entry with several processes, crashes and refusals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from bot.app import KINDS
from bot.client import Adjutant
from bot.cogs import infinity
from bot.cogs.infinity import Contestant, Opponent
from bot.core import audit, campaigns, migrate
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.errors import NotOpen
from bot.kernel import Chore, Client, Feature
from bot.outbox.queue import Post
from bot.rolls.pending import service, store
from bot.rolls.pending.service import PendingRef, PendingRoll, RanOut
from bot.rolls.pending.store import SeatAnswer
from bot.rolls.request import RollCommand
from rules.books.infinity.skill import RollSide
from tests.outbox.test_posts import allow, forbid, sends, wait
from tests.support.backend import GM, PLAYER, RESULTS, House
from tests.support.reading import components, labels, newest, response, said, text
from tests.support.world import World, rows, running

HAC_TAO = SeatAnswer("gm", fields={"attribute": "12", "name": "Hac Tao"})


async def make_challenge(house: House, hours: int | None = None) -> PendingRef:
    """Let a player challenge the game master."""
    campaign = await house.database.read(campaigns.get_campaign, house.campaign.id)
    if campaign is not None and "infinity" not in campaign.books:
        await house.edit({"books": "infinity"})
    opponent = Opponent(GM, "gm", bot=False, sees=True)
    command = RollCommand([RESULTS], infinity.FAMILY, [Contestant("Angus", RollSide(13, (-3,))).part("a")])
    asked = infinity.Challenge(opponent, "Angus", hours=hours)
    posted = await house.database.write(infinity.challenge_member, house.resolver, PLAYER, command, asked)
    return PendingRef(house.campaign.id, posted.pending.id)


async def answer(house: House, database: Database, ref: PendingRef) -> PendingRoll:
    """Answer as the game master, as one process does it."""
    return await database.write(service.answer, house.resolver, GM, ref, HAC_TAO)


async def test_of_answers_at_once_one_counts(house: House) -> None:
    """Of five answers one is rolled."""
    ref = await make_challenge(house)
    house.dice.script(5, 8)
    answers = await asyncio.gather(*(answer(house, house.database, ref) for _ in range(5)), return_exceptions=True)
    done = [item for item in answers if isinstance(item, PendingRoll)]
    late = [item for item in answers if isinstance(item, NotOpen)]
    assert (len(done), len(late)) == (1, 4)
    house.dice.finish()
    rolled = [item for item in await house.entries() if item.kind == "roll"]
    assert [item.number for item in rolled] == [done[0].pending.entry_number]
    assert all("answered: entry #" in item.what for item in late)
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


async def test_two_processes_make_one_entry(house: House) -> None:
    """Two answer and a third withdraws: only the first counts."""
    ref = await make_challenge(house)
    other = Database(house.database.engine.url.render_as_string(hide_password=False))
    try:
        house.dice.script(5, 8)
        outcomes = await asyncio.gather(
            answer(house, house.database, ref),
            answer(house, other, ref),
            other.write(service.withdraw, house.resolver, PLAYER, ref),
            return_exceptions=True,
        )
    finally:
        await other.close()
    assert sum(isinstance(item, NotOpen) for item in outcomes) == 2
    rolled = sum(item.kind == "roll" for item in await house.entries())
    assert rolled == sum(isinstance(item, PendingRoll) for item in outcomes)
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


async def test_what_has_run_out_is_never_rolled(house: House) -> None:
    """An answer at its very end comes too late."""
    ref = await make_challenge(house, hours=1)
    house.clock.advance(minutes=59, seconds=59)
    assert await service.end_overdue(house) == []
    house.clock.advance(seconds=1)
    with pytest.raises(RanOut):
        await answer(house, house.database, ref)
    closed = await house.database.write(service.end, house.resolver, ref)
    assert closed.pending.state == "expired"
    assert await service.end_overdue(house) == []
    assert [item.kind for item in await house.entries()] == ["campaign", "campaign"]


async def test_two_loops_let_it_run_out_once(house: House) -> None:
    """Only one of two processes notes it in the message."""
    await make_challenge(house, hours=1)
    house.clock.advance(hours=1)
    owed = await asyncio.gather(service.end_overdue(house), service.end_overdue(house))
    assert sorted(len(item) for item in owed) == [0, 1]


async def challenge(world: World) -> Any:  # noqa: ANN401
    """The player challenges the game master."""
    return await world.player.slash(world.orders, "infinity versus", mine=13, opponent=world.gm)


async def close_as_crash_leaves(world: World, *, withdraw: bool) -> None:
    """Commit the newest challenge's end without editing its message."""
    bot = world.bots[-1]
    (key,) = rows(world, "select id from pending order by opened_at desc limit 1")[0]
    player = replace(PLAYER, user_id=world.player.id, guild_id=world.guild.id)
    if withdraw:
        await bot.database.write(service.withdraw, bot.resolver, player, PendingRef(1, key))
    else:
        world.clock.advance(hours=72)
        await service.end_overdue(bot)


@pytest.mark.parametrize("withdraw", [True, pytest.param(False, marks=pytest.mark.slow)])
async def test_a_crash_before_the_note_does_not_lose_it(world: World, *, withdraw: bool) -> None:
    """The next process edits the message."""
    await challenge(world)
    await close_as_crash_leaves(world, withdraw=withdraw)
    assert labels(newest(world.orders)) == ["Answer", "Withdraw"]
    await world.restart()
    await wait(world, minutes=2)
    assert labels(newest(world.orders)) == []
    assert "Nothing was rolled" in text(newest(world.orders))
    assert len(world.orders.history()) == 1


async def test_a_crash_before_the_message_posts_it_once(world: World) -> None:
    """An unconfirmed message is looked for, and posted once."""
    forbid(world, world.orders, send_messages=True)
    told = said(await challenge(world))
    assert "Not posted yet: in #orders I need Send Messages" in told
    assert not world.orders.history()
    await world.restart()
    allow(world, world.orders)
    for _ in range(3):
        await wait(world, minutes=2)
    (message,) = world.orders.history()
    assert message.content == f"<@{world.gm.id}>"
    assert [user.id for user in message.mentions] == [world.gm.id]
    assert labels(message) == ["Answer", "Withdraw"]


async def test_one_that_was_never_posted_and_is_over_calls_nobody(world: World) -> None:
    """It's posted as withdrawn, without ping and buttons."""
    forbid(world, world.orders, send_messages=True)
    await challenge(world)
    await close_as_crash_leaves(world, withdraw=True)
    allow(world, world.orders)
    await wait(world, minutes=2)
    (message,) = world.orders.history()
    assert (message.content, labels(message)) == ("", [])
    assert "was withdrawn" in text(message)


async def test_a_deleted_message_is_no_trouble(world: World) -> None:
    """It's withdrawn from the list, and no edit is tried for ever."""
    await challenge(world)
    await newest(world.orders).delete()
    listed = response(await world.player.slash(world.orders, "infinity challenges"))
    select = next(item for item in components(listed) if item.get("custom_id", "").endswith("withdraw"))
    await world.player.select(listed, [select["options"][0]["value"]], custom_id=select["custom_id"])
    assert rows(world, "select state from pending") == [("withdrawn",)]
    assert rows(world, "select state, fault from post where kind = 'pending'") == [("sent", None)]


@pytest.mark.slow
async def test_a_refused_edit_is_tried_again(world: World) -> None:
    """The note waits until the channel can be seen."""
    await challenge(world)
    forbid(world, world.orders, view_channel=True)
    await close_as_crash_leaves(world, withdraw=False)
    await wait(world, minutes=2)
    ((state, fault),) = rows(world, "select state, fault from post where kind = 'pending'")
    assert state == "queued"
    assert fault
    allow(world, world.orders)
    await wait(world, minutes=5)
    assert labels(newest(world.orders)) == []


@pytest.mark.slow
async def test_a_note_about_a_message_that_is_not_known_replaces_it(world: World) -> None:
    """The message is found, says so, and has no buttons."""
    await challenge(world)
    first = newest(world.orders)
    query = "update post set state = 'queued', message_id = null, unconfirmed = true where kind = 'pending'"
    await world.bots[-1].database.write(lambda tx: tx.execute(sa.text(query)))
    await close_as_crash_leaves(world, withdraw=True)
    await wait(world, minutes=2)
    assert len(sends(world, world.orders)) == 1
    assert newest(world.orders).id == first.id
    assert "was withdrawn" in text(newest(world.orders))
    assert labels(newest(world.orders)) == []


async def test_a_message_that_is_known_is_edited_under_its_nonce(world: World) -> None:
    """A replacement keeps the posted nonce."""
    await challenge(world)
    await close_as_crash_leaves(world, withdraw=True)
    (nonce,) = (call["nonce"] for call in sends(world, world.orders))
    assert rows(world, "select nonce from post where kind = 'pending'") == [(nonce,)]


async def test_a_chore_that_fails_each_time_keeps_no_other_from_running(database_url: str) -> None:
    """Challenges expire although an earlier chore fails each round."""
    failed: list[int] = []

    async def fails(_client: Client) -> list[Post]:
        failed.append(1)
        raise OSError

    async with running(database_url) as there:
        await there.gm.slash(there.orders, "gm settings", books="campaign, infinity")
        await challenge(there)
        bot = there.new_bot()
        kernel = replace(bot.kernel, features=(Feature(chores=(Chore(fails),)), *bot.kernel.features))
        adjutant = Adjutant(bot.settings, kernel)
        there.bots.append(adjutant)
        await there.env.restart_bot(adjutant)
        there.clock.advance(hours=72)
        await there.env.advance_time(25)
        assert failed
        assert rows(there, "select state from pending") == [("expired",)]
        await there.env.advance_time(25)
        assert len(failed) > 1


async def test_challenges_wait_for_their_book(house: House) -> None:
    """They count as unfinished only while the book is off."""
    ref = await make_challenge(house)
    off = replace(house.campaign, books=("campaign",))
    assert await list_unfinished(house, replace(off, books=("campaign", "infinity"))) == []
    assert await list_unfinished(house, off) == [
        "1 open challenge waits until infinity is switched on again. They can expire before that."
    ]
    await make_challenge(house)
    assert await list_unfinished(house, off) == [
        "2 open challenges wait until infinity is switched on again. They can expire before that."
    ]
    for one in (ref, await make_challenge(house)):
        await house.database.write(service.end, house.resolver, one)
    assert len(await list_unfinished(house, off)) == 1


async def list_unfinished(house: House, campaign: Campaign) -> list[str]:
    """Return what waits for the book."""
    return await house.database.read(lambda tx: list(store.list_unfinished(tx, campaign)))


async def test_a_challenge_that_an_older_version_has_kept_is_answered(world: World) -> None:
    """Its old buttons still open the window."""
    await challenge(world)
    database = world.bots[-1].database
    await database.alter_schema(migrate.run, "downgrade", "0013")
    assert rows(world, "select challenger_id, state from challenge") == [(world.player.id, "open")]
    await world.restart()
    await migrate.upgrade(world.bots[-1].database)
    message = newest(world.orders)
    (key,) = (item["custom_id"] for item in components(message) if item.get("label") == "Answer")
    assert key.startswith("challenge:1:")
    modal: Any = await world.gm.click(message, custom_id=key)
    assert modal.modal["title"] == "Against player"
    world.dice.script(5, 8)
    fields = {"attribute": "12", "mods": "", "burst": "1", "crits": ["on"], "name": "Hac Tao"}
    assert "Rolled: entry #" in said(await world.gm.submit_modal(modal, fields))
    assert rows(world, "select state from pending") == [("answered",)]
    assert labels(newest(world.orders)) == ["Details"]
