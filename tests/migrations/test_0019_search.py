"""The migration that lets entries be found by their words: those of the past are left to be read in."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import sqlalchemy as sa

from bot.core import migrate, search_rows
from bot.core.database import Database
from bot.core.entries import AudienceFilter
from bot.core.schema import entry
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

migration = import_module("migrations.versions.0019_search")
ENTRY = (
    "insert into entry (campaign_id, number, kind, at, actor, audience, previous, hash, header, body, salt) "
    "values (1, {}, 'update', '2026-03-07 17:00:00', 'a', 'results', '', '', '', '', '')"
)


def plan(tx: sa.Connection) -> str:
    """How SQLite finds what somebody has entered for themself."""
    number, mine = entry.c.number, AudienceFilter((), "somebody").clauses()[0]
    query = sa.select(number).where(entry.c.campaign_id == 1, number < 100, mine).order_by(number.desc()).limit(10)
    text = query.compile(tx, compile_kwargs={"literal_binds": True})
    return "\n".join(tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}").scalars("detail"))


async def test_what_was_entered_before_is_still_to_be_read_in(database_kind: str, tmp_path: Path) -> None:
    """No words are made on the way up, and the campaign has its newest entry to be read in up to; down and up again too."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, migration.down_revision)
        await put(database, CAMPAIGN)
        for number in (1, 2):
            await put(database, ENTRY.format(number))
        for _ in range(2):
            await migrate.upgrade(database, migration.revision)
            assert await database.read(search_rows.backlog, 1) == 2
            assert await database.read(search_rows.of, 1, [1, 2]) == {}
            await database.alter_schema(migrate.run, "downgrade", migration.down_revision)
        await database.close()


async def test_private_entries_are_found_by_whose_they_are(tmp_path: Path) -> None:
    """On SQLite the index of private entries leads to somebody's own, however many are somebody else's."""
    with fresh_url("sqlite", tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database)

        assert "ix_entry_campaign_id_actor_number" in await database.read(plan)
        await database.close()
