"""The migration that lets an audience be a group."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import entries, migrate
from bot.core.database import Database
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

migration = import_module("migrations.versions.0015_groups")
ENTRY = (
    "insert into entry (campaign_id, number, kind, at, actor, audience, previous, hash, header, body, salt)"
    " values (1, {number}, 'roll', '2026-03-01 12:00:00+00:00', 'a', '{audience}', 'p', 'h', '{{}}', {body}, '00')"
)
BODY = {"sqlite": "x'789cabae0500017500f9'", "postgresql": r"'\x789cabae0500017500f9'::bytea"}
LONG = "group:1234567890"


@pytest.mark.slow
async def test_an_audience_has_room_for_the_number_of_any_group(database_kind: str, tmp_path: Path) -> None:
    """Entries of before keep theirs; a long one fits then; and on the way down what was a group's is the staff's."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, migration.down_revision)
        await put(database, CAMPAIGN, ENTRY.format(number=1, audience="results", body=BODY[database_kind]))
        await migrate.upgrade(database)
        await put(database, ENTRY.format(number=2, audience=LONG, body=BODY[database_kind]))
        assert await audiences(database) == ["results", LONG]
        assert [item.body for item in await database.read(lambda tx: list(entries.walk(tx, 1)))] == ["{}", "{}"]

        await database.alter_schema(migrate.run, "downgrade", migration.down_revision)

        assert await audiences(database) == ["results", "staff"]
        await database.close()


async def audiences(database: Database) -> list[str]:
    """The audiences of all entries, in their order."""
    query = sa.text("select audience from entry order by number")
    return await database.read(lambda tx: list(tx.scalars(query)))
