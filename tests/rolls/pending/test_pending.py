from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import pytest_asyncio
from msgspec.structs import replace

from bot.core.database import Database
from bot.core.errors import NotAllowed, NotOpen
from bot.core.permissions import Person
from bot.core.schema import pending
from bot.rolls.pending import service, store
from bot.rolls.pending.service import Ask, PendingRef, PendingRoll
from bot.rolls.pending.store import Seat, SeatAnswer
from rules.errors import RollError
from tests.rules.toybook import TOY
from tests.support.backend import GM, GUILD, PLAYER, PLAYER_ROLE, RESULTS, House, opened
from tests.support.soundness import require_whole
from tests.support.toy_answers import HOURS, TOYS, asked, words
from tests.support.world import BOOKS

PLAYERS = [Person(number, GUILD, frozenset({PLAYER_ROLE}), manages_server=False) for number in range(71, 74)]
STAND, COVER = SeatAnswer("somebody", "stand"), SeatAnswer("somebody", "cover")


@pytest_asyncio.fixture(name="toys")
async def toys_fixture(database_url: str) -> AsyncIterator[House]:
    """Open a house that plays the toy book."""
    async with opened(database_url, books={**BOOKS, "toy": TOY}, more=(TOYS,)) as house:
        house.campaign = await house.edit({"books": "campaign, toy"})
        yield house


def order(*seats: Seat, otherwise: str = words().otherwise) -> Ask:
    """Ask for Ann's duel with these seats."""
    request = asked([f"Foe {number}" for number in range(len(seats))])
    return Ask(RESULTS, request, seats, timedelta(hours=HOURS), words(otherwise))


def each() -> list[Seat]:
    """Return seats for three players."""
    return [Seat(users=(who.user_id,)) for who in PLAYERS]


async def wait(toys: House, wanted: Ask, who: Person = GM) -> PendingRef:
    """Let a duel wait."""
    made = await toys.database.write(service.ask, toys.resolver, who, toys.campaign, wanted)
    return PendingRef(toys.campaign.id, made.pending.id)


async def answer(toys: House, who: Person, ref: PendingRef, given: SeatAnswer = STAND) -> PendingRoll:
    """Answer in one process."""
    return await toys.database.write(service.answer, toys.resolver, who, ref, given)


async def find_pending(toys: House, ref: PendingRef) -> store.Pending:
    """Return what waits."""
    found = await toys.database.read(store.get, ref.campaign_id, ref.pending_id)
    assert found is not None
    return found


async def rolls(toys: House) -> int:
    """Count the rolls of a sound ledger."""
    await require_whole(toys)
    return sum(item.kind == "roll" for item in await toys.entries())


def script_hundred(toys: House, *faces: int) -> None:
    """Script d100 faces."""
    toys.dice.script(*faces, sides=100)


async def test_one_of_several_members_answers(toys: House) -> None:
    """The first answer takes the seat."""
    ref = await wait(toys, order(Seat(users=tuple(who.user_id for who in PLAYERS))))
    with pytest.raises(NotAllowed):
        await answer(toys, PLAYER, ref)
    script_hundred(toys, 60, 59)
    assert (await answer(toys, PLAYERS[1], ref)).pending.state == "answered"
    with pytest.raises(NotOpen, match="answered: entry"):
        await answer(toys, PLAYERS[0], ref)
    assert await rolls(toys) == 1


async def test_a_seat_of_nobody_is_a_game_masters(toys: House) -> None:
    """Players are refused."""
    ref = await wait(toys, order(Seat()))
    with pytest.raises(NotAllowed):
        await answer(toys, PLAYERS[0], ref)
    script_hundred(toys, 60, 59)
    assert (await answer(toys, GM, ref)).rolled is not None


async def test_of_last_answers_at_once_one_rolls(toys: House) -> None:
    """Three people answer twice each; one roll."""
    ref = await wait(toys, order(*each()))
    script_hundred(toys, 60, 59, 58, 57)
    said = await asyncio.gather(*(answer(toys, who, ref) for who in PLAYERS * 2), return_exceptions=True)
    toys.dice.finish()
    taken = [item for item in said if isinstance(item, PendingRoll)]
    assert sorted(len(item.pending.places_left) for item in taken) == [0, 1, 2]
    assert sum(isinstance(item, NotOpen) for item in said) == 3
    assert [item.rolled is not None for item in taken].count(True) == 1
    assert await rolls(toys) == 1


async def test_an_answer_and_two_loops_at_its_time_roll_once(toys: House) -> None:
    """One roll, reported once."""
    ref = await wait(toys, order(*each()))
    await answer(toys, PLAYERS[0], ref)
    toys.clock.advance(hours=HOURS)
    script_hundred(toys, 60, 59, 58, 57)
    other = Database(toys.database.engine.url.render_as_string(hide_password=False))
    try:
        ended = await asyncio.gather(
            toys.database.write(service.end, toys.resolver, ref),
            other.write(service.end, toys.resolver, ref),
            other.write(service.withdraw, toys.resolver, GM, ref),
            return_exceptions=True,
        )
    finally:
        await other.close()
    toys.dice.finish()
    assert sum(isinstance(item, PendingRoll) and item.rolled is not None for item in ended) == 1
    assert (await find_pending(toys, ref)).state == "closed"
    assert await rolls(toys) == 1


async def test_what_cannot_be_rolled_any_more_lapses(toys: House) -> None:
    """Its book is off, so it ends."""
    ref = await wait(toys, order(Seat()))
    await toys.edit({"books": "-toy"})
    unfinished = await toys.database.read(lambda tx: list(store.list_unfinished(tx, replace(toys.campaign, books=()))))
    assert unfinished == ["1 open duel waits until toy is switched on again. They can expire before that."]
    toys.clock.advance(hours=HOURS)
    posts = await service.end_overdue(toys)
    assert len(posts) == 1
    assert (await find_pending(toys, ref)).state == "expired"
    assert await service.end_overdue(toys) == []
    assert await rolls(toys) == 0


async def test_one_that_fails_keeps_no_other_from_ending(toys: House, caplog: pytest.LogCaptureFixture) -> None:
    """The bug is logged, and it waits on."""
    broken, ref = await wait(toys, order(Seat(), otherwise="")), await wait(toys, order(Seat(), otherwise=""))
    kept = await find_pending(toys, broken)
    await toys.tamper(pending.update().where(pending.c.id == kept.id).values(seats=[{"users": "none"}]))
    toys.clock.advance(hours=HOURS)
    await service.end_overdue(toys)
    assert (await find_pending(toys, ref)).state == "expired"
    assert [record.msg for record in caplog.records] == ["pending.bug"]


async def test_what_would_not_roll_or_cannot_be_answered_is_not_asked(toys: House) -> None:
    """Impossible rolls and forgotten families are refused."""
    wrong = order(Seat())
    (part,) = wrong.request.parts
    request = wrong.request.with_part(0, replace(part, marks={"resister.wings": 1}))
    with pytest.raises(RollError):
        await wait(toys, replace(wrong, request=request))
    assert await toys.count(pending) == 0
    with pytest.raises(NotOpen, match="no longer exists"):
        await wait(toys, replace(wrong, request=replace(wrong.request, family="climb")))
