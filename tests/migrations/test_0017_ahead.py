"""The migration that lets schedules do something ahead of their time: those that there are do nothing ahead."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import migrate
from bot.core.database import Database
from bot.schedules import store
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

migration = import_module("migrations.versions.0017_ahead")
SCHEDULE = (
    "insert into job (campaign_id, deed, weekday, at, catch_up, next_at, reached, missed) "
    "values (1, 'update', 5, '18:00', 'roll', '2026-03-07 17:00:00', 1, '[]')"
)


@pytest.mark.slow
async def test_a_schedule_of_an_older_version_does_nothing_ahead(database_kind: str, tmp_path: Path) -> None:
    """Its time stays; and back again, what it would do ahead is forgotten without a fault."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, migration.down_revision)
        await put(database, CAMPAIGN)
        await put(database, SCHEDULE)
        await migrate.upgrade(database)
        schedule = await database.read(store.get, 1, "update")
        assert schedule is not None
        assert (schedule.at, schedule.ahead, schedule.ahead_at) == ("18:00", None, None)
        await database.alter_schema(migrate.run, "downgrade", migration.down_revision)
        assert await database.read(lambda tx: tx.scalar(sa.text("select at from job"))) == "18:00"
        await database.close()
