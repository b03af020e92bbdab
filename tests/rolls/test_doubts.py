from __future__ import annotations

import pytest
from sqlalchemy import Connection

from bot.core.database import Database
from bot.rolls.consequences import find_slip
from bot.rolls.resolver import RollOrder
from tests.cogs.roster.saving import add, edit
from tests.support.backend import GM, House, patrol


async def meant(house: House, typed: str, database: Database | None = None) -> str | None:
    """What a name was probably meant to be."""
    return await (database or house.database).read(find_slip, GM, house.campaign, typed)


async def test_names_that_another_process_used_are_known(house: House) -> None:
    """New and changed ones."""
    other = Database(house.database.engine.url.render_as_string(hide_password=False))
    try:
        await add(house, "Blue Team", "squad")
        assert await meant(house, "Grey Gost", other) is None
        await house.patrol("Grey Ghost", faces=(10,))
        await edit(house, "Blue Team", name="Blockade Kilo")
        assert await meant(house, "Grey Gost", other) == "Grey Ghost"
        assert await meant(house, "Blockade Killo", other) == "Blockade Kilo"
        assert await meant(house, "Blue Teem", other) is None
    finally:
        await other.close()


async def test_names_are_known_after_a_rollback(house: House) -> None:
    """Another entry has the number of the one that was seen."""

    def roll_and_fail(tx: Connection) -> None:
        house.resolver.roll(tx, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku column")))
        assert find_slip(tx, GM, house.campaign, "Zaku colum") == "Zaku column"
        raise LookupError

    house.dice.script(10)
    with pytest.raises(LookupError):
        await house.database.write(roll_and_fail)
    await house.patrol("Grey Ghost", faces=(10,))
    assert await meant(house, "Grey Gost") == "Grey Ghost"
    assert await meant(house, "Zaku colum") is None
