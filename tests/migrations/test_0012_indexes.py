"""The thirteenth migration: indexes for what is read all the time, and names that are compared byte by byte."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.core import migrate, state
from bot.core.database import Database
from bot.core.records import Change
from tests.migrations.test_0002_schedules import CAMPAIGN, put
from tests.support.template import fresh_url

ADDED = {
    "ix_entry_campaign_id_audience_number",
    "ix_entry_campaign_id_actor_number",
    "ix_state_campaign_id_name_subject",
    "ix_post_campaign_id_kind_topic",
}


def indexes(tx: sa.Connection) -> set[str]:
    """The names of all indexes."""
    inspected = sa.inspect(tx)
    found = (inspected.get_indexes(table) for table in inspected.get_table_names())
    return {str(index["name"]) for some in found for index in some}


@pytest.mark.slow
async def test_the_indexes_come_and_go_again(database_kind: str, tmp_path: Path) -> None:
    """A database of an older version has them after the way up, and no more after the way down."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database, "0011")
        assert ADDED.isdisjoint(await database.read(indexes))
        await migrate.upgrade(database)
        assert await database.read(indexes) >= ADDED
        await database.write(lambda tx: migrate.run(tx, "downgrade", "0011"))
        assert ADDED.isdisjoint(await database.read(indexes))
        await database.close()


@pytest.mark.slow
async def test_a_range_of_names_is_that_of_a_prefix(database_kind: str, tmp_path: Path) -> None:
    """On either kind of database, those names are found that begin so, whatever the server's language thinks of points."""
    with fresh_url(database_kind, tmp_path) as url:
        database = Database(url)
        await migrate.upgrade(database)
        await put(database, CAMPAIGN)
        names = [
            "effect",
            "effect.",
            "effect.a",
            "effect.Z",
            "effect-a",
            "effecta",
            "effect.\N{GREEK SMALL LETTER PI}",
            "Effect.a",
        ]
        changes = [Change("unit", name, None, 1) for name in names]
        await database.write(state.apply, 1, changes)
        wanted = {("unit", name) for name in names if name.startswith("effect.")}
        assert set(await database.read(state.naming, 1, "effect.")) == wanted
        assert set(await database.read(state.beginning, 1, ["unit"], "effect.")) == wanted
        assert len(await database.read(state.beginning, 1, ["unit"], "")) == len(names)
        await database.close()
