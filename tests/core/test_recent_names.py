"""Names used last, outside the ledger."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.app import KINDS
from bot.core import audit, profiles
from bot.core.errors import NotOpen
from bot.core.schema import recent as table
from bot.rolls.resolver import RollOrder
from rules.subjects import subject_key
from tests.cogs.roster.saving import add, edit, remove
from tests.support.backend import GM, House, patrol, scouting
from tests.support.subjects import named, number_of


async def list_noted(house: House) -> dict[str, int]:
    """Last entry by subject."""
    query = sa.select(table.c.subject, table.c.entry)
    entries = await house.database.read(lambda tx: {(row.subject, "entry"): row.entry for row in tx.execute(query)})
    known = named(await house.state() | entries)
    return {subject: entry for (subject, name), entry in known.items() if name == "entry"}


async def by_use(house: House, wanted: str = "") -> list[str]:
    """Names in the order offered."""
    found = await house.database.read(lambda tx: list(profiles.list_by_use(tx, house.campaign.id, wanted)))
    return [item.name for item in found]


async def test_a_roll_notes_the_saved_and_leaves_out_the_others(house: House) -> None:
    """Only saved ones count."""
    await add(house, "Kilo", "squad")
    await add(house, "Zaku", "squad")
    assert await list_noted(house) == {"kilo": 2, "zaku": 3}
    await house.roll(patrol("Ghost", by="KILO"), 1)
    assert await list_noted(house) == {"kilo": 4, "zaku": 3}
    assert await by_use(house) == ["Kilo", "Zaku"]
    await house.roll(patrol("zaku", "ghost", by="Lima"), 1, 1)
    assert await list_noted(house) == {"kilo": 4, "zaku": 5}
    assert await by_use(house, "K") == ["Zaku", "Kilo"]


async def test_a_roll_that_is_taken_back_notes_nothing(house: House) -> None:
    """The note is rolled back too."""
    await add(house, "Fort", "base")
    before = await list_noted(house)

    def roll_and_fail(tx: Connection, order: RollOrder) -> None:
        house.resolver.roll(tx, order)
        raise NotOpen("the power went out")

    house.dice.script(20)
    with pytest.raises(NotOpen):
        await house.database.write(roll_and_fail, RollOrder(house.campaign.id, GM.user_id, scouting("Fort", "Jonas")))
    assert await list_noted(house) == before


async def test_it_is_one_statement_and_none_without_saved_names(house: House) -> None:
    """One statement for all."""
    for name in ("Alpha", "Bravo", "Charlie"):
        await add(house, name, "squad")
    told: list[str] = []

    def listen(*args: Any) -> None:  # noqa: ANN401 - what SQLAlchemy passes
        told.append(args[2])

    sa.event.listen(house.database.engine, "before_cursor_execute", listen)
    await house.roll(patrol("Bravo", "Charlie", "Delta", by="Alpha"), 1, 1, 1)
    assert len([statement for statement in told if "recent" in statement]) == 1
    told.clear()
    await house.roll(patrol("Delta", by="Echo"), 1)
    assert [statement for statement in told if "recent" in statement] == []


async def test_names_that_were_never_used_stand_last_by_name(house: House) -> None:
    """Also forgotten ones."""
    for name in ("Charlie", "Alpha", "Bravo"):
        await add(house, name, "squad")
    for name, order in (
        ("bravo", ["Alpha", "Charlie", "Bravo"]),
        ("alpha", ["Charlie", "Alpha", "Bravo"]),
        ("charlie", ["Alpha", "Bravo", "Charlie"]),
    ):
        subject = subject_key(number_of(await house.state(), name))
        await house.database.write(partial(profiles.forget_use, campaign_id=house.campaign.id, subject=subject))
        assert await by_use(house) == order


async def test_it_is_no_part_of_the_ledger(house: House) -> None:
    """Rebuilds ignore it."""
    await add(house, "Alpha", "squad")
    before = await list_noted(house)
    assert [item.faults for item in await audit.rebuild_states(house.database, KINDS)] == [()]
    assert await list_noted(house) == before


async def test_a_rename_and_a_removal_leave_no_old_name(house: House) -> None:
    """Old names are forgotten."""
    await add(house, "Alpha", "squad")
    await edit(house, "Alpha", name="Omega")
    assert await list_noted(house) == {"omega": 3}
    await remove(house, "Omega")
    assert await list_noted(house) == {}


async def test_what_every_name_is_kept_with_is_no_part_of_it(house: House) -> None:
    """Prefixes don't match."""
    for name in ("Albion", "Titan"):
        await add(house, name, "ship")
    for wanted, found in (("t", ["Titan"]), ("unit", []), (":", [])):
        assert await by_use(house, wanted) == found
