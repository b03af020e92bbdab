"""A transaction's cache, and outside steps."""

from __future__ import annotations

from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import campaigns, state, transactions, voiding
from bot.core.campaigns import Campaign, get_campaign
from bot.core.errors import NotOpen
from bot.core.records import Change
from bot.core.schema import campaign
from bot.core.schema import state as state_table
from bot.core.transactions import OutsideStep, Write, had_outside_step, take_answer
from tests.support.backend import House

MUD = ("kilo", "effect.mud")


def mud(tx: Connection, house: House) -> object:
    """A subject's values."""
    return state.get_values_named(tx, house.campaign.id, [MUD[0]], [MUD[1]]).get(MUD)


async def test_a_transaction_asks_for_the_same_once_until_it_writes_it(house: House) -> None:
    """No other transaction shares it."""

    def work(tx: Connection) -> list[object]:
        found = [mud(tx, house)]
        made: list[object] = []
        sa.event.listen(tx, "before_cursor_execute", lambda *event: made.append(event[2]))
        found.append(mud(tx, house))
        assert not made
        state.apply_changes(tx, house.campaign.id, [Change(*MUD, None, 1)])
        return [*found, mud(tx, house)]

    assert await house.database.write(work) == [None, None, 1]
    assert await house.database.read(mud, house) == 1


async def test_what_was_read_whole_is_not_asked_for_in_part(house: House) -> None:
    """Whole subjects serve their names."""

    def work(tx: Connection) -> None:
        mine, of = house.campaign.id, ({"kilo"}, {"lima"}, {"kilo", "lima"})
        state.set_values(tx, mine, {(who, name): who + name for who in ("kilo", "lima") for name in "abc"})
        asked = [partial(state.get_values_named, tx, mine, some, {"a", "c", "d"}) for some in of]
        found = [ask() for ask in asked]
        assert [len(some) for some in found] == [2, 2, 4]
        transactions.forget_reads(tx)
        for some in of:
            state.get_values(tx, mine, some)
        made: list[object] = []
        sa.event.listen(tx, "before_cursor_execute", lambda *event: made.append(event[2]))
        assert [ask() for ask in asked] == found
        assert not made

    await house.database.write(work)


async def test_what_is_made_of_what_was_read_is_made_once_until_a_write(house: House) -> None:
    """Then it's computed again."""

    def work(tx: Connection) -> list[list[object]]:
        make = partial(transactions.compute_once, tx, "muddy", lambda: [mud(tx, house)])
        first, again = make(), make()
        assert again is first
        state.apply_changes(tx, house.campaign.id, [Change(*MUD, None, 1)])
        return [first, make()]

    assert await house.database.write(work) == [[None], [1]]


async def test_what_was_read_in_the_past_is_forgotten_with_it(house: House) -> None:
    """The present is read again."""

    def work(tx: Connection) -> list[object]:
        with voiding.hold_past(tx, house.campaign.id, {MUD: 2}):
            then = mud(tx, house)
        return [then, mud(tx, house)]

    assert await house.database.write(work) == [2, None]


async def test_a_campaign_is_locked_once_and_all_is_read_behind_it(house: House) -> None:
    """Waiting for a lock drops the cache."""

    def work(tx: Connection) -> int:
        made: list[object] = []
        before = mud(tx, house)
        sa.event.listen(tx, "before_cursor_execute", lambda *event: made.append(event[2]))
        locked = campaigns.get_campaign(tx, house.campaign.id, lock=True)
        assert (mud(tx, house), campaigns.get_campaign(tx, house.campaign.id)) == (before, locked)
        assert campaigns.get_campaign(tx, house.campaign.id, lock=True) == locked
        return len(made)

    assert await house.database.write(work) == 2


async def test_the_tests_notice_a_write_that_forgets_nothing(house: House) -> None:
    """Writes must use `transactions.write`."""

    def work(tx: Connection) -> None:
        mud(tx, house)
        tx.execute(state_table.delete().where(state_table.c.subject == MUD[0]))

    with pytest.raises(AssertionError, match="DELETE FROM state"):
        await house.database.write(work)


class Asking(OutsideStep):
    """An outside step that changes the time zone."""

    def __init__(self, refused: str = "") -> None:
        super().__init__("asking")
        self.refused = refused

    async def run(self, write: Write) -> int:
        """Write in another transaction."""
        await write(_rename, "Meanwhile")
        if self.refused:
            raise NotOpen(self.refused)
        return 7


def _rename(tx: sa.Connection, name: str) -> None:
    tx.execute(campaign.update().values(timezone=name))


async def zone(house: House) -> str:
    """The saved time zone."""
    found: Campaign | None = await house.database.read(get_campaign, house.campaign.id)
    assert found is not None
    return found.timezone


async def test_a_transaction_is_rolled_back_and_runs_again(house: House) -> None:
    """It sees what was written meanwhile."""
    runs: list[str] = []

    def deed(tx: sa.Connection) -> list[object]:
        runs.append(str(tx.scalar(sa.select(campaign.c.timezone))))
        _rename(tx, f"Run {len(runs)}")
        if not had_outside_step(tx):
            raise Asking
        return [take_answer(tx), take_answer(tx)]

    assert await house.database.write(deed) == [7, None]
    assert runs == ["Europe/Berlin", "Meanwhile"]
    assert await zone(house) == "Run 2"


async def test_what_is_refused_meanwhile_is_told_and_nothing_is_written(house: House) -> None:
    """The refusal replaces the answer."""

    def deed(tx: sa.Connection) -> None:
        _rename(tx, "Never")
        raise Asking("Too late")

    with pytest.raises(NotOpen, match="Too late"):
        await house.database.write(deed)
    assert await zone(house) == "Meanwhile"


async def test_other_transactions_know_nothing_of_it(house: House) -> None:
    """Answers don't leak to the next."""

    def deed(tx: sa.Connection) -> None:
        if not had_outside_step(tx):
            raise Asking

    await house.database.write(deed)
    assert not await house.database.write(had_outside_step)
    assert not await house.database.read(had_outside_step)
