"""A write transaction that needs something from outside lets go of all, waits for it, and runs again."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from bot.core.campaigns import Campaign, get_campaign
from bot.core.schema import campaign
from bot.core.transactions import Interlude, Write, had_interlude, take_answer
from bot.errors import NotOpen
from tests.support.backend import House


class Asking(Interlude):
    """An interlude that changes the time zone meanwhile, and comes back with a number."""

    def __init__(self, refused: str = "") -> None:
        super().__init__("asking")
        self.refused = refused

    async def held(self, write: Write) -> int:
        """Write in a transaction of its own."""
        await write(_rename, "Meanwhile")
        if self.refused:
            raise NotOpen(self.refused)
        return 7


def _rename(tx: sa.Connection, name: str) -> None:
    tx.execute(campaign.update().values(timezone=name))


async def zone(house: House) -> str:
    """The time zone as it is kept."""
    found: Campaign | None = await house.database.read(get_campaign, house.campaign.id)
    assert found is not None
    return found.timezone


async def test_a_transaction_is_rolled_back_and_runs_again(house: House) -> None:
    """What it wrote before is gone, what was written meanwhile is seen, and what came of it is taken once."""
    runs: list[str] = []

    def deed(tx: sa.Connection) -> list[object]:
        runs.append(str(tx.scalar(sa.select(campaign.c.timezone))))
        _rename(tx, f"Run {len(runs)}")
        if not had_interlude(tx):
            raise Asking
        return [take_answer(tx), take_answer(tx)]

    assert await house.database.write(deed) == [7, None]
    assert runs == ["Europe/Berlin", "Meanwhile"]
    assert await zone(house) == "Run 2"


async def test_what_is_refused_meanwhile_is_told_and_nothing_is_written(house: House) -> None:
    """The refusal takes the place of the transaction's own answer."""

    def deed(tx: sa.Connection) -> None:
        _rename(tx, "Never")
        raise Asking("Too late")

    with pytest.raises(NotOpen, match="Too late"):
        await house.database.write(deed)
    assert await zone(house) == "Meanwhile"


async def test_other_transactions_know_nothing_of_it(house: House) -> None:
    """What came of an interlude is for the transaction that needed it, and not for the next on the same connection."""

    def deed(tx: sa.Connection) -> None:
        if not had_interlude(tx):
            raise Asking

    await house.database.write(deed)
    assert not await house.database.write(had_interlude)
    assert not await house.database.read(had_interlude)
