"""The migration that makes the keys of names anew: what moves, and what becomes of two that are one from now on."""

from __future__ import annotations

from importlib import import_module

import sqlalchemy as sa

from bot.app import KINDS
from bot.core import audit, campaigns, library, subjects
from bot.core.database import Database
from bot.core.ledger import EntryDraft
from bot.core.records import Change
from bot.core.schema import campaign, subject
from tests.support.backend import GM, House

migration = import_module("migrations.versions.0009_name_keys")

O = "\N{CYRILLIC SMALL LETTER O}"  # noqa: E741 - it looks like one
FORD, OTHER = {"name": "Ford", "entry": 3, "over": True}, {"name": f"F{O}rd", "entry": 9, "over": False}


def test_what_is_kept_under_names_moves_to_their_new_keys() -> None:
    """A battle with all of its values, a file with its versions; what stands under numbers stays."""
    renamed: dict[str, str] = {}
    before = {
        (f"battle:f{O}rd", "battle"): OTHER,
        (f"battle:f{O}rd", "unit.7"): {"id": 7},
        ("house", f"l{O}ot"): {"name": f"L{O}ot", "since": 4},
        (f"house:l{O}ot", "v1"): {"entry": 4},
        ("subject:7", "effect.event-9.0"): {"battle": f"F{O}rd"},
    }
    assert migration._rekeyed(before, renamed) == {
        ("battle:ford", "battle"): OTHER,
        ("battle:ford", "unit.7"): {"id": 7},
        ("house", "loot"): {"name": f"L{O}ot", "since": 4},
        ("house:loot", "v1"): {"entry": 4},
        ("subject:7", "effect.event-9.0"): {"battle": f"F{O}rd"},
    }
    assert renamed == {}


def test_of_two_that_become_one_the_later_gets_a_number() -> None:
    """Both are kept with everything of theirs; what refers to the later one refers to its new name."""
    renamed: dict[str, str] = {}
    before = {
        (f"battle:f{O}rd", "battle"): OTHER,
        (f"battle:f{O}rd", "token.9.0"): {"kind": "chosen"},
        ("battle:ford", "battle"): FORD,
        ("house", f"l{O}ot"): {"name": f"L{O}ot", "since": 4},
        (f"house:l{O}ot", "v1"): {"entry": 4},
        ("house", "loot"): {"name": "Loot", "since": 5},
        ("house:loot", "v1"): {"entry": 5},
        ("subject:7", "effect.event-9.0"): {"battle": f"F{O}rd"},
        ("subject:8", "effect.event-3.0"): {"battle": "Ford"},
    }
    assert migration._rekeyed(before, renamed) == {
        ("battle:ford", "battle"): FORD,
        ("battle:ford 2", "battle"): {**OTHER, "name": f"F{O}rd 2"},
        ("battle:ford 2", "token.9.0"): {"kind": "chosen"},
        ("house", "loot"): {"name": f"L{O}ot", "since": 4},
        ("house:loot", "v1"): {"entry": 4},
        ("house", "loot 2"): {"name": "Loot 2", "since": 5},
        ("house:loot 2", "v1"): {"entry": 5},
        ("subject:7", "effect.event-9.0"): {"battle": f"F{O}rd 2"},
        ("subject:8", "effect.event-3.0"): {"battle": "Ford"},
    }
    assert renamed == {f"F{O}rd": f"F{O}rd 2", "Loot": "Loot 2"}


def test_a_number_that_is_taken_is_passed_over() -> None:
    """Of three that become one, and one that has the number already, each has a name of its own."""
    taken = {"ford", "ford 2"}
    assert migration._free(f"F{O}rd", taken, 56) == f"F{O}rd 3"
    assert migration._free("x" * 60, {"x" * 60}, 56) == "x" * 56 + " 2"


async def migrate(database: Database) -> None:
    """Make the keys of names anew, as the migration does."""
    await database.write(migration._rekey)


async def keep(house: House, *changes: Change) -> None:
    """Enter changes of a campaign's state."""
    draft = EntryDraft("campaign", "staff", {"edited": {}}, changes)
    await house.database.write(lambda tx: house.ledger.enter(tx, house.campaign, GM.user_id, draft))


async def test_the_ledger_adds_up_to_what_has_moved(house: House) -> None:
    """One entry tells what has moved and what is called otherwise; chain and state agree, and so does a rebuild."""
    file = {"name": f"L{O}ot", "since": 2, "version": 1, "fingerprint": "f", "file": "a.toml"}
    file |= {"extends": "house", "tables": {}, "entry": 2, "on": False}
    await keep(
        house,
        Change("subject:1", "name", None, "Kilo"),
        Change("subject:2", "name", None, f"Kil{O}"),
        Change("house", f"l{O}ot", None, file),
        Change("house", "loot", None, {**file, "name": "Loot", "since": 3}),
    )
    await house.tamper(subject.update().where(subject.c.id == 2).values(name_key=f"kil{O}"))
    other = {"id": 2, "uuid": "x", "name": f"Ir{O}n Sea", "name_key": f"ir{O}n sea"}
    row = await house.database.read(lambda tx: dict(tx.execute(sa.select(campaign)).one()._mapping))
    await house.tamper(campaign.insert().values({**row, **other}))

    await migrate(house.database)

    last = (await house.entries())[-1]
    assert (last.kind, last.content()["renamed"]) == ("upgrade", {"Loot": "Loot 2"})
    assert "Loot is now Loot 2" in KINDS.of(last.kind, last.content()).sentence(last.content(), "staff")
    found = await audit.check_ledgers(house.database, KINDS)
    assert [item.faults for item in found if item.campaign_id == house.campaign.id] == [()]
    before = await house.state()
    await audit.rebuild_states(house.database, KINDS)
    assert await house.state() == before
    named = await house.database.read(
        lambda tx: [item.name for item in library.list_house_files(tx, house.campaign.id)]
    )
    assert named == [f"L{O}ot", "Loot 2"]
    meant = await house.database.read(subjects.find_bearers, house.campaign.id, "KILO")
    assert [item.id for item in meant] == [1, 2]
    again = await house.database.read(campaigns.find_campaign, house.campaign.guild_id, "iron sea 2")
    assert again is not None
    assert (again.id, again.name) == (2, f"Ir{O}n Sea 2")


async def test_a_database_without_such_names_stays_as_it_is(house: House) -> None:
    """No entry is written where no key changes."""
    await house.patrol("Ghost", faces=(1,))
    before = (await house.state(), len(await house.entries()))
    await migrate(house.database)
    assert (await house.state(), len(await house.entries())) == before


async def test_a_campaign_that_got_a_number_adds_up(house: House) -> None:
    """The entry of the migration says what it is called, so its name is what its entries say."""
    row = await house.database.read(lambda tx: dict(tx.execute(sa.select(campaign)).one()._mapping))
    first = {"id": 0, "uuid": "x", "name_key": f"ir{O}n sea"}
    await house.tamper(campaign.insert().values({**row, **first}))

    await migrate(house.database)

    found = await audit.check_ledgers(house.database, KINDS)
    assert [(item.campaign, item.faults) for item in found if item.campaign_id == house.campaign.id] == [
        ("Iron Sea 2", ())
    ]
