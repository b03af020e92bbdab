from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.app import KINDS
from bot.core import audit, backups
from bot.core.backups import CopyResult
from bot.core.database import Database
from bot.core.errors import StartError
from bot.core.migrate import upgrade
from bot.core.schema import entry, metadata, post
from bot.core.search_index import SearchIndex
from tests.core.test_audit import fill
from tests.support.backend import House
from tests.support.commands import adjutant
from tests.support.template import KINDS as DATABASES
from tests.support.template import copy_to, fresh_url


@pytest.fixture(params=DATABASES)
def database_kind(request: pytest.FixtureRequest) -> str:
    """Use each kind of source database."""
    return str(request.param)


@pytest.fixture(params=DATABASES)
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of an empty database of either kind."""
    (tmp_path / "copy").mkdir()
    with fresh_url(request.param, tmp_path / "copy") as url:
        yield url


def address(house: House) -> str:
    """Return where a house's database is."""
    return house.database.engine.url.render_as_string(hide_password=False)


def content(tx: sa.Connection) -> dict[str, list[str]]:
    """Return every row of every table."""
    return {
        table.name: sorted(repr(tuple(row)) for row in tx.execute(sa.select(table)))
        for table in metadata.tables.values()
    }


async def test_a_copy_has_all_that_was_copied_and_a_bot_goes_on_with_it(house: House, target: str) -> None:
    """Rows, ledgers, keys and search work either way."""
    await fill(house)
    await house.database.write(SearchIndex(KINDS).catch_up, house.campaign.id)
    before = await house.database.read(content)
    copy = Database(target)
    try:
        copied = await backups.copy_database(house.database, copy, KINDS)

        assert await house.database.read(content) == before == await copy.read(content)
        assert copied.rows == {name: len(rows) for name, rows in before.items()}
        assert [(item.entries, item.faults) for item in await audit.check_ledgers(copy, KINDS)] == [(6, ())]
        newest = max(int(row.id) for row in await copy.read(lambda tx: tx.execute(sa.select(post.c.id)).all()))
        added = await copy.write(_post_again)
        assert added > newest
        assert await copy.read(_count_found, "search_words" if copy.engine.dialect.name == "sqlite" else "") > 0
    finally:
        await copy.close()


def _post_again(tx: sa.Connection) -> int:
    row = tx.execute(sa.select(post).limit(1)).one()._asdict()
    del row["id"]
    row |= {"nonce": "another", "entry_number": None}
    return int(tx.execute(post.insert().values(row).returning(post.c.id)).scalar_one())


def _count_found(tx: sa.Connection, index: str) -> int:
    where = f"{index} WHERE {index} MATCH 'zaku'" if index else "search WHERE words LIKE '%zaku%'"
    return int(tx.scalar(sa.text(f"SELECT count(*) FROM {where}")) or 0)  # noqa: S608 - written above


async def test_the_command_says_what_was_proven_and_refuses_the_same_target_again(house: House, target: str) -> None:
    """A second copy changes nothing."""
    await fill(house)
    first = await asyncio.to_thread(adjutant, "", "db", "copy", address(house), target)
    second = await asyncio.to_thread(adjutant, "", "db", "copy", address(house), target)

    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("Nothing is missing: both databases have the same rows")
    assert "1 campaign with 6 entries:\n" in first.out
    assert "  entry: 6\n" in first.out
    assert (second.code, second.out) == (2, "")
    assert second.err.startswith("The target isn't empty: it has rows in its table ")


@pytest.mark.slow
async def test_a_faulty_ledger_is_copied_with_its_faults_and_they_are_told(house: House, target: str) -> None:
    """The command exits 1."""
    await fill(house)
    await house.tamper(entry.update().where(entry.c.number == 2).values(hash="0" * 64))
    told = await asyncio.to_thread(adjutant, "", "db", "copy", address(house), target)

    assert told.code == 1
    assert "The source has faults, and so has its copy:\nIron Sea: Entry 2" in told.out


@pytest.mark.slow
async def test_a_copy_that_is_stopped_leaves_the_target_empty(house: House, target: str) -> None:
    """It can run again."""
    await fill(house)
    copy = Database(target)
    loop = asyncio.get_running_loop()
    try:
        going = asyncio.ensure_future(backups.copy_database(house.database, copy, KINDS, lambda *_: _stop(loop, going)))
        with pytest.raises((asyncio.CancelledError, StartError)):
            await going
        await backups.require_empty(copy)
        assert (await backups.copy_database(house.database, copy, KINDS)).rows["entry"] == 6
    finally:
        await copy.close()


def _stop(loop: asyncio.AbstractEventLoop, going: asyncio.Future[CopyResult]) -> None:
    asyncio.run_coroutine_threadsafe(_cancel(going), loop).result()


async def _cancel(going: asyncio.Future[CopyResult]) -> None:
    going.cancel()


@pytest.mark.slow
async def test_a_value_that_the_target_does_not_take_leaves_it_empty(house: House, target: str) -> None:
    """Nothing written before stays."""
    await fill(house)
    copy = Database(target)
    try:
        await upgrade(copy)
        await copy.write(lambda tx: tx.execute(sa.text("CREATE UNIQUE INDEX odd ON entry (kind)")))
        with pytest.raises(StartError, match=r"The copy failed: .+ The target is empty again\.$"):
            await backups.copy_database(house.database, copy, KINDS)
        await backups.require_empty(copy)
    finally:
        await copy.close()


def test_a_source_that_is_not_there_empty_or_not_up_to_date_is_told(tmp_path: Path) -> None:
    """Nothing is written; the next step is named."""
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    words = ("db", "copy", f"sqlite:///{source}", f"sqlite:///{target}")

    assert adjutant("", *words).err == f"I found no database at {source}. Check SOURCE. Nothing was created.\n"
    assert not source.exists()
    assert adjutant("", "db", "copy", "mysql://x", words[3]).err.startswith(
        "Adjutant can't use the kind of database in SOURCE."
    )
    source.touch()
    assert adjutant("", *words).err.startswith("The database has no campaign tables. Check SOURCE.")
    copy_to(made := tmp_path / "made.db")
    for revision, told in (("0001", "run `adjutant db upgrade`"), ("9999", "Install the newer version")):
        with closing(sqlite3.connect(made)) as driver, driver:
            driver.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        refused = adjutant("", "db", "copy", f"sqlite:///{made}", f"sqlite:///{target}")
        assert (refused.code, told in refused.err) == (2, True), refused.err
    assert not target.exists()


def test_a_target_with_somebody_elses_tables_is_let_alone(tmp_path: Path) -> None:
    """Tables without a revision stay."""
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    copy_to(source)
    with closing(sqlite3.connect(target)) as driver, driver:
        driver.execute("CREATE TABLE theirs (id INTEGER)")
    told = adjutant("", "db", "copy", f"sqlite:///{source}", f"sqlite:///{target}")

    assert (told.code, told.err.startswith("The target isn't empty: it has tables")) == (2, True)
    with closing(sqlite3.connect(target)) as driver:
        assert driver.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
