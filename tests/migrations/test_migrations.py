"""The migrations: up, down, up again, and equal to the models."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from bot.core import migrate
from bot.core.database import Database
from bot.core.errors import StartError
from bot.core.indexes import BY_WORDS, MODELS, is_modelled
from bot.core.records import pack
from tests.support import template
from tests.support.backend import opened
from tests.support.world import START

ROOT = Path(__file__).parents[2]
RENAMED = {"challenge": "pending"}
"""Tables that are called otherwise since."""

REVISIONS = sorted(path.name.split("_")[0] for path in (ROOT / "migrations" / "versions").glob("[0-9]*_*.py"))


def fast(tried: str) -> list[Any]:
    """All revisions, of which one is tried in the fast tier."""
    return [item if item == tried else pytest.param(item, marks=pytest.mark.slow) for item in REVISIONS]


async def schema(database: Database) -> dict[str, Any]:
    """Every table with its columns, indexes and unique constraints, as the database tells them."""

    def read(connection: sa.Connection) -> dict[str, Any]:
        inspector = sa.inspect(connection)
        return {
            table: (
                [(column["name"], str(column["type"]), column["nullable"]) for column in inspector.get_columns(table)],
                sorted(str(index["name"]) for index in inspector.get_indexes(table)),
                sorted(str(item["name"]) for item in inspector.get_unique_constraints(table)),
            )
            for table in inspector.get_table_names()
            if table != "alembic_version"
        }

    return await database.read(read)


async def step(database: Database, command: str, revision: str) -> None:
    """Run one alembic command."""
    await database.alter_schema(migrate.run, command, revision)


def fill(connection: sa.Connection) -> None:
    """Put one row into every table there is, each referring to the one campaign."""
    found = sa.MetaData()
    found.reflect(connection, only=lambda name, _: not name.startswith(BY_WORDS))
    for table in found.sorted_tables:
        if table.name != "alembic_version":
            connection.execute(table.insert(), {column.name: example(column) for column in table.c})


def example(column: sa.Column[Any]) -> object:
    """A value that a column takes."""
    if isinstance(column.type, sa.DateTime):
        return START
    if isinstance(column.type, sa.Boolean):
        return False
    if isinstance(column.type, sa.JSON):
        return []
    if isinstance(column.type, sa.LargeBinary):
        return pack("1")
    return 1 if isinstance(column.type, sa.Integer) else "1"


async def counts(database: Database) -> dict[str, int]:
    """How many rows each table has."""

    def read(connection: sa.Connection) -> dict[str, int]:
        names = [name for name in sa.inspect(connection).get_table_names() if not name.startswith(BY_WORDS)]
        return {name: connection.scalar(sa.text(f"SELECT count(*) FROM {name}")) or 0 for name in names}  # noqa: S608

    return await database.read(read)


@pytest.mark.parametrize("revision", fast(REVISIONS[0]))
async def test_no_row_is_lost_on_the_way(database: Database, revision: str) -> None:
    """What a database holds at any revision is all there after the way up to the newest, and after the way back down."""
    await migrate.upgrade(database, revision)
    await database.write(fill)
    filled = await counts(database)
    assert set(filled.values()) == {1}

    await migrate.upgrade(database)
    newest = await counts(database)
    await step(database, "downgrade", revision)

    assert {name: newest[RENAMED.get(name, name)] for name in filled} == filled
    assert await counts(database) == filled


@pytest.mark.parametrize("revision", fast(REVISIONS[-1]))
async def test_a_revision_goes_up_and_down_and_up_again(database: Database, revision: str) -> None:
    """Going down leaves what was there before a revision, and going up again what was there after it."""
    before_it = ["base", *REVISIONS][REVISIONS.index(revision)]
    await migrate.upgrade(database, revision)
    after = await schema(database)

    await step(database, "downgrade", before_it)
    before = await schema(database)
    await step(database, "upgrade", revision)

    assert before != after
    assert (before_it == "base") == (before == {})
    assert await schema(database) == after


async def test_the_migrated_schema_is_that_of_the_models(database: Database) -> None:
    """Alembic finds nothing to change between the migrated database and the models."""
    await migrate.upgrade(database)

    def differences(connection: sa.Connection) -> Any:  # noqa: ANN401 - alembic's nested lists
        opts = {"compare_type": True, "compare_server_default": True, "include_name": is_modelled}
        context = MigrationContext.configure(connection, opts=opts)
        return compare_metadata(context, MODELS)

    assert await database.read(differences) == []


@pytest.mark.slow
async def test_a_second_upgrade_has_nothing_to_do(database: Database) -> None:
    """The first upgrade says that it did something, the second that nothing was due."""
    assert await migrate.upgrade(database) is True
    assert await migrate.upgrade(database) is False
    assert await database.read(migrate.find_revision) == migrate.newest_revision() == REVISIONS[-1]


async def test_tests_start_on_what_the_migrations_make(tmp_path: Path) -> None:
    """The file that tests copy holds, line by line, what a migrated empty database holds."""
    migrated, copied = tmp_path / "migrated.db", tmp_path / "copied.db"
    made = Database(f"sqlite:///{migrated}")
    await migrate.upgrade(made)
    await made.close()
    template.copy_to(copied)
    assert dump(migrated) == dump(copied)


@pytest.mark.postgres
async def test_the_next_test_finds_an_empty_database(tmp_path: Path) -> None:
    """What a test has written on a server is gone for the next one, and ids begin with 1 again."""
    for _ in range(2):
        with template.migrated_url("postgresql", tmp_path) as url:
            async with opened(url) as house:
                assert house.campaign.id == 1
                assert (await house.patrol("Zaku", faces=(10,))).entry.number == 2


def dump(file: Path) -> tuple[list[str], object]:
    """The lines that make a SQLite file anew, sorted as alembic copies constraints in any order, and its journal mode."""
    with closing(sqlite3.connect(file)) as connection:
        lines = "\n".join(connection.iterdump()).splitlines()
        return sorted(line.strip(" \t,") for line in lines), connection.execute("PRAGMA journal_mode").fetchone()


@pytest.mark.slow
async def test_two_upgrades_at_once_take_turns(database: Database) -> None:
    """Two bots that start at once on an empty database both find it migrated; above, one after the other does."""
    url = database.engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "bot", "db", "upgrade"]
    env = {"DATABASE_URL": url, "PYTHONPATH": str(ROOT)}

    both = [
        await asyncio.create_subprocess_exec(*command, env=env, cwd=ROOT, stderr=asyncio.subprocess.PIPE, stdout=-3)
        for _ in range(2)
    ]
    told = [(await process.communicate())[1].decode() for process in both]

    assert [process.returncode for process in both] == [0, 0], told
    assert await database.read(migrate.find_revision) == migrate.newest_revision()


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE alembic_version",
        *(
            pytest.param(damage, marks=pytest.mark.slow)
            for damage in ("DELETE FROM alembic_version", "INSERT INTO alembic_version VALUES ('0007')")
        ),
    ],
)
async def test_a_database_that_does_not_say_its_revision_is_let_alone(database: Database, damage: str) -> None:
    """Where the record of the revision is missing or damaged, the bot does not start, says why, and changes nothing."""
    await migrate.upgrade(database)
    await database.alter_schema(lambda tx: tx.execute(sa.text(damage)))
    before = await database.read(kept)
    with pytest.raises(StartError, match="so its revision is unknown"):
        await migrate.upgrade(database)
    assert await database.read(kept) == before


def kept(tx: sa.Connection) -> list[str]:
    """Return the names of all tables."""
    return sorted(sa.inspect(tx).get_table_names())


@pytest.mark.slow
async def test_alembic_is_not_imported_when_nothing_is_due(tmp_path: Path) -> None:
    """A start on a database that is up to date does without alembic, which costs time to import."""
    url = f"sqlite:///{tmp_path / 'adjutant.db'}"
    ready = Database(url)
    await migrate.upgrade(ready)
    await ready.close()
    script = (
        "import asyncio, sys\n"
        "from bot.core.database import Database\n"
        "from bot.core.migrate import upgrade\n"
        f"database = Database({url!r})\n"
        "print(asyncio.run(upgrade(database)), 'alembic' in sys.modules)\n"
    )
    told = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["False", "False"]
