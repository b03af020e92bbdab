"""`ledger check` finds all damage and never fails."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bot.app import KINDS
from bot.cogs.ledger import searching
from bot.core import audit, campaigns, schema, search_index
from bot.core import tally as damaged
from bot.core.audit import Audit
from bot.core.database import Database
from bot.core.entry_search import EntrySearch
from bot.core.schema import actor, book_version, document, entry, entry_text, state, subject
from bot.orders import kinds
from tests.cogs.house_rules.homebrew import COIN, send_and_switch_on, send_file
from tests.cogs.privacy.people import erase
from tests.support.acting import use_desk
from tests.support.backend import GM
from tests.support.template import migrated_url
from tests.support.world import START, World, running, send_raw

ROOT = Path(__file__).parents[2]
TABLES = schema.metadata.sorted_tables
Kept = tuple[str, bytes | None]
PROVEN = {
    *{*entry.c} - {entry.c.interaction, entry.c.step},
    *entry_text.c,
    *actor.c,
    *book_version.c,
    *state.c,
    *subject.c,
    document.c.fingerprint,
    document.c.text,
}
"""Columns in which any change is found."""

ERASABLE = {entry_text.c.salt, entry_text.c.text}


class Undecodable(bytes):
    """Text that isn't UTF-8."""


VALUES: Sequence[object] = (
    None, "", "garbage", "\0", 0, -7, 2**40, 1.5, b"\xff\x00", Undecodable(b"\xff\xfe"), "[]", "{}", "null", "5", '"x"',
    "[" * 100_000, "2026-13-99", "9999-12-31 23:59:59", "subject:1", "campaign",
)  # fmt: skip


async def fill(world: World) -> None:
    """Do something of everything, last a result."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    boss = world.guild.add_member(world.env.create_user("boss"), roles=list(world.roles.values()))
    await boss.slash(world.orders, "gm settings", books="campaign, infinity")
    await erase(world, boss)
    await world.gm.slash(world.orders, "roster add", name="Kilo", kind="squad")
    await send_and_switch_on(world, COIN, "coin")
    await send_file(world, COIN + "# another\n", "coins")
    await world.gm.slash(world.orders, "roster import", file=("a.csv", b"name,kind\nDelta,squad\n"))
    await world.gm.slash(world.orders, "gm schedule", day="Saturday", time="18:00")
    await world.player.slash(world.orders, "infinity versus", opponent=rival, mine=13, my_name="Angus")
    await use_desk(world.gm, world.orders, "Board")
    await send_raw(world.player, world.results, kinds.DMS.fill(campaign=1, number=1, on=1))
    await world.gm.slash(world.orders, "ledger", text="delta")
    database = world.bots[-1].database
    await database.write(search_index.set_backlog, 1, 1)
    here = await database.read(campaigns.require_on_server, world.guild.id, 1)
    asker = replace(GM, at=START)
    await database.write(searching.save, here, asker, "0" * 16, EntrySearch(text="patrol"))
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom")
    for target in ("Zaku", "Gouf"):
        world.dice.script(20)
        await world.gm.slash(world.orders, "patrol", patrol="Kilo", target=target, note="at dawn", roll="now")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with something in every table."""
    folder = tmp_path_factory.mktemp("filled")

    async def make(url: str) -> None:
        async with running(url) as world:
            await fill(world)
        database = Database(url)
        assert [item.faults for item in await audit.check_ledgers(database, KINDS)] == [()]
        await database.close()

    with migrated_url("sqlite", folder) as url:
        asyncio.run(make(url))
    return folder / "adjutant.db"


def check_file(file: Path) -> list[Audit]:
    """What a check of a file finds."""

    async def check() -> list[Audit]:
        database = Database(f"sqlite:///{file}")
        try:
            found = await audit.check_ledgers(database, KINDS)
            await audit.rebuild_states(database, KINDS)
        finally:
            await database.close()
        return found

    return asyncio.run(check())


def run(file: Path, statement: str, values: Sequence[object] = (), **names: str) -> list[Any]:
    """Run a statement directly; return its rows."""
    with closing(sqlite3.connect(file)) as connection, connection:
        return connection.execute(statement.format(**names), values).fetchall()


def numbers_of_rows(file: Path, table: sa.Table) -> list[int]:
    """A table's row ids."""
    return [row for (row,) in run(file, "SELECT rowid FROM {table}", table=table.name)]


@pytest.fixture
def copy(filled: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copy(filled, tmp_path / "damaged.db"))


def test_something_is_in_every_table(filled: Path) -> None:
    """No table is left out below."""
    assert [table.name for table in TABLES if not numbers_of_rows(filled, table)] == []


@pytest.mark.no_cover
@pytest.mark.parametrize("examples", [5, pytest.param(50, marks=pytest.mark.slow)])
def test_any_damaged_value_is_told_and_nothing_fails(filled: Path, examples: int, times: int) -> None:
    """Any value set to anything is found if provable."""
    settings(max_examples=examples * times, deadline=None)(given(data=st.data())(require_told))(filled=filled)


def require_told(filled: Path, data: st.DataObject) -> None:
    """Require a finding for one changed value."""
    column = data.draw(st.sampled_from([column for table in TABLES for column in table.c]))
    row, value = data.draw(st.sampled_from(numbers_of_rows(filled, column.table))), data.draw(st.sampled_from(VALUES))
    with TemporaryDirectory() as folder:
        file = Path(shutil.copy(filled, Path(folder) / "damaged.db"))
        before, after = damage(file, column, row, value)
        if before == after:
            return
        faults = [fault for item in check_file(file) for fault in item.faults]
        if must_be_found(column, before[0], after[0]):
            assert faults, (column, before, after)


def damage(file: Path, column: sa.Column[Any], row: int, value: object) -> tuple[Kept, Kept]:
    """Change one value; return it before and after."""
    names = {"table": column.table.name, "column": column.name}
    look = "SELECT typeof({column}), CAST({column} AS BLOB) FROM {table} WHERE rowid = ?"
    new = "CAST(? AS TEXT)" if isinstance(value, Undecodable) else "?"
    (before,) = run(file, look, [row], **names)
    try:
        run(file, "UPDATE {table} SET {column} = {new} WHERE rowid = ?", [value, row], new=new, **names)
    except sqlite3.IntegrityError:
        return before, before
    is_row = column.primary_key and numbers_of_rows(file, column.table) != [row] and not run(file, look, [row], **names)
    (after,) = run(file, look, [value if is_row else row], **names)
    return before, after


def must_be_found(column: sa.Column[Any], kind: str, new_kind: str) -> bool:
    """Whether a check can prove this damage."""
    if column in PROVEN:
        return not (column in ERASABLE and new_kind == "null")
    if new_kind == "null" or isinstance(column.type, sa.JSON):
        return new_kind == "blob"
    return kind not in {new_kind, "null"}


@pytest.mark.parametrize("rows", [1, pytest.param(1000, marks=pytest.mark.slow)], ids=["last", "all"])
@pytest.mark.parametrize(
    "table",
    [entry, state, *(pytest.param(table, marks=pytest.mark.slow) for table in (entry_text, book_version, subject))],
    ids=str,
)
def test_any_row_that_is_missing_is_told(filled: Path, copy: Path, table: sa.Table, rows: int) -> None:
    """Missing rows of ledger, books or state are found."""
    for row in numbers_of_rows(filled, table)[-rows:]:
        shutil.copy(filled, copy)
        run(copy, "DELETE FROM {table} WHERE rowid = ?", [row], table=table.name)
        assert [fault for item in check_file(copy) for fault in item.faults], row


@pytest.mark.parametrize(
    "column",
    [pytest.param(item, marks=[pytest.mark.slow] * bool(at)) for at, item in enumerate(damaged.entry_columns())],
    ids=str,
)
def test_a_number_of_an_entry_that_is_not_there_is_told(copy: Path, column: sa.Column[int]) -> None:
    """References beyond the newest entry prevent a rebuild."""
    names = {"table": column.table.name, "column": column.name}
    run(copy, "UPDATE {table} SET {column} = 99 WHERE rowid IN (SELECT max(rowid) FROM {table})", **names)
    (found,) = check_file(copy)
    told = f"The newest entry is {found.entries}, and the table {column.table.name} names entry 99: "
    assert f"{told}the end of the ledger is missing." in found.faults
    assert not found.whole


def test_what_names_an_entry_is_found_in_the_schema() -> None:
    """These tables refer to entries."""
    assert {str(column) for column in damaged.entry_columns()} == {
        "card.entry_number", "entry_text.number", "pending.entry_number", "post.entry_number", "recent.entry",
    }  # fmt: skip


def test_damage_of_what_belongs_to_no_campaign_is_told(copy: Path) -> None:
    """Registered commands are checked too."""
    run(copy, "UPDATE registered SET digest = x'00' WHERE guild_id = 0")
    assert [fault for item in check_file(copy) for fault in item.faults] == ["Registered 0: digest isn't a text."]


@pytest.mark.slow
def test_damage_in_a_campaign_does_not_hide_that_of_its_entries(copy: Path) -> None:
    """Entries are checked without the campaign's row."""
    run(copy, "UPDATE campaign SET created_at = 'then'")
    run(copy, "UPDATE entry SET body = 'text' WHERE number = 2")
    run(copy, "UPDATE entry SET audience = CAST(? AS TEXT) WHERE number = 3", [b"\xff"])
    run(copy, "UPDATE entry_text SET text = x'00' WHERE number = (SELECT max(number) FROM entry_text)")
    (found,) = check_file(copy)
    ((number,),) = run(copy, "SELECT max(number) FROM entry_text")
    assert (found.campaign, found.whole) == ("Campaign 1", False)
    assert set(found.faults) == {
        "Campaign 1: created_at isn't a time.",
        "Entry 2: body isn't a text.",
        "Entry 3: audience isn't a text.",
        f"Entry text {number} t0: text isn't a text.",
    }


@pytest.mark.parametrize(
    "damaged",
    ["UPDATE state SET value = '{{'", pytest.param("UPDATE subject SET name_key = x'00'", marks=pytest.mark.slow)],
)
def test_a_state_that_cannot_be_read_is_made_anew(filled: Path, copy: Path, damaged: str) -> None:
    """A rebuild replaces damaged state."""
    run(copy, damaged)
    (found,) = check_file(copy)
    assert found.faults
    assert [item.faults for item in check_file(copy)] == [()]
    query = "SELECT * FROM subject ORDER BY id"
    assert run(copy, query) == run(filled, query)


def test_a_file_with_a_damaged_page_is_answered_with_a_sentence(copy: Path) -> None:
    """The command prints no traceback."""
    content = copy.read_bytes()
    copy.write_bytes(content[: len(content) // 2])
    told = subprocess.run(
        [sys.executable, "-m", "bot", "ledger", "check"],
        cwd=ROOT,
        env={"DATABASE_URL": f"sqlite:///{copy}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "The database can't be used: database disk image is malformed. Check DATABASE_URL.\n"
