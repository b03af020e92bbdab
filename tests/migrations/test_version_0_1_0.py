"""A database that version 0.1.0 wrote, brought up to date.

`version_0_1_0.sql.gz` is the dump of a small campaign of that version: rolls of several families, public and secret, saved
units and characters, a rename, a captive, an effect, a battle, an update that was closed, and an open roll card.
"""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.app import FEATURES, KINDS
from bot.cogs.captives import queries as captives
from bot.core import audit, campaigns, entries, state
from bot.core.database import Database
from bot.core.errors import NotOpen
from bot.core.ledger import EntryDraft, EntryView, Ledger
from bot.core.migrate import upgrade
from bot.core.permissions import Person
from bot.core.schema import card
from bot.kernel import Kernel
from bot.rolls import void
from bot.rolls.card import service
from bot.rolls.card.store import CardChanged, CardKey
from rules.library import Composer
from tests.support.subjects import named, number_of
from tests.support.world import BOOKS, Clock, CountedRandomness, Faces

DUMP = Path(__file__).parent / "version_0_1_0.sql.gz"
ENTRIES = 17


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """The old database, migrated."""
    file = tmp_path / "adjutant.db"
    connection = sqlite3.connect(file)
    connection.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    connection.close()
    made = Database(f"sqlite:///{file}")
    try:
        await upgrade(made)
        yield made
    finally:
        await made.close()


async def test_its_ledger_verifies_and_adds_up(database: Database) -> None:
    """The chain is whole, and the state is what the entries add up to, before and after it is made anew."""
    (found,) = await audit.check_ledgers(database, KINDS)
    assert (found.entries, found.faults) == (ENTRIES + 1, ())
    before = await database.read(state.get_whole, 1)
    (rebuilt,) = await audit.rebuild_states(database, KINDS)
    assert rebuilt.faults == ()
    assert await database.read(state.get_whole, 1) == before


async def test_its_entries_are_still_shown(database: Database) -> None:
    """Every entry has its one line and its messages, for the staff and for players."""
    found = await database.read(lambda tx: list(entries.walk_entries(tx, 1)))
    for entry in found:
        shown = KINDS.of(entry.kind, entry.content())
        assert shown.sentence(entry.content(), "staff")
        assert shown.sentence(entry.content(), "public")


def on(database: Database) -> Kernel:
    """The bot below its panels."""
    ledger = Ledger(Clock(), CountedRandomness())
    return Kernel.build(FEATURES, database=database, ledger=ledger, books=BOOKS, composer=Composer(), dice=Faces())


@pytest.mark.slow
async def test_its_open_card_is_shown_anew_before_it_is_rolled(database: Database) -> None:
    """What the card showed under the old version is not trusted: it is shown again, and then rolled."""
    kernel = on(database)
    row = await database.read(lambda tx: tx.execute(sa.select(card)).one())
    campaign = await database.read(campaigns.get_campaign, 1)
    assert campaign is not None
    person = Person(row.owner_id, campaign.guild_id, frozenset({campaign.game_master_role_id}), manages_server=False)
    key = CardKey(1, row.id, row.revision)
    with pytest.raises(CardChanged):
        await database.write(service.roll, kernel.resolver, person, key)
    view = await database.write(service.redraw, kernel.resolver, person, key)
    assert view.card.revision == row.revision + 1


async def test_what_it_kept_by_names_stands_under_numbers(database: Database) -> None:
    """Everybody has a number; squads, captors, places and who rolled are told by it, and no name stands in a value."""
    found = named(await database.read(state.get_whole, 1))
    numbers = {key: number_of(await database.read(state.get_whole, 1), key) for key in ("kilo two", "zeon", "luna ii")}
    assert found["amuro", "profile"]["squad"] == numbers["kilo two"]
    assert (found["amuro", "captive"]["by"], found["amuro", "captive"]["at"]) == (numbers["zeon"], numbers["luna ii"])
    assert found["grey ghost", "rolled.patrol.kilo two"] == {"entry": 8, "update": 1}
    assert found["kilo two", "effect.hidden"] == {"entry": 12}
    assert found["grey ghost", "name"] == "Grey Ghost"
    assert not [key for key in found if key[0].startswith("unit:")]
    (header,) = [value for (subject, name), value in found.items() if (subject, name) == ("battle:ford", "battle")]
    assert header["name"] == "Ford"
    roster = {name: value for (subject, name), value in found.items() if subject == "battle:ford" and name != "battle"}
    assert roster.keys() == {f"unit.{value['id']}" for value in roster.values()}
    assert len(roster) == 2


async def test_its_last_entry_tells_what_was_done(database: Database) -> None:
    """The upgrade is an entry of the staff's, by nobody, with every value before and after."""
    *_, last = await database.read(lambda tx: list(entries.walk_entries(tx, 1)))
    assert (last.kind, last.audience, last.number) == ("upgrade", "staff", ENTRIES + 1)
    assert KINDS.sentence(last, "staff") == "Data upgraded: 8 names now have a number"
    assert sorted(last.names().values()) == [
        "Amuro", "Ball", "Grey Ghost", "Gundam", "Kilo Two", "Luna II", "Spy", "Zeon",
    ]  # fmt: skip
    people = await database.read(entries.find_users, 1, [last.actor])
    assert people == {last.actor: 0}


@pytest.mark.slow
async def test_what_was_entered_before_is_not_taken_back(database: Database) -> None:
    """An entry of the old version changed values that stand elsewhere by now: taking it back is refused, with a reason."""
    campaign = await database.read(campaigns.get_campaign, 1)
    assert campaign is not None
    leader = Person(5, campaign.guild_id, frozenset({campaign.game_master_role_id}), manages_server=False)
    number = (await database.read(captives.show, leader, campaign, "Amuro")).newest
    with pytest.raises(NotOpen, match=f"Entry #{number} can't be undone: entry #18 changed it later") as told:
        await database.read(void.plan, on(database).resolver, leader, campaign, number)
    assert told.value.do == "Correct older entries by hand."


@pytest.mark.parametrize(
    "body",
    [
        {"entry": 3, "week": 1, "set_by": [4]},
        {"deed": "void", "entry": 3, "captive": "Kai", "undone": {"deed": "release", "captive": "Kai"}},
    ],
)
async def test_what_was_taken_back_before_is_told_in_words(database: Database, body: dict[str, Any]) -> None:
    """Entries by which that version took weather or captivity back still have their line and their message, with the reason."""
    campaign = await database.read(campaigns.get_campaign, 1)
    assert campaign is not None
    draft = EntryDraft("void", "results", body, (), {"reason": "a slip"})
    made = await database.write(Ledger(Clock(), CountedRandomness()).enter, campaign, 5, draft)
    assert KINDS.sentence(made, "public") == "Entry #3 undone"
    ((embed,),) = KINDS.pages(EntryView(made, "Iron Sea"), "public")
    assert "Entry #3 undone\n**Why:** a slip" in (embed.description or "")
