"""What files are called is up to people: no name of one is taken for anything else that the state keeps."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.app import KINDS
from bot.core import audit, library, state
from bot.core.ledger import EntryDraft
from bot.core.library import FILES, HouseFile
from bot.core.records import Change
from tests.cogs.house_rules.homebrew import put_on, switch_off, switched_on, table
from tests.support.acting import confirmed, take_back
from tests.support.backend import GM, House
from tests.support.reading import said
from tests.support.soundness import require_whole
from tests.support.world import World

COMMANDS = ("update show", "writeups list", "unit list", "captive list", "effect list", "events active", "ledger list")


@pytest.mark.parametrize(
    "name",
    [
        "Battle",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("writeup", "profile", "captive", "voided", "name", "declared")
        ),
    ],
)
async def test_a_file_is_called_as_anything_else_is(world: World, name: str) -> None:
    """Commands that look for battles, write-ups, captives and what is void find none of that, and go on working."""
    await world.gm.slash(world.orders, "campaign edit", books="battlesystem")
    await switched_on(world, table(), name)
    await world.gm.slash(world.orders, "unit add", name="Kilo", kind="squad")
    for command in COMMANDS:
        assert "went wrong" not in said(await world.gm.slash(world.orders, command)), command
    assert "effects are removed" in said(await confirmed(world, "unit remove", name="Kilo"))
    assert "is off" in said(await world.gm.slash(world.orders, "table remove", name=name))
    assert "undone" in said(await take_back(world, "void", entry=4, reason="A slip"))
    assert "No tables yet" in said(await world.gm.slash(world.orders, "table list"))
    await require_whole(world)


async def test_a_file_of_an_earlier_version_goes_on_where_it_stands(house: House) -> None:
    """Kept under its bare name, it is switched off, on again and taken back there, and never stands twice."""
    await put_on(house, "loot", table())
    (file,) = await house.database.read(library.list_house_files, 1)
    await house.take_back(2)
    await house.database.write(lambda tx: house.ledger.enter(tx, house.campaign, GM.user_id, _as_before(file)))
    await switch_off(house, "loot")
    await put_on(house, "loot", table(die="8"))
    kept = await house.database.read(state.get_values_beginning, 1, [FILES], "")
    assert [(name, value["version"], value["on"]) for (_, name), value in kept.items()] == [("loot", 2, True)]
    await house.take_back(6)
    assert [item.on for item in await house.database.read(library.list_house_files, 1)] == [False]
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


def _as_before(file: HouseFile) -> EntryDraft:
    """An entry that switches a file on, as earlier versions have written it."""
    on = replace(file, entry=4, since=4)
    version = {"fingerprint": file.fingerprint, "file": file.file, "entry": 4}
    body = {"deed": "on", "name": file.name, "version": 1, "fingerprint": file.fingerprint, "file": file.file}
    body |= {"extends": file.extends, "tables": dict(file.tables), "replaced": None}
    changes = (Change(FILES, file.key, None, on.value()), Change("house:loot", "v1", None, version))
    return EntryDraft("house", "results", body, changes)
