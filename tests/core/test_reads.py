"""What a transaction remembers of its reading, and when it forgets it."""

from __future__ import annotations

from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import amendments, campaigns, state, transactions
from bot.core.records import Change
from bot.core.schema import state as state_table
from tests.support.backend import House

MUD = ("kilo", "effect.mud")


def mud(tx: Connection, house: House) -> object:
    """What is kept of it, as a transaction reads it."""
    return state.get_values_named(tx, house.campaign.id, [MUD[0]], [MUD[1]]).get(MUD)


async def test_a_transaction_asks_for_the_same_once_until_it_writes_it(house: House) -> None:
    """What was read is remembered up to a write, and no transaction knows what another one has read."""

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
    """Of subjects of which all was read, values by their names are read no more, and no others are taken for them."""

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
    """It is the same thing for whoever asks for it, and another one behind a write."""

    def work(tx: Connection) -> list[list[object]]:
        make = partial(transactions.compute_once, tx, "muddy", lambda: [mud(tx, house)])
        first, again = make(), make()
        assert again is first
        state.apply_changes(tx, house.campaign.id, [Change(*MUD, None, 1)])
        return [first, make()]

    assert await house.database.write(work) == [[None], [1]]


async def test_what_was_read_in_the_past_is_forgotten_with_it(house: House) -> None:
    """Behind a look at the state as it was, the state of now is read again."""

    def work(tx: Connection) -> list[object]:
        with amendments.hold_past(tx, house.campaign.id, {MUD: 2}):
            then = mud(tx, house)
        return [then, mud(tx, house)]

    assert await house.database.write(work) == [2, None]


async def test_a_campaign_is_locked_once_and_all_is_read_behind_it(house: House) -> None:
    """Whoever waits for a campaign's row reads again what others may have changed meanwhile."""

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
    """No test goes well in which something that is remembered is written past `transactions.write`."""

    def work(tx: Connection) -> None:
        mud(tx, house)
        tx.execute(state_table.delete().where(state_table.c.subject == MUD[0]))

    with pytest.raises(AssertionError, match="DELETE FROM state"):
        await house.database.write(work)
